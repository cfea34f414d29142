/** Values of a column: out of Arrow as plain values, and from those to JSON-ready cells. */
import type { Data } from "apache-arrow";
import type { Cell } from "../contract.ts";
import type { ColumnType } from "./column-type.ts";
import { OUT_OF_RANGE } from "./encodings.ts";
import { dateText, timestampText, timeText } from "./times.ts";

/** A value as it is: NaN is a number here, a timestamp its stored integer, bytes base64 text. */
export type Raw = number | bigint | string | boolean | null;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function isValid(data: Data, row: number): boolean {
  const bitmap: Uint8Array | undefined = data.nullBitmap;
  return (
    bitmap === undefined ||
    bitmap.length === 0 ||
    ((bitmap[row >> 3] as number) & (1 << (row & 7))) !== 0
  );
}

/** The unscaled integer of a decimal. */
export function decimalAt(data: Data, row: number): bigint {
  const { bitWidth } = data.type as unknown as { bitWidth: number };
  const limbs = bitWidth / 32;
  let value = 0n;
  for (let limb = limbs - 1; limb >= 0; limb -= 1) {
    value = (value << 32n) | BigInt((data.values as Uint32Array)[row * limbs + limb] ?? 0);
  }
  return BigInt.asIntN(bitWidth, value);
}

/** Bytes of a text or binary value. */
export function bytesAt(data: Data, row: number): Uint8Array {
  const offsets = data.valueOffsets as Int32Array;
  return (data.values as Uint8Array).subarray(offsets[row] as number, offsets[row + 1] as number);
}

/** Reads one value after another; a row without a value is null. */
export function rawReader(type: ColumnType, data: Data): (row: number) => Raw {
  const present = (read: (row: number) => Raw) =>
    data.nullCount === 0 ? read : (row: number) => (isValid(data, row) ? read(row) : null);
  switch (type.kind) {
    case "null":
      return () => null;
    case "text":
      return present((row) => decoder.decode(bytesAt(data, row)));
    case "binary":
      return present((row) => Buffer.from(bytesAt(data, row)).toString("base64"));
    case "bool": {
      const bits = data.values as Uint8Array;
      return present((row) => (((bits[row >> 3] as number) >> (row & 7)) & 1) === 1);
    }
    case "decimal":
      return present((row) => decimalAt(data, row));
    case "float":
    case "integer":
    case "timestamp":
    case "date":
    case "time": {
      const values = data.values as Float64Array;
      return present((row) => values[row] as number);
    }
  }
}

/** The shortest decimal number that rounds to the same float32. */
export function shortestFloat32(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) {
      return short;
    }
  }
  return Number(value.toPrecision(9));
}

/** Exact text of an unscaled integer with `scale` digits after the point. */
export function decimalText(unscaled: bigint, scale: number): string {
  const negative = unscaled < 0n;
  const digits = (negative ? -unscaled : unscaled).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const text = scale === 0 ? whole : `${whole}.${digits.slice(digits.length - scale)}`;
  return negative ? `-${text}` : text;
}

const isUnsafe = (value: Raw): boolean =>
  typeof value === "bigint" && !Number.isSafeInteger(Number(value));

/** Whether the integers of an answer have to come as text. */
export function needsText(type: ColumnType, raws: readonly Raw[]): boolean {
  return type.kind === "integer" && raws.some(isUnsafe);
}

/** One JSON-ready cell; undefined where the value is there but cannot be written (a year beyond 9999). */
export function toCell(type: ColumnType, raw: Raw, integersAsText: boolean): Cell | undefined {
  if (raw === null) {
    return null;
  }
  switch (type.kind) {
    case "float": {
      const value = Number(raw);
      const written = type.dtype === "float32" ? shortestFloat32(value) : value;
      return Number.isFinite(value) ? written : null;
    }
    case "integer":
      return integersAsText ? String(raw) : Number(raw);
    case "timestamp":
      return raw === OUT_OF_RANGE && type.dtype.startsWith("datetime64[ns")
        ? undefined
        : timestampText(BigInt(raw), type.perSecond ?? 1n, type.utc === true);
    case "date":
      return dateText(Number(raw));
    case "time":
      return timeText(BigInt(raw), type.perSecond ?? 1n);
    case "decimal":
      return decimalText(BigInt(raw), type.scale ?? 0);
    case "bool":
    case "text":
    case "binary":
    case "null":
      return raw as Cell;
  }
}

export interface Cells {
  readonly values: Cell[];
  /** NaN and infinities, which are null among the values. */
  readonly nonFinite: number;
  /** Values that could not be written and are null. */
  readonly unwritable: number;
}

/** Cells of a column of one answer. */
export function toCells(type: ColumnType, raws: readonly Raw[]): Cells {
  const integersAsText = needsText(type, raws);
  let nonFinite = 0;
  let unwritable = 0;
  const values = raws.map((raw) => {
    const cell = toCell(type, raw, integersAsText);
    nonFinite += type.kind === "float" && raw !== null && cell === null ? 1 : 0;
    unwritable += cell === undefined ? 1 : 0;
    return cell ?? null;
  });
  return { values, nonFinite, unwritable };
}
