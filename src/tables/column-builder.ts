/** Collects pages of one column into one Arrow `Data`. */
import { type Data, makeData } from "apache-arrow";
import type { ColumnType } from "./column-type.ts";
import { damaged } from "./damaged.ts";
import type { Leaf } from "./parquet-file.ts";
import type { Physical, Slices } from "./physical.ts";
import { bigEndian, halfFloat, textForm, writeLimbs } from "./stored-values.ts";
import { TextStore } from "./text-store.ts";

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
