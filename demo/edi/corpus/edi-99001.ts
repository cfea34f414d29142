/** edi.99001: a ZIP above the redirect threshold, in EML 2.1.1, on the other DataONE node; revision 1 carries no entity ids. */
import { Random } from "../../simulator/random.ts";
import type { Dataset, SeriesDescription } from "../model.ts";
import { writeZip } from "../zip.ts";
import { COMMA_LAYOUT, dated, labelled, measured, owner, SYNTHETIC, textFile } from "./pieces.ts";

/** A canopy height grid [m] as text, about 550 kB. */
function heightGrid(seed: string): Buffer {
  const random = new Random(seed);
  const rows = Array.from({ length: 300 }, (_, y) =>
    Array.from({ length: 380 }, (_, x) =>
      Math.max(0, 12 + 6 * Math.sin(x / 40) * Math.cos(y / 30) + random.uniform() * 4).toFixed(1),
    ).join(" "),
  );
  return Buffer.from(`ncols 380\nnrows 300\ncellsize 1\n${rows.join("\n")}\n`);
}

const ARCHIVE = writeZip([
  { name: "README.txt", bytes: Buffer.from(`Synthetic canopy heights [m]. ${SYNTHETIC}\n`) },
  ...["2019", "2021", "2023"].map((year) => ({
    name: `canopy_${year}.asc`,
    bytes: heightGrid(`canopy ${year}`),
  })),
]);

const DATASET: Dataset = {
  title: "Demonstration canopy height grids and flight log, 2019-2023",
  creators: [
    { givenNames: ["Petra"], surName: "Nowak-Silva", organization: "Example Remote Sensing Lab" },
  ],
  contacts: [{ position: "Demonstration archive desk", email: "archive@example.org" }],
  pubDate: "2024-01-22",
  language: "English",
  abstract: [
    `Synthetic canopy heights from three flights, as text grids in one archive. ${SYNTHETIC}`,
  ],
  keywords: [{ words: ["canopy height", "lidar", "remote sensing"] }],
  rights: ["Released to the public domain, with a request for a citation."],
  coverage: {
    boxes: [
      {
        description: "An invented square kilometre in the Southern Appalachians, USA",
        west: "-83.4400",
        east: "-83.4300",
        north: "35.0700",
        south: "35.0600",
      },
    ],
    periods: [{ begin: "2019", end: "2023" }],
  },
  methods: { steps: [{ description: ["Heights were drawn from a formula and noise."] }] },
  entities: [
    {
      kind: "otherEntity",
      name: "Canopy height grids, 1 m",
      description: "Synthetic: three text grids and a note, stored in a ZIP archive.",
      fileName: "demo_canopy_grids.zip",
      mediaType: "application/zip",
      format: { name: "ZIP archive" },
      entityType: "application/zip",
      content: { bytes: ARCHIVE },
    },
    {
      kind: "dataTable",
      name: "Flight log",
      description: "Synthetic: one row per flight.",
      fileName: "demo_flights.csv",
      mediaType: "text/csv",
      layout: COMMA_LAYOUT,
      attributes: [
        dated("year", "Year of the flight", "YYYY"),
        labelled("pilot", "Initials of the pilot"),
        measured("altitude", "Height above ground", "meter", { number: "natural" }),
      ],
      records: 3,
      content: textFile(["year,pilot,altitude", "2019,PN,800", "2021,PN,820", "2023,KO,790"]),
    },
  ],
};

export const EDI_99001: SeriesDescription = {
  scope: "edi",
  identifier: 99_001,
  owner: owner("EDI"),
  revisions: [
    {
      revision: 1,
      uploaded: "2019-12-03T07:15:00.000",
      replicated: "2019-12-03T08:00:00.000",
      eml: "2.1.1",
      withoutEntityIds: true,
      dataset: { ...DATASET, pubDate: "2019-12-03" },
    },
    {
      revision: 2,
      uploaded: "2024-01-22T15:05:59.430",
      replicated: "2024-01-22T16:30:10.000",
      eml: "2.1.1",
      dataset: DATASET,
    },
  ],
};
