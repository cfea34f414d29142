/**
 * The type of a column of texts, as pandas' `read_csv` gives it, but exactly: integers beyond 2^53 stay integers, floats are
 * the nearest double, and what is written with leading zeros stays text.
 */
import { makeData } from "apache-arrow";
import { packBits } from "./column-builder.ts";
import { BOOL, type ColumnType, FLOAT64, INT64, NULL, TEXT, UINT64 } from "./column-type.ts";
import type { GrowingText } from "./growing-text.ts";
import type { MemoryColumn } from "./memory-table.ts";
import {
  FLOAT,
  INTEGER,
  kindOfNumber,
  NOT_NUMBER,
  SPECIAL,
  shortNumber,
  ZERO_LED,
} from "./number-text.ts";

/** What pandas takes for a missing value, the empty field first. */
export const PANDAS_MISSING: readonly string[] = [
  ...["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"],
  ...["<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"],
];

const TRUE = new Set(["true", "True", "TRUE"]);
const FALSE = new Set(["false", "False", "FALSE"]);

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Texts of a column with those that stand for a missing value marked. */
interface Marked {
  readonly text: GrowingText;
  /** The texts' bytes. */
  readonly view: Buffer;
  /** `(rows,)`, 1 where there is a value. */
  readonly valid: Uint8Array;
  readonly nulls: number;
}

/** Text of a row, a character a byte: numbers and codes are compared so. */
const textAt = ({ offsets }: GrowingText, view: Buffer, row: number): string =>
  view.toString("latin1", offsets[row], offsets[row + 1]);

/** Missing-value codes by their first byte. */
function codesByStart(missing: readonly string[]): (readonly Buffer[] | undefined)[] {
  const byStart: Buffer[][] = [];
  for (const code of missing) {
    const bytes = Buffer.from(code);
    const [first] = bytes;
    if (first !== undefined) {
      byStart[first] = [...(byStart[first] ?? []), bytes];
    }
  }
  return byStart;
}

function isAt(code: Buffer, bytes: Uint8Array, start: number, length: number): boolean {
  if (code.length !== length) {
    return false;
  }
  for (let index = 0; index < length; index += 1) {
    if (code[index] !== bytes[start + index]) {
      return false;
    }
  }
  return true;
}

function mark(text: GrowingText, missing: readonly string[]): Marked {
  const codes = codesByStart(missing);
  const emptyIsMissing = missing.includes("");
  const valid = new Uint8Array(text.rows).fill(1);
  const { bytes, offsets } = text;
  let nulls = 0;
  for (let row = 0; row < text.rows; row += 1) {
    const start = offsets[row] as number;
    const length = (offsets[row + 1] as number) - start;
    const isMissing =
      length === 0
        ? emptyIsMissing
        : codes[bytes[start] as number]?.some((code) => isAt(code, bytes, start, length)) === true;
    if (isMissing) {
      valid[row] = 0;
      nulls += 1;
    }
  }
  for (const row of text.absent) {
    nulls += valid[row] ?? 0;
    valid[row] = 0;
  }
  return { text, view: Buffer.from(bytes.buffer), valid, nulls };
}

/** Kinds of number that occur, one bit each. */
function kindsOf({ text, valid }: Marked): number {
  const { bytes, offsets } = text;
  let kinds = 0;
  for (let row = 0; row < text.rows; row += 1) {
    if (valid[row] === 1) {
      const kind = kindOfNumber(bytes, offsets[row] as number, offsets[row + 1] as number);
      kinds |= 1 << kind;
      if (kind === NOT_NUMBER || kind === ZERO_LED) {
        break;
      }
    }
  }
  return kinds;
}

function eachValue(
  { text, view, valid }: Marked,
  take: (row: number, value: string) => void,
): void {
  for (let row = 0; row < text.rows; row += 1) {
    if (valid[row] === 1) {
      take(row, textAt(text, view, row));
    }
  }
}

function isBoolean(marked: Marked): boolean {
  const { text, view, valid } = marked;
  for (let row = 0; row < text.rows; row += 1) {
    if (valid[row] === 1) {
      const value = textAt(text, view, row);
      if (!TRUE.has(value) && !FALSE.has(value)) {
        return false;
      }
    }
  }
  return true;
}

function typeOfIntegers(marked: Marked): ColumnType {
  let low = 0n;
  let high = 0n;
  let isLarge = false;
  eachNumber(marked, (_, short, value) => {
    if (short === undefined && !Number.isSafeInteger(Number(value()))) {
      isLarge = true;
      const exact = exactInteger(value());
      low = exact < low ? exact : low;
      high = exact > high ? exact : high;
    }
  });
  if (!isLarge) {
    return marked.nulls > 0 ? FLOAT64 : INT64;
  }
  if (high <= MAX_INT64 && low >= -MAX_INT64 - 1n) {
    return INT64;
  }
  const isNegative = low < 0n || hasMinus(marked);
  return isNegative || high > MAX_UINT64 ? TEXT : UINT64;
}

const exactInteger = (text: string): bigint => BigInt(text.trim().replace(/^\+/, ""));

/** Each value as a number where it is a short one; its text is made only where somebody asks for it. */
function eachNumber(
  { text, view, valid }: Marked,
  take: (row: number, short: number | undefined, value: () => string) => void,
): void {
  const { bytes, offsets } = text;
  let row = 0;
  const value = (): string => textAt(text, view, row);
  for (; row < text.rows; row += 1) {
    if (valid[row] === 1) {
      take(row, shortNumber(bytes, offsets[row] as number, offsets[row + 1] as number), value);
    }
  }
}

function hasMinus(marked: Marked): boolean {
  let found = false;
  eachValue(marked, (_, value) => {
    found ||= value.includes("-");
  });
  return found;
}

const ONE = 1 << INTEGER;
const NUMBERS = ONE | (1 << FLOAT) | (1 << SPECIAL);

function typeOf(marked: Marked): ColumnType {
  if (marked.text.rows === 0) {
    return NULL;
  }
  const kinds = kindsOf(marked);
  if ((kinds & ~NUMBERS) === 0) {
    // No value at all is float64 to pandas.
    return kinds === ONE ? typeOfIntegers(marked) : FLOAT64;
  }
  return (kinds & NUMBERS) === 0 && isBoolean(marked) ? BOOL : TEXT;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!Number.isNaN(value)) {
    return value;
  }
  return /inf/i.test(text)
    ? (text.trim().startsWith("-") ? -1 : 1) * Number.POSITIVE_INFINITY
    : value;
}

function storeOf(type: ColumnType, marked: Marked): object {
  const { rows, bytes, offsets } = marked.text;
  switch (type) {
    case TEXT:
      return {
        valueOffsets: offsets.slice(0, rows + 1),
        data: bytes.slice(0, offsets[rows] as number),
      };
    case NULL:
      return {};
    case BOOL: {
      const bits = new Uint8Array(rows);
      eachValue(marked, (row, value) => {
        bits[row] = TRUE.has(value) ? 1 : 0;
      });
      return { data: packBits(bits) };
    }
    case FLOAT64: {
      const data = new Float64Array(rows);
      eachNumber(marked, (row, short, value) => {
        data[row] = short ?? numberOf(value());
      });
      return { data };
    }
    default: {
      const data = type === UINT64 ? new BigUint64Array(rows) : new BigInt64Array(rows);
      eachNumber(marked, (row, short, value) => {
        data[row] = short === undefined ? exactInteger(value()) : BigInt(short);
      });
      return { data };
    }
  }
}

/**
 * A column of texts (UTF-8) with the type that they have.
 * @param missing texts that stand for a missing value
 */
export function inferColumn(
  name: string,
  text: GrowingText,
  missing: readonly string[],
): MemoryColumn {
  const marked = mark(text, missing);
  const type = typeOf(marked);
  const data = makeData({
    type: type.arrow,
    length: text.rows,
    nullCount: marked.nulls,
    ...(marked.nulls === 0 ? {} : { nullBitmap: packBits(marked.valid) }),
    ...storeOf(type, marked),
  } as never);
  return { name, type, data };
}
