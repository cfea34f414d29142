/** Every series of the demo. */
import type { BigTable } from "../big-table.ts";
import type { SeriesDescription } from "../model.ts";
import { EDI_99001 } from "./edi-99001.ts";
import { EDI_99002 } from "./edi-99002.ts";
import { edi99003 } from "./edi-99003.ts";
import { EDI_99004 } from "./edi-99004.ts";
import { HBR_9013 } from "./hbr-9013.ts";
import { HBR_9014 } from "./hbr-9014.ts";
import { JRN_990000001 } from "./jrn-990000001.ts";
import { COS_SPU_90001, ECOTRENDS_90001, EDI_99009_DELETED } from "./single-series.ts";
import { SURVEY_SERIES } from "./survey-series.ts";

/** The descriptions of all packages, around the large table. */
export function allSeries(table: BigTable): readonly SeriesDescription[] {
  return [
    HBR_9013,
    HBR_9014,
    JRN_990000001,
    EDI_99001,
    EDI_99002,
    edi99003(table),
    EDI_99004,
    EDI_99009_DELETED,
    ...SURVEY_SERIES,
    ECOTRENDS_90001,
    COS_SPU_90001,
  ];
}
