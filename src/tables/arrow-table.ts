/**
 * Arrow IPC, file or stream, as a table.
 *
 * Accepts all types; lists, structs, maps, unions and intervals become JSON text, dictionaries their values. Buffers may be
 * compressed with LZ4 or zstd. Costs a copy of every column. Refuses buffers that do not hold what the metadata says.
 */
import { createContext, runInContext } from "node:vm";
import {
  CompressionType,
  compressionRegistry,
  type Data,
  DataType,
  DateDay,
  makeData,
  type Table,
  tableFromIPC,
  type Vector,
} from "apache-arrow";
import { toPlainJson } from "../json.ts";
import { type ArrowPlan, planOf } from "./arrow-type.ts";
import { isValid } from "./cells.ts";
import { zstdFrame } from "./codecs.ts";
import { packBits } from "./column-builder.ts";
import { damaged, parsing, tooLarge } from "./damaged.ts";
import { lz4Frame } from "./lz4-frame.ts";
import { type MemoryColumn, MemoryTable } from "./memory-table.ts";
import { textData } from "./text-data.ts";

compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: lz4Frame });
compressionRegistry.set(CompressionType.ZSTD, { decode: zstdFrame });

interface Validity {
  readonly nullCount: number;
  readonly nullBitmap?: Uint8Array;
}

function validityOf(chunks: readonly Data[], length: number): Validity {
  if (chunks.every((chunk) => chunk.nullCount === 0)) {
    return { nullCount: 0 };
  }
  const valid = new Uint8Array(length);
  let row = 0;
  let nullCount = 0;
  for (const chunk of chunks) {
    for (let index = 0; index < chunk.length; index += 1) {
      const bit = isValid(chunk, chunk.offset + index) ? 1 : 0;
      valid[row] = bit;
      nullCount += 1 - bit;
      row += 1;
    }
  }
  return { nullCount, nullBitmap: packBits(valid) };
}

/** Bytes of variable or fixed length one after another, with 32-bit offsets. */
function joinBytes(chunks: readonly Data[], length: number, width: number | undefined) {
  const valueOffsets = new Int32Array(length + 1);
  const pieces: Uint8Array[] = [];
  let row = 0;
  let end = 0;
  for (const chunk of chunks) {
    const offsets = chunk.valueOffsets as Int32Array | BigInt64Array | undefined;
    const values = chunk.values as Uint8Array;
    for (let index = 0; index < chunk.length; index += 1) {
      const start = width === undefined ? Number(offsets?.[index]) : index * width;
      const stop = width === undefined ? Number(offsets?.[index + 1]) : start + width;
      if (!(start >= 0 && start <= stop && stop <= values.length)) {
        throw damaged("a text lies outside its column");
      }
      pieces.push(values.subarray(start, stop));
      end += stop - start;
      row += 1;
      valueOffsets[row] = end;
    }
  }
  return { valueOffsets, data: new Uint8Array(Buffer.concat(pieces, end)) };
}

type Numbers = Float64Array | BigInt64Array | Int32Array | Uint32Array;

/** @param perRow numbers of one value */
function joinNumbers(chunks: readonly Data[], length: number, perRow: number): { data: Numbers } {
  const [first] = chunks as readonly [Data, ...Data[]];
  const Kind = (first.values as Numbers).constructor as new (size: number) => Float64Array;
  const data = new Kind(length * perRow);
  let at = 0;
  for (const chunk of chunks) {
    const values = (chunk.values as Float64Array).subarray(0, chunk.length * perRow);
    data.set(values, at);
    at += values.length;
  }
  return { data };
}

function joinBits(chunks: readonly Data[], length: number): { data: Uint8Array } {
  const bits = new Uint8Array(length);
  let row = 0;
  for (const chunk of chunks) {
    const values = chunk.values as Uint8Array;
    for (let index = 0; index < chunk.length; index += 1) {
      const place = chunk.offset + index;
      bits[row] = ((values[place >> 3] ?? 0) >> (place & 7)) & 1;
      row += 1;
    }
  }
  return { data: packBits(bits) };
}

/** A nested value as JSON has it. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "bigint") {
      return Number.isSafeInteger(Number(inner)) ? Number(inner) : toPlainJson(inner);
    }
    if (inner instanceof Uint8Array) {
      return Buffer.from(inner).toString("base64");
    }
    return ArrayBuffer.isView(inner) ? Array.from(inner as Float64Array) : inner;
  });
}

function textsOf(vector: Vector, isText: boolean): (string | null)[] {
  return Array.from({ length: vector.length }, (_, row) => {
    const value: unknown = vector.get(row);
    if (value === null || value === undefined) {
      return null;
    }
    return isText && typeof value === "string" ? value : jsonText(value);
  });
}

function storeOf(plan: ArrowPlan, chunks: readonly Data[], length: number): object {
  switch (plan.store) {
    case "bytes":
      return joinBytes(chunks, length, plan.width);
    case "bits":
      return joinBits(chunks, length);
    default:
      return joinNumbers(chunks, length, plan.width ?? 1);
  }
}

/** Days of dates that are kept as milliseconds; doubles of half floats. */
function converted(plan: ArrowPlan, vector: Vector, chunks: readonly Data[]): object | undefined {
  if (DataType.isDate(vector.type) && !(vector.type instanceof DateDay) && plan.store === "days") {
    const { data } = joinNumbers(chunks, vector.length, 1);
    return {
      data: Int32Array.from({ length: data.length }, (_, row) =>
        Math.floor(Number(data[row]) / 86_400_000),
      ),
    };
  }
  if (plan.store === "halves") {
    return {
      data: Float64Array.from({ length: vector.length }, (_, row) => Number(vector.get(row))),
    };
  }
  return undefined;
}

/** Most rows, and most values that are taken over one by one. */
const MAX_ROWS = 100_000_000;
const MAX_SINGLE_VALUES = 5_000_000;

/** Whether a chunk holds the rows that its metadata promises, before room is made for them. */
function checkChunk({ store, width = 1 }: ArrowPlan, chunk: Data): void {
  const { length, nullBitmap, nullCount } = chunk;
  const values = (chunk.values as ArrayLike<unknown> | undefined)?.length ?? 0;
  const offsets = (chunk.valueOffsets as ArrayLike<unknown> | undefined)?.length;
  const bitmap = (nullBitmap as Uint8Array | undefined)?.length ?? 0;
  const holds = {
    numbers: values >= length * width,
    days: values >= length,
    halves: values >= length,
    bits: values * 8 >= length,
    bytes: offsets === undefined ? values >= length * width : offsets > length,
    texts: true,
    json: true,
  }[store];
  if (!holds || (nullCount > 0 && bitmap * 8 < length)) {
    throw damaged("a column is shorter than its table");
  }
}

function columnOf(name: string, vector: Vector): MemoryColumn {
  const plan = planOf(vector.type);
  const { type } = plan;
  const { length } = vector;
  if (type.kind === "null") {
    return { name, type, data: makeData({ type: type.arrow, length } as never) };
  }
  for (const chunk of vector.data) {
    checkChunk(plan, chunk);
  }
  if (plan.store === "json" || plan.store === "texts") {
    if (length > MAX_SINGLE_VALUES) {
      throw tooLarge(
        `The column ${JSON.stringify(name)} has ${length} values that are read one by one; ${MAX_SINGLE_VALUES} are the most`,
        "Ask the service for a part of it, or for Parquet",
      );
    }
    return { name, type, data: textData(textsOf(vector, plan.store === "texts")) };
  }
  // A table without batches has no chunk that would show how its values are kept.
  const chunks = vector.data.filter((chunk) => chunk.length > 0);
  const empty = chunks.length === 0;
  const store = empty ? {} : (converted(plan, vector, chunks) ?? storeOf(plan, chunks, length));
  const data = makeData({
    type: type.arrow,
    length,
    ...validityOf(chunks, length),
    ...store,
  } as never);
  return { name, type, data };
}

/** A file, unlike a stream, begins and ends with it. */
const MAGIC = "ARROW1";

/** Longest that an honest file of 64 MiB takes, many times over [ms]. */
const PARSE_MS = 5_000;

/** The library believes every count that a damaged file states, and would loop over four billion of them. */
function parseIpc(bytes: Uint8Array): Table {
  const context = createContext({ parse: () => tableFromIPC(bytes) });
  return runInContext("parse()", context, { timeout: PARSE_MS }) as Table;
}

/** Reads an Arrow file or stream. @throws ToolError UNREADABLE_ANSWER */
export function arrowTable(version: string, bytes: Uint8Array): MemoryTable {
  const start = Buffer.from(bytes.subarray(0, 6)).toString("latin1");
  if (start === MAGIC && Buffer.from(bytes.subarray(-6)).toString("latin1") !== MAGIC) {
    throw damaged(`it breaks off after ${bytes.length} bytes`);
  }
  const table = parsing("it is not a whole Arrow file or stream", () => parseIpc(bytes));
  if (table.schema.fields.length === 0 && bytes.length < 16) {
    throw damaged("it is not an Arrow file or stream");
  }
  if (table.numRows > MAX_ROWS) {
    throw damaged(`it states ${table.numRows} rows`);
  }
  const seen = new Set<string>();
  const columns = table.schema.fields.map(({ name }, index) => {
    let distinct = name;
    for (let copy = 1; seen.has(distinct); copy += 1) {
      distinct = `${name}.${copy}`;
    }
    seen.add(distinct);
    const vector = table.getChildAt(index) as Vector;
    return parsing(`its column ${JSON.stringify(name)} cannot be read`, () =>
      columnOf(distinct, vector),
    );
  });
  return new MemoryTable(version, columns);
}
