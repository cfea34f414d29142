/** edi.99003: the large table, a lake buoy with one row a minute. */
import type { BigTable } from "../big-table.ts";
import type { SeriesDescription } from "../model.ts";
import {
  CC_BY,
  COMMA_LAYOUT,
  dated,
  labelled,
  measured,
  NOT_MEASURED,
  owner,
  SYNTHETIC,
} from "./pieces.ts";

/** The series around a table that exists on disk. */
export function edi99003(table: BigTable): SeriesDescription {
  return {
    scope: "edi",
    identifier: 99_003,
    owner: owner("EDI"),
    revisions: [
      {
        revision: 1,
        uploaded: "2024-09-01T04:00:00.120",
        replicated: "2024-09-01T06:00:00.000",
        dataset: {
          title: "Demonstration lake buoy, water temperature and oxygen by the minute, from 2018",
          creators: [
            {
              givenNames: ["Salla"],
              surName: "Virtanen",
              organization: "Example Lake Observatory",
            },
          ],
          contacts: [{ givenNames: ["Salla"], surName: "Virtanen", email: "buoy@example.org" }],
          pubDate: "2024-09-01",
          language: "English",
          abstract: [
            `Synthetic profiles of a stratified lake: temperature, oxygen and light at five depths in turn, ${table.rows} rows.`,
            SYNTHETIC,
          ],
          keywords: [
            { words: ["lakes", "water temperature", "dissolved oxygen", "buoys"], type: "theme" },
          ],
          license: CC_BY,
          coverage: {
            boxes: [
              {
                description: "An invented lake, Wisconsin, USA",
                west: "-89.7100",
                east: "-89.7000",
                north: "46.0200",
                south: "46.0100",
                altitude: { min: "-8", max: "0", unit: "meter" },
              },
            ],
            periods: [{ begin: "2018-05-01", end: "2020-03-25" }],
          },
          methods: {
            steps: [
              {
                description: ["A profiler visits 0, 2, 4, 6 and 8 m, one depth a minute."],
                instruments: ["Demonstration profiler, model 0"],
              },
            ],
            quality: ["A gap of the temperature sensor is written as -9999 and flagged M."],
          },
          entities: [
            {
              kind: "dataTable",
              name: "Buoy profiles by the minute",
              description: "Synthetic: one row a minute, depths in turn.",
              fileName: "edi_demo_buoy.csv",
              mediaType: "text/csv",
              encoding: "UTF-8",
              layout: COMMA_LAYOUT,
              attributes: [
                dated("datetime", "UTC, start of the minute", "YYYY-MM-DD hh:mm"),
                measured("depth_m", "Depth of the sensor", "meter", {
                  number: "whole",
                  min: "0",
                  max: "8",
                }),
                measured(
                  "water_temp_c",
                  "Water temperature",
                  "celsius",
                  { precision: "0.01" },
                  NOT_MEASURED,
                ),
                measured("oxygen_mg_l", "Dissolved oxygen", "milligramPerLiter", {
                  precision: "0.01",
                }),
                measured(
                  "par_umol_m2_s",
                  "Photosynthetically active radiation",
                  "micromolePerMeterSquaredPerSecond",
                  { custom: true },
                ),
                labelled("flag", "Quality flag; empty when the value is good", { M: "Missing" }),
              ],
              records: table.rows,
              content: table,
            },
          ],
          units: [
            {
              id: "micromolePerMeterSquaredPerSecond",
              unitType: "amountOfSubstanceFlux",
              parentSI: "molePerMeterSquaredPerSecond",
              multiplierToSI: "0.000001",
              description: "micromoles of photons per square metre and second",
            },
          ],
        },
      },
    ],
  };
}
