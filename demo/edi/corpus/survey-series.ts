/** edi.99101 onwards: sixty small packages of one pattern, so that lists have pages and searches have hits. */
import { Random } from "../../simulator/random.ts";
import type { RevisionDescription, SeriesDescription } from "../model.ts";
import {
  CC0,
  COMMA_LAYOUT,
  counted,
  dated,
  labelled,
  measured,
  NOT_MEASURED,
  owner,
  SYNTHETIC,
  textFile,
} from "./pieces.ts";

const FIRST_IDENTIFIER = 99_101;
const COUNT = 60;

const THEMES = [
  { noun: "breeding birds", keyword: "birds", unit: "number", column: "pairs", most: 40 },
  {
    noun: "zooplankton density",
    keyword: "zooplankton",
    unit: "numberPerLiter",
    column: "density",
    most: 90,
  },
  {
    noun: "litterfall mass",
    keyword: "litterfall",
    unit: "gramPerMeterSquared",
    column: "mass",
    most: 300,
  },
  {
    noun: "stream nitrate",
    keyword: "nitrate",
    unit: "milligramPerLiter",
    column: "nitrate",
    most: 4,
  },
  {
    noun: "soil respiration",
    keyword: "carbon dioxide",
    unit: "gramPerMeterSquaredPerDay",
    column: "flux",
    most: 12,
  },
  { noun: "snow depth", keyword: "snow", unit: "centimeter", column: "depth", most: 180 },
] as const;

const PLACES = [
  { name: "Alder Creek", west: -122.2, south: 44.2 },
  { name: "Bittern Marsh", west: -81.3, south: 31.4 },
  { name: "Cinder Flat", west: -106.7, south: 32.6 },
  { name: "Drumlin Pond", west: -72.2, south: 42.5 },
  { name: "Elk Meadow", west: -110.6, south: 44.6 },
] as const;

const AUTHORS = [
  ["Imani", "Brandt"],
  ["Ruth", "Castellano"],
  ["Oleg", "Dahl"],
  ["Noor", "El-Amin"],
  ["Finn", "Gallagher"],
  ["Wei", "Huang"],
  ["Mara", "Lindqvist"],
] as const;

function revision(index: number, number: number, last: boolean): RevisionDescription {
  const theme = THEMES[index % THEMES.length] as (typeof THEMES)[number];
  const place = PLACES[index % PLACES.length] as (typeof PLACES)[number];
  const [given, surName] = AUTHORS[index % AUTHORS.length] as (typeof AUTHORS)[number];
  const start = 1995 + (index % 20);
  const years = 3 + (index % 5) + number;
  const random = new Random(`survey ${index}`);
  const rows = Array.from({ length: years * 12 }, (_, month) => {
    const date = `${start + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
    const value = random.uniform() < 0.03 ? "-9999" : (random.uniform() * theme.most).toFixed(2);
    return `${date},${place.name.slice(0, 2).toUpperCase()}${(month % 3) + 1},${value},${1 + (month % 4)}`;
  });
  const uploaded = `${2014 + (index % 9) + number - 1}-${String(1 + (index % 12)).padStart(2, "0")}-15`;
  return {
    revision: number,
    uploaded: `${uploaded}T10:${String(index).padStart(2, "0")}:00.000`,
    replicated: `${uploaded}T12:00:00.000`,
    dataset: {
      title: `Demonstration survey of ${theme.noun} at ${place.name}, ${start}-${start + years - 1}`,
      creators: [
        { givenNames: [given], surName, organization: `${place.name} Example Station` },
        ...(index % 3 === 0 ? [{ givenNames: ["Tobias"], surName: "Achterberg" }] : []),
      ],
      contacts: [{ position: "Demonstration data manager", email: "data@example.org" }],
      pubDate: uploaded,
      language: "English",
      abstract: [`Synthetic monthly ${theme.noun} at three plots of ${place.name}. ${SYNTHETIC}`],
      keywords: [
        { words: [theme.keyword, "long-term monitoring"], type: "theme" },
        { words: [place.name], type: "place" },
      ],
      license: CC0,
      coverage: {
        boxes: [
          {
            description: `${place.name}, an invented site in the USA`,
            west: place.west.toFixed(4),
            east: (place.west + 0.1).toFixed(4),
            north: (place.south + 0.1).toFixed(4),
            south: place.south.toFixed(4),
          },
        ],
        periods: [{ begin: `${start}-01-01`, end: `${start + years - 1}-12-31` }],
      },
      methods: {
        steps: [{ description: [`Three plots were visited every month for ${theme.noun}.`] }],
      },
      maintenance: { description: [last ? "Continued." : "Superseded."], frequency: "annually" },
      entities: [
        {
          kind: "dataTable",
          name: `Monthly ${theme.noun}`,
          description: "Synthetic: one row a month, plots in turn.",
          fileName: `edi_demo_${theme.keyword.replaceAll(" ", "_")}.csv`,
          mediaType: "text/csv",
          encoding: "UTF-8",
          layout: COMMA_LAYOUT,
          attributes: [
            dated("month", "Month of the visit", "YYYY-MM"),
            labelled("plot", "Plot code"),
            measured(
              theme.column,
              `Value of ${theme.noun}`,
              theme.unit,
              { min: "0" },
              NOT_MEASURED,
            ),
            counted("visits", "Visits in the month"),
          ],
          records: rows.length,
          content: textFile([`month,plot,${theme.column},visits`, ...rows]),
        },
      ],
    },
  };
}

/** Every fourth series has two revisions. */
export const SURVEY_SERIES: readonly SeriesDescription[] = Array.from(
  { length: COUNT },
  (_, index) => ({
    scope: "edi",
    identifier: FIRST_IDENTIFIER + index,
    owner: owner("EDI"),
    revisions:
      index % 4 === 0
        ? [revision(index, 1, false), revision(index, 2, true)]
        : [revision(index, 1, true)],
  }),
);
