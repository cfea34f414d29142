/**
 * Column types: Arrow's types in memory, pandas' words for the reader. One mapping for every format.
 *
 * | Parquet | Arrow | dtype |
 * | --- | --- | --- |
 * | DOUBLE, FLOAT, FLOAT16 | Float64, Float32, Float64 | `float64`, `float32`, `float16` |
 * | INT32, INT64 with or without a width | Int8 … Uint64 | `int8` … `uint64` |
 * | BOOLEAN | Bool | `bool` |
 * | text, enum, JSON, UUID, interval (ISO 8601 duration) | Utf8 | `string` |
 * | bytes | Binary | `binary` (base64) |
 * | TIMESTAMP, INT96 | Timestamp | `datetime64[us]`, `datetime64[us, UTC]` |
 * | DATE, TIME | DateDay, Time | `date`, `time` |
 * | DECIMAL | Decimal | `decimal(18, 4)` (exact text) |
 * | list, struct, map | Utf8 | `string` (JSON text) |
 * | Null | Null | `object` |
 */
import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  Null,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from "apache-arrow";
import type { SchemaElement } from "hyparquet";
import type { Dtype } from "../contract.ts";
import { unsupported } from "./damaged.ts";
import type { TicksPerSecond } from "./times.ts";

/** How a column's values lie in memory and what they are. */
export type Kind =
  | "float"
  | "integer"
  | "bool"
  | "text"
  | "binary"
  | "timestamp"
  | "date"
  | "time"
  | "decimal"
  | "null";

export interface ColumnType {
  readonly kind: Kind;
  readonly dtype: Dtype;
  readonly arrow: DataType;
  /** Timestamps and times. */
  readonly perSecond?: TicksPerSecond;
  readonly utc?: boolean;
  /** Decimals: digits after the point. */
  readonly scale?: number;
}

export const FLOAT64: ColumnType = { kind: "float", dtype: "float64", arrow: new Float64() };
export const INT64: ColumnType = { kind: "integer", dtype: "int64", arrow: new Int64() };
export const UINT64: ColumnType = { kind: "integer", dtype: "uint64", arrow: new Uint64() };
export const BOOL: ColumnType = { kind: "bool", dtype: "bool", arrow: new Bool() };
export const TEXT: ColumnType = { kind: "text", dtype: "string", arrow: new Utf8() };
export const NULL: ColumnType = { kind: "null", dtype: "object", arrow: new Null() };

const FLOAT32: ColumnType = { kind: "float", dtype: "float32", arrow: new Float32() };
const FLOAT16: ColumnType = { kind: "float", dtype: "float16", arrow: new Float64() };
const BINARY: ColumnType = { kind: "binary", dtype: "binary", arrow: new Binary() };
const DATE: ColumnType = { kind: "date", dtype: "date", arrow: new DateDay() };

const INTEGERS: Readonly<Record<string, ColumnType>> = {
  int8: { kind: "integer", dtype: "int8", arrow: new Int8() },
  int16: { kind: "integer", dtype: "int16", arrow: new Int16() },
  int32: { kind: "integer", dtype: "int32", arrow: new Int32() },
  int64: INT64,
  uint8: { kind: "integer", dtype: "uint8", arrow: new Uint8() },
  uint16: { kind: "integer", dtype: "uint16", arrow: new Uint16() },
  uint32: { kind: "integer", dtype: "uint32", arrow: new Uint32() },
  uint64: UINT64,
};

const CONVERTED_INTEGER = /^(U?)INT_(8|16|32|64)$/;

type Unit = "MILLIS" | "MICROS" | "NANOS";
const UNITS: Readonly<Record<Unit, { word: string; perSecond: TicksPerSecond }>> = {
  MILLIS: { word: "ms", perSecond: 1_000n },
  MICROS: { word: "us", perSecond: 1_000_000n },
  NANOS: { word: "ns", perSecond: 1_000_000_000n },
};

function timestamp(unit: Unit, utc: boolean): ColumnType {
  const { word, perSecond } = UNITS[unit];
  const zone = utc ? "UTC" : null;
  const arrow =
    unit === "MILLIS"
      ? new TimestampMillisecond(zone)
      : unit === "MICROS"
        ? new TimestampMicrosecond(zone)
        : new TimestampNanosecond(zone);
  const dtype = utc ? `datetime64[${word}, UTC]` : `datetime64[${word}]`;
  return { kind: "timestamp", dtype, arrow, perSecond, utc };
}

function time(unit: Unit): ColumnType {
  const arrow =
    unit === "MILLIS"
      ? new TimeMillisecond()
      : unit === "MICROS"
        ? new TimeMicrosecond()
        : new TimeNanosecond();
  return { kind: "time", dtype: "time", arrow, perSecond: UNITS[unit].perSecond };
}

function decimal(element: SchemaElement): ColumnType {
  const logical = element.logical_type;
  const fromLogical = logical?.type === "DECIMAL" ? logical : undefined;
  const scale = fromLogical?.scale ?? element.scale ?? 0;
  const precision = fromLogical?.precision ?? element.precision ?? 0;
  if (precision > 76 || scale < 0 || scale > 1000) {
    throw unsupported(`a decimal of ${precision} digits`);
  }
  const arrow = new Decimal(scale, precision, precision > 38 ? 256 : 128);
  return { kind: "decimal", dtype: `decimal(${precision}, ${scale})`, arrow, scale };
}

function ofLogicalType(element: SchemaElement): ColumnType | undefined {
  const logical = element.logical_type;
  switch (logical?.type) {
    case "STRING":
    case "ENUM":
    case "JSON":
    case "UUID":
      return TEXT;
    case "DATE":
      return DATE;
    case "TIMESTAMP":
      return timestamp(logical.unit, logical.isAdjustedToUTC);
    case "TIME":
      return time(logical.unit);
    case "INTEGER":
      return INTEGERS[`${logical.isSigned ? "" : "u"}int${logical.bitWidth}`];
    case "DECIMAL":
      return decimal(element);
    case "FLOAT16":
      return FLOAT16;
    case "NULL":
      return NULL;
    default:
      return undefined;
  }
}

function ofConvertedType(element: SchemaElement): ColumnType | undefined {
  const converted = element.converted_type;
  const integer = CONVERTED_INTEGER.exec(converted ?? "");
  if (integer !== null) {
    return INTEGERS[`${integer[1] === "U" ? "u" : ""}int${integer[2]}`];
  }
  switch (converted) {
    case "UTF8":
    case "ENUM":
    case "JSON":
    case "INTERVAL":
      return TEXT;
    case "DATE":
      return DATE;
    case "TIMESTAMP_MILLIS":
      return timestamp("MILLIS", true);
    case "TIMESTAMP_MICROS":
      return timestamp("MICROS", true);
    case "TIME_MILLIS":
      return time("MILLIS");
    case "TIME_MICROS":
      return time("MICROS");
    case "DECIMAL":
      return decimal(element);
    default:
      return undefined;
  }
}

/** Type by the physical type alone; INT96 is the old way to write nanoseconds. */
function ofPhysicalType(element: SchemaElement): ColumnType {
  switch (element.type) {
    case "DOUBLE":
      return FLOAT64;
    case "FLOAT":
      return FLOAT32;
    case "INT64":
      return INT64;
    case "INT32":
      return INTEGERS.int32 as ColumnType;
    case "INT96":
      return timestamp("NANOS", false);
    case "BOOLEAN":
      return BOOL;
    default:
      return BINARY;
  }
}

/** Physical types that a kind may be stored as; anything else is read by its physical type. */
const STORED_AS: Readonly<Record<Kind, readonly string[]>> = {
  float: ["DOUBLE", "FLOAT", "FIXED_LEN_BYTE_ARRAY"],
  integer: ["INT32", "INT64"],
  bool: ["BOOLEAN"],
  text: ["BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"],
  binary: ["BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"],
  timestamp: ["INT64", "INT96"],
  date: ["INT32"],
  time: ["INT32", "INT64"],
  decimal: ["INT32", "INT64", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"],
  null: ["INT32", "INT64", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY", "BOOLEAN", "DOUBLE", "FLOAT"],
};

/** Whether the stored width is the type's: an `int64` in INT32 is not, a `time` in milliseconds is INT32. */
function fits(type: ColumnType, element: SchemaElement): boolean {
  const wide =
    type.dtype.endsWith("int64") ||
    (type.kind === "time" && type.perSecond !== 1_000n) ||
    (type.kind === "timestamp" && element.type !== "INT96");
  const sized = type.kind === "integer" || type.kind === "time";
  return (
    STORED_AS[type.kind].includes(element.type ?? "") &&
    (!sized || (element.type === "INT64") === wide)
  );
}

/** The type of a leaf column. A logical type that is unknown or does not fit is left aside, as the format asks. */
export function typeOfLeaf(element: SchemaElement): ColumnType {
  for (const type of [ofLogicalType(element), ofConvertedType(element)]) {
    if (type !== undefined && fits(type, element)) {
      return type;
    }
  }
  return ofPhysicalType(element);
}
