/** edi.99004: large in every list: 240 tables of 24 columns, 150 creators, 80 boxes, 400 taxa and 60 kB of methods. */
import { Random } from "../../simulator/random.ts";
import type { EntityDescription, Party, SeriesDescription } from "../model.ts";
import { CC0, COMMA_LAYOUT, dated, measured, owner, SYNTHETIC, textFile } from "./pieces.ts";

const TABLES = 240;
const COLUMNS = 24;
const CREATORS = 150;
const BOXES = 80;
const GENERA = 40;
const SPECIES_PER_GENUS = 9;

const numbered = (index: number, digits: number) => String(index + 1).padStart(digits, "0");

function table(index: number): EntityDescription {
  const number = numbered(index, 3);
  const random = new Random(`wide ${number}`);
  const names = Array.from({ length: COLUMNS - 1 }, (_, column) => `soil_${numbered(column, 2)}`);
  const rows = Array.from(
    { length: 12 },
    (_, month) =>
      `2021-${numbered(month, 2)},${names.map(() => (random.uniform() * 40).toFixed(2)).join(",")}`,
  );
  return {
    kind: "dataTable",
    name: `Soil profile of plot ${number}`,
    description: "Synthetic: one row a month, one column a depth.",
    fileName: `edi_demo_soil_${number}.csv`,
    mediaType: "text/csv",
    encoding: "UTF-8",
    layout: COMMA_LAYOUT,
    attributes: [
      dated("month", "Month of the mean", "YYYY-MM"),
      ...names.map((name, column) =>
        measured(
          name,
          `Mean volumetric water content at ${(column + 1) * 5} cm below the surface of the plot`,
          "percent",
          { min: "0", max: "100" },
        ),
      ),
    ],
    records: 12,
    content: textFile([`month,${names.join(",")}`, ...rows]),
  };
}

function creator(index: number): Party {
  return {
    givenNames: [`Demo${numbered(index, 3)}`],
    surName: `Contributor-${numbered(index, 3)}`,
    organization: "Example Soil Network",
  };
}

const PARAGRAPH =
  "Plots were visited in the order of their numbers; cores were taken with a gouge auger, weighed wet, dried at 105 degrees for two days and weighed again. ";

export const EDI_99004: SeriesDescription = {
  scope: "edi",
  identifier: 99_004,
  owner: owner("EDI"),
  revisions: [
    {
      revision: 1,
      uploaded: "2024-02-29T12:00:00.000",
      replicated: "2024-02-29T14:00:00.000",
      dataset: {
        title: "Demonstration soil water network of 240 plots, monthly profiles, 2021",
        creators: Array.from({ length: CREATORS }, (_, index) => creator(index)),
        contacts: [creator(0)],
        pubDate: "2024-02-29",
        abstract: [`Synthetic profiles of soil water in many tables. ${SYNTHETIC}`],
        keywords: [
          {
            words: [
              "soil water",
              "networks",
              ...Array.from({ length: 40 }, (_, i) => `plot group ${i + 1}`),
            ],
          },
        ],
        license: CC0,
        coverage: {
          boxes: Array.from({ length: BOXES }, (_, index) => ({
            description: `Invented plot group ${index + 1}`,
            west: (-100 + index * 0.1).toFixed(4),
            east: (-99.95 + index * 0.1).toFixed(4),
            north: (40.05 + index * 0.01).toFixed(4),
            south: (40 + index * 0.01).toFixed(4),
          })),
          periods: [{ begin: "2021-01-01", end: "2021-12-31" }],
          taxa: Array.from({ length: GENERA }, (_, genus) => ({
            rank: "Genus",
            value: `Demonstrator${genus + 1}`,
            children: Array.from({ length: SPECIES_PER_GENUS }, (_, species) => ({
              rank: "Species",
              value: `Demonstrator${genus + 1} exemplaris${species + 1}`,
              common: `demonstration plant ${genus * SPECIES_PER_GENUS + species + 1}`,
            })),
          })),
        },
        methods: {
          steps: Array.from({ length: 40 }, (_, index) => ({
            description: [`Step ${index + 1}. ${PARAGRAPH.repeat(10).trim()}`],
          })),
        },
        entities: Array.from({ length: TABLES }, (_, index) => table(index)),
      },
    },
  ],
};
