/** Collects pages of one column into one Arrow `Data`. */
import { type Data, makeData } from "apache-arrow";
import type { ColumnType } from "./column-type.ts";
import { damaged, tooLarge } from "./damaged.ts";
import type { Leaf } from "./parquet-file.ts";
import type { Physical, Slices } from "./physical.ts";

/** Most bytes of text that one stretch of a column may have [bytes]. */
const MAX_TEXT_BYTES = 128 * 1024 * 1024;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function uuidText(bytes: Uint8Array): string {
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Months, days and milliseconds as an ISO 8601 duration. */
function intervalText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months, days, milliseconds] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return `P${months}M${days}DT${(milliseconds ?? 0) / 1000}S`;
}

/** Text of values that are stored as something else, by the stored length it needs [bytes]. */
function textForm(leaf: Leaf): { length: number; text(bytes: Uint8Array): string } | undefined {
  if (leaf.type.kind !== "text" || leaf.element.type !== "FIXED_LEN_BYTE_ARRAY") {
    return undefined;
  }
  if (leaf.element.logical_type?.type === "UUID") {
    return { length: 16, text: uuidText };
  }
  return leaf.element.converted_type === "INTERVAL"
    ? { length: 12, text: intervalText }
    : undefined;
}

/** Two's complement big-endian bytes. */
function bigEndian(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`));
}

function halfFloat(bytes: Uint8Array): number {
  const bits = ((bytes[1] ?? 0) << 8) | (bytes[0] ?? 0);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) {
    return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  }
  return exponent === 0
    ? (sign * fraction) / 2 ** 24
    : sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

/** Writes an integer as little-endian 32-bit limbs. */
function writeLimbs(out: Uint32Array, at: number, limbs: number, value: bigint): void {
  const unsigned = BigInt.asUintN(limbs * 32, value);
  if (BigInt.asIntN(limbs * 32, unsigned) !== value) {
    throw damaged("a decimal does not fit its type");
  }
  for (let limb = 0; limb < limbs; limb += 1) {
    out[at + limb] = Number((unsigned >> BigInt(32 * limb)) & 0xffff_ffffn);
  }
}

/** Bytes of values one after another, with `(n + 1,)` offsets. */
class TextStore {
  readonly #offsets: Int32Array;
  #bytes: Uint8Array;
  #used = 0;

  constructor(rows: number) {
    this.#offsets = new Int32Array(rows + 1);
    this.#bytes = new Uint8Array(Math.max(64, rows * 8));
  }

  #grow(needed: number): void {
    if (needed > MAX_TEXT_BYTES) {
      throw tooLarge(
        `A column of text needs more than ${MAX_TEXT_BYTES} bytes`,
        "Ask for fewer rows, or leave this column out with columns=[...]",
      );
    }
    const grown = new Uint8Array(
      Math.min(MAX_TEXT_BYTES, Math.max(needed, this.#bytes.length * 2)),
    );
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }

  put(row: number, source: Uint8Array, start: number, end: number): void {
    const used = this.#used + end - start;
    if (used > this.#bytes.length) {
      this.#grow(used);
    }
    if (end - start < 24) {
      for (let index = start; index < end; index += 1) {
        this.#bytes[this.#used + index - start] = source[index] as number;
      }
    } else {
      this.#bytes.set(source.subarray(start, end), this.#used);
    }
    this.#used = used;
    this.#offsets[row + 1] = used;
  }

  /** A row without a value ends where the one before it ends. */
  skip(row: number): void {
    this.#offsets[row + 1] = this.#used;
  }

  finish(): { valueOffsets: Int32Array; data: Uint8Array } {
    return { valueOffsets: this.#offsets, data: this.#bytes.subarray(0, this.#used) };
  }
}

type Store = Float64Array | Float32Array | Int32Array | Uint8Array | Uint32Array | BigInt64Array;

function makeStore(leaf: Leaf, rows: number): Store | TextStore | undefined {
  const { type, element } = leaf;
  switch (type.kind) {
    case "null":
      return undefined;
    case "text":
    case "binary":
      return new TextStore(rows);
    case "decimal":
      return new Uint32Array(rows * limbsOf(type));
    case "bool":
      return new Uint8Array(rows);
    case "float":
      return element.type === "FLOAT" ? new Float32Array(rows) : new Float64Array(rows);
    case "integer":
    case "timestamp":
    case "date":
    case "time":
      return element.type === "INT32" ? new Int32Array(rows) : new BigInt64Array(rows);
  }
}

const limbsOf = (type: ColumnType): number =>
  (type.arrow as unknown as { bitWidth: number }).bitWidth / 32;

export class ColumnBuilder {
  readonly #leaf: Leaf;
  readonly #rows: number;
  readonly #store: Store | TextStore | undefined;
  /** Validity bits, made at the first null. */
  #bitmap: Uint8Array | undefined;
  #nulls = 0;
  #at = 0;

  constructor(leaf: Leaf, rows: number) {
    this.#leaf = leaf;
    this.#rows = rows;
    this.#store = makeStore(leaf, rows);
  }

  /** Appends a page's values. `valid`: `(rows,)`, 1 where a row has a value; undefined where all have one. */
  append(values: Physical, valid: Uint8Array | undefined, rows: number): void {
    if (valid !== undefined) {
      this.#markNulls(valid);
    }
    if (this.#store === undefined) {
      this.#at += rows;
      return;
    }
    if (values.form === "slices") {
      this.#appendSlices(values.values, valid, rows);
    } else if (this.#store instanceof Uint32Array) {
      this.#each(valid, rows, (row, index) =>
        this.#putLimbs(row, BigInt(values.values[index] ?? 0)),
      );
    } else if (valid === undefined) {
      (this.#store as Float64Array).set(values.values as Float64Array, this.#at);
    } else {
      const store = this.#store as Float64Array;
      const source = values.values as Float64Array;
      this.#each(valid, rows, (row, index) => {
        store[row] = source[index] as number;
      });
    }
    this.#at += rows;
  }

  #putLimbs(row: number, value: bigint): void {
    const limbs = limbsOf(this.#leaf.type);
    writeLimbs(this.#store as Uint32Array, row * limbs, limbs, value);
  }

  #each(
    valid: Uint8Array | undefined,
    rows: number,
    put: (row: number, index: number) => void,
  ): void {
    let index = 0;
    for (let row = 0; row < rows; row += 1) {
      if (valid === undefined || valid[row] === 1) {
        put(this.#at + row, index);
        index += 1;
      }
    }
  }

  #markNulls(valid: Uint8Array): void {
    if (this.#bitmap === undefined) {
      this.#bitmap = new Uint8Array((this.#rows + 7) >> 3).fill(0xff);
    }
    for (let row = 0; row < valid.length; row += 1) {
      if (valid[row] !== 1) {
        const at = this.#at + row;
        this.#bitmap[at >> 3] = (this.#bitmap[at >> 3] as number) & ~(1 << (at & 7));
        this.#nulls += 1;
      }
    }
  }

  #appendSlices(slices: Slices, valid: Uint8Array | undefined, rows: number): void {
    const { bytes, starts, ends } = slices;
    const store = this.#store;
    const valueAt = (index: number): Uint8Array =>
      bytes.subarray(starts[index] as number, ends[index] as number);
    if (store instanceof Float64Array) {
      this.#each(valid, rows, (row, index) => {
        store[row] = halfFloat(valueAt(index));
      });
    } else if (store instanceof Uint32Array) {
      this.#each(valid, rows, (row, index) => this.#putLimbs(row, bigEndian(valueAt(index))));
    } else if (store instanceof TextStore) {
      this.#appendText(store, slices, valid, rows);
    }
  }

  #appendText(store: TextStore, slices: Slices, valid: Uint8Array | undefined, rows: number): void {
    const { bytes, starts, ends } = slices;
    const form = textForm(this.#leaf);
    let index = 0;
    for (let row = 0; row < rows; row += 1) {
      const at = this.#at + row;
      if (valid !== undefined && valid[row] !== 1) {
        store.skip(at);
        continue;
      }
      const start = starts[index] as number;
      const end = ends[index] as number;
      if (form !== undefined && end - start === form.length) {
        const text = Buffer.from(form.text(bytes.subarray(start, end)));
        store.put(at, text, 0, text.length);
      } else {
        store.put(at, bytes, start, end);
      }
      index += 1;
    }
  }

  /** Whether every row has come, and the Arrow column of them. */
  finish(): Data {
    if (this.#at !== this.#rows) {
      throw damaged(`a column has ${this.#at} of ${this.#rows} rows`);
    }
    const { arrow, kind } = this.#leaf.type;
    const common = {
      type: arrow,
      length: this.#rows,
      nullCount: this.#nulls,
      ...(this.#bitmap === undefined ? {} : { nullBitmap: this.#bitmap }),
    };
    const store = this.#store;
    if (store === undefined) {
      return makeData({ type: arrow, length: this.#rows } as never);
    }
    if (store instanceof TextStore) {
      return makeData({ ...common, ...store.finish() } as never);
    }
    return makeData({
      ...common,
      data: kind === "bool" ? packBits(store as Uint8Array) : asStored(store, arrow),
    } as never);
  }
}

/** One bit a value, lowest first, as Arrow keeps booleans. */
export function packBits(values: ArrayLike<number>): Uint8Array {
  const bits = new Uint8Array((values.length + 7) >> 3);
  for (let index = 0; index < values.length; index += 1) {
    if (values[index] === 1) {
      bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
    }
  }
  return bits;
}

type IntegerArray = new (values: ArrayLike<number>) => Int8Array;

/** Stored 32 or 64-bit integers in the width and sign of the column's type. */
function asStored(store: Store, arrow: ColumnType["arrow"]): unknown {
  const Wanted = (arrow as unknown as { ArrayType: IntegerArray }).ArrayType;
  if (store instanceof Wanted) {
    return store;
  }
  if (store instanceof BigInt64Array) {
    return new BigUint64Array(store.buffer, store.byteOffset, store.length);
  }
  return new Wanted(store as Int32Array);
}
