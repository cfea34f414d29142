/** Series that stand for one case each: the bulk scope, the scope that is not replicated, the series that was deleted. */
import type { SeriesDescription } from "../model.ts";
import {
  CC_BY,
  COMMA_LAYOUT,
  counted,
  dated,
  labelled,
  measured,
  owner,
  SYNTHETIC,
  textFile,
} from "./pieces.ts";

export const ECOTRENDS_90001: SeriesDescription = {
  scope: "ecotrends",
  identifier: 90_001,
  owner: owner("ECOTRENDS"),
  revisions: [
    {
      revision: 1,
      uploaded: "2013-01-15T00:20:41.000",
      replicated: "2013-02-01T00:00:00.000",
      eml: "2.1.0",
      dataset: {
        title: "Demonstration annual mean air temperature at an invented station, 1990-2004",
        creators: [{ organization: "EcoTrends Demonstration Project" }],
        contacts: [{ organization: "EcoTrends Demonstration Project" }],
        pubDate: "2013-01-15",
        abstract: [`Synthetic yearly means. ${SYNTHETIC}`],
        keywords: [{ words: ["climate", "air temperature"] }],
        rights: ["Free use under a Creative Commons Attribution licence."],
        coverage: {
          boxes: [
            {
              description: "An invented station, Colorado, USA",
              west: "-105.3755",
              east: "-105.3755",
              north: "40.0490",
              south: "40.0490",
            },
          ],
          periods: [{ begin: "1990", end: "2004" }],
        },
        entities: [
          {
            kind: "dataTable",
            name: "Annual mean air temperature",
            description: "Synthetic: one row per year.",
            fileName: "ecotrends_demo_temperature.csv",
            mediaType: "text/csv",
            layout: COMMA_LAYOUT,
            attributes: [
              dated("YEAR", "Calendar year", "YYYY"),
              measured("TEMP", "Annual mean air temperature", "celsius"),
            ],
            records: 15,
            content: textFile([
              "YEAR,TEMP",
              ...Array.from({ length: 15 }, (_, i) => `${1990 + i},${(7.1 + 0.03 * i).toFixed(2)}`),
            ]),
          },
        ],
      },
    },
  ],
};

export const COS_SPU_90001: SeriesDescription = {
  scope: "cos-spu",
  identifier: 90_001,
  owner: owner("COS-SPU"),
  revisions: [
    {
      revision: 1,
      uploaded: "2022-06-30T23:59:59.999",
      dataset: {
        title: "Demonstration stream temperature loggers in an invented city watershed, 2021",
        creators: [{ position: "Demonstration watershed scientist" }],
        contacts: [{ position: "Demonstration watershed scientist" }],
        pubDate: "2022-06-30",
        abstract: [`Synthetic logger readings. ${SYNTHETIC}`],
        license: CC_BY,
        coverage: { periods: [{ begin: "2021-06-01", end: "2021-06-10" }] },
        entities: [
          {
            kind: "dataTable",
            name: "Logger readings",
            description: "Synthetic: one row per day.",
            fileName: "cos_demo_loggers.csv",
            mediaType: "text/csv",
            layout: COMMA_LAYOUT,
            attributes: [
              dated("date", "Day", "YYYY-MM-DD"),
              labelled("logger", "Serial number of the logger"),
              measured("temperature", "Daily mean", "celsius"),
              counted("readings", "Readings of the day"),
            ],
            records: 10,
            content: textFile([
              "date,logger,temperature,readings",
              ...Array.from(
                { length: 10 },
                (_, i) => `2021-06-${String(i + 1).padStart(2, "0")},A7,${11 + i / 10},96`,
              ),
            ]),
          },
        ],
      },
    },
  ],
};

export const EDI_99009_DELETED: SeriesDescription = {
  scope: "edi",
  identifier: 99_009,
  owner: owner("EDI"),
  revisions: [],
  deleted: [
    { revision: 1, uploaded: "2021-03-04T10:00:00.000", deletedAt: "2021-03-05T10:00:00.000" },
  ],
};
