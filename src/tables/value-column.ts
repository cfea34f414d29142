/** Columns out of JSON values. */
import { makeData } from "apache-arrow";
import { type ExactJson, toPlainJson } from "../json.ts";
import { packBits } from "./column-builder.ts";
import { BOOL, type ColumnType, FLOAT64, INT64, NULL, TEXT, UINT64 } from "./column-type.ts";
import type { MemoryColumn } from "./memory-table.ts";
import { textData } from "./text-data.ts";

const MAX_INT64 = 2n ** 63n - 1n;

function typeOfNumbers(values: readonly ExactJson[], isInteger: boolean): ColumnType {
  if (!isInteger) {
    return FLOAT64;
  }
  const large = values.filter((value) => typeof value === "bigint");
  if (large.length === 0) {
    return values.includes(null) ? FLOAT64 : INT64;
  }
  if (large.every((value) => value <= MAX_INT64 && value >= -MAX_INT64 - 1n)) {
    return INT64;
  }
  const unsigned = values.every((value) => value === null || (value as number | bigint) >= 0);
  return unsigned && large.every((value) => value < 2n ** 64n) ? UINT64 : TEXT;
}

function typeOfList(values: readonly ExactJson[], isInteger: boolean): ColumnType {
  const kinds = new Set(values.filter((value) => value !== null).map((value) => typeof value));
  if (kinds.size === 0) {
    return NULL;
  }
  if ([...kinds].every((kind) => kind === "number" || kind === "bigint")) {
    return typeOfNumbers(values, isInteger);
  }
  return kinds.size === 1 && kinds.has("boolean") ? BOOL : TEXT;
}

/** Text as it is where all are text, else each value's JSON. */
function toTexts(values: readonly ExactJson[]): (string | null)[] {
  const plain = values.every((value) => value === null || typeof value === "string");
  return values.map((value) => {
    if (value === null || plain || typeof value === "bigint") {
      return value === null ? null : String(value);
    }
    return JSON.stringify(toPlainJson(value));
  });
}

function storeOf(type: ColumnType, values: readonly ExactJson[]): unknown {
  switch (type) {
    case INT64:
      return BigInt64Array.from(values, (value) => BigInt((value as number | bigint | null) ?? 0));
    case UINT64:
      return BigUint64Array.from(values, (value) => BigInt((value as number | bigint | null) ?? 0));
    case BOOL:
      return packBits(values.map((value) => (value === true ? 1 : 0)));
    default:
      return Float64Array.from(values, (value) => Number(value ?? 0));
  }
}

/**
 * A column of JSON values with the type that pandas would give.
 * @param isInteger whether all its numbers are written as integers
 */
export function columnOfValues(
  name: string,
  values: readonly ExactJson[],
  isInteger: boolean,
): MemoryColumn {
  const type = typeOfList(values, isInteger);
  if (type === TEXT) {
    return { name, type, data: textData(toTexts(values)) };
  }
  const length = values.length;
  if (type === NULL) {
    return { name, type, data: makeData({ type: type.arrow, length } as never) };
  }
  const nullCount = values.reduce<number>((nulls, value) => nulls + (value === null ? 1 : 0), 0);
  const nullBitmap =
    nullCount === 0
      ? {}
      : { nullBitmap: packBits(values.map((value) => (value === null ? 0 : 1))) };
  const data = makeData({
    type: type.arrow,
    length,
    nullCount,
    ...nullBitmap,
    data: storeOf(type, values),
  } as never);
  return { name, type, data };
}
