/** knb-lter-hbr.9013: the source of 9014. An old package: no DOI, no upload date in its EML, one date, no box. */
import { Random } from "../../simulator/random.ts";
import type { SeriesDescription } from "../model.ts";
import { COMMA_LAYOUT, dated, labelled, measured, owner, SYNTHETIC, textFile } from "./pieces.ts";

/** One day of stage at two weirs: 2 x 288 rows, a storm in the afternoon. */
function stageRows(): string[] {
  const random = new Random("stage");
  return ["WS3", "WS6"].flatMap((weir) =>
    Array.from({ length: 288 }, (_, step) => {
      const storm = 4.1 * Math.exp(-(((step - 190) / 30) ** 2));
      const stage = 8.2 + storm + 0.05 * random.uniform();
      const time = `${String(Math.floor(step / 12)).padStart(2, "0")}:${String((step % 12) * 5).padStart(2, "0")}`;
      return `2019-10-01T${time},${weir},${stage.toFixed(3)}`;
    }),
  );
}

export const HBR_9013: SeriesDescription = {
  scope: "knb-lter-hbr",
  identifier: 9013,
  owner: owner("HBR"),
  revisions: [
    {
      revision: 1,
      uploaded: "2020-02-11T11:30:00.500",
      replicated: "2020-02-11T12:00:00.000",
      withoutDoi: true,
      dataset: {
        title: "Demonstration weir stage, 5-minute",
        creators: [{ organization: "Hubbard Brook Demonstration Group" }],
        contacts: [{ position: "Demonstration data manager", email: "data@example.org" }],
        additionalInfo: [`Synthetic stage of one day. ${SYNTHETIC}`],
        coverage: { periods: [{ date: "2019-10-01" }] },
        entities: [
          {
            kind: "dataTable",
            name: "Weir stage, 5-minute",
            description: "Synthetic: one row per weir and five minutes.",
            fileName: "hbr_demo_stage.csv",
            mediaType: "text/csv",
            layout: COMMA_LAYOUT,
            attributes: [
              dated("TIME", "Local time, start of the interval", "YYYY-MM-DDThh:mm"),
              labelled("WS", "Watershed code"),
              measured("Stage", "Height of water above the notch", "centimeter"),
            ],
            records: 576,
            content: textFile(["TIME,WS,Stage", ...stageRows()]),
          },
        ],
      },
    },
  ],
};
