/** Arrow's types as this project's column types, and how their values are taken over. */
import {
  Binary,
  DataType,
  DateDay,
  DateUnit,
  type Decimal,
  type FixedSizeBinary,
  Precision,
  type Time,
  type Timestamp,
  TimeUnit,
} from "apache-arrow";
import { BOOL, type ColumnType, FLOAT64, NULL, TEXT } from "./column-type.ts";
import type { TicksPerSecond } from "./times.ts";

export interface ArrowPlan {
  readonly type: ColumnType;
  /**
   * `numbers`: as they lie; `bits`; `bytes`: texts or bytes; `days`: dates in milliseconds; `halves`: half floats; `texts`:
   * value by value; `json`: value by value, as JSON text.
   */
  readonly store: "numbers" | "bits" | "bytes" | "days" | "halves" | "texts" | "json";
  /** Numbers, or bytes, of one value. */
  readonly width?: number;
}

const UNITS: Readonly<Record<TimeUnit, { word: string; perSecond: TicksPerSecond }>> = {
  [TimeUnit.SECOND]: { word: "s", perSecond: 1n },
  [TimeUnit.MILLISECOND]: { word: "ms", perSecond: 1_000n },
  [TimeUnit.MICROSECOND]: { word: "us", perSecond: 1_000_000n },
  [TimeUnit.NANOSECOND]: { word: "ns", perSecond: 1_000_000_000n },
};

/** The type of an Arrow column. Instants keep their unit; whatever their zone, they are told in UTC. */
export function planOf(arrow: DataType): ArrowPlan {
  if (DataType.isNull(arrow)) {
    return { type: NULL, store: "numbers" };
  }
  if (DataType.isBool(arrow)) {
    return { type: BOOL, store: "bits" };
  }
  if (DataType.isInt(arrow)) {
    const dtype = `${arrow.isSigned ? "" : "u"}int${arrow.bitWidth}`;
    return { type: { kind: "integer", dtype, arrow }, store: "numbers" };
  }
  if (DataType.isFloat(arrow)) {
    switch (arrow.precision) {
      case Precision.HALF:
        return { type: { ...FLOAT64, dtype: "float16" }, store: "halves" };
      case Precision.SINGLE:
        return { type: { kind: "float", dtype: "float32", arrow }, store: "numbers" };
      default:
        return { type: FLOAT64, store: "numbers" };
    }
  }
  if (DataType.isUtf8(arrow) || DataType.isLargeUtf8(arrow)) {
    return { type: TEXT, store: "bytes" };
  }
  if (DataType.isBinary(arrow) || DataType.isLargeBinary(arrow)) {
    return { type: { kind: "binary", dtype: "binary", arrow: new Binary() }, store: "bytes" };
  }
  if (DataType.isFixedSizeBinary(arrow)) {
    const { byteWidth } = arrow as FixedSizeBinary;
    const type: ColumnType = { kind: "binary", dtype: "binary", arrow: new Binary() };
    return { type, store: "bytes", width: byteWidth };
  }
  if (DataType.isTimestamp(arrow)) {
    const { unit, timezone } = arrow as Timestamp;
    const { word, perSecond } = UNITS[unit];
    const utc = timezone !== null && timezone !== undefined;
    const dtype = utc ? `datetime64[${word}, UTC]` : `datetime64[${word}]`;
    return { type: { kind: "timestamp", dtype, arrow, perSecond, utc }, store: "numbers" };
  }
  if (DataType.isDate(arrow)) {
    const type: ColumnType = { kind: "date", dtype: "date", arrow: new DateDay() };
    return { type, store: arrow.unit === DateUnit.DAY ? "numbers" : "days" };
  }
  if (DataType.isTime(arrow)) {
    const { perSecond } = UNITS[(arrow as Time).unit];
    return { type: { kind: "time", dtype: "time", arrow, perSecond }, store: "numbers" };
  }
  if (DataType.isDuration(arrow)) {
    const { word } = UNITS[arrow.unit];
    return { type: { kind: "integer", dtype: `timedelta64[${word}]`, arrow }, store: "numbers" };
  }
  if (DataType.isDecimal(arrow)) {
    const { precision, scale, bitWidth } = arrow as Decimal;
    const dtype = `decimal(${precision}, ${scale})`;
    return {
      type: { kind: "decimal", dtype, arrow, scale },
      store: "numbers",
      width: bitWidth / 32,
    };
  }
  const isText =
    DataType.isUtf8View(arrow) ||
    (DataType.isDictionary(arrow) && DataType.isUtf8(arrow.dictionary));
  return { type: TEXT, store: isText ? "texts" : "json" };
}
