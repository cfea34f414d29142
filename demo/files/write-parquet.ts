/**
 * Parquet files as the Polars writer makes them: zstd, row groups of 125,000 rows, statistics, page index. Pages are
 * smaller than Polars' (15,625 rows), so that a reader that asks for pages moves little.
 */
import { writeFileSync } from "node:fs";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { ByteWriter, fileWriter, ParquetWriter } from "hyparquet-writer";
import { type Chunk, type Column, ROW_GROUP_ROWS } from "./rows.ts";
import { STEP_COLUMNS, type StepRow } from "./steps.ts";

const PAGE_ROWS = 15_625;
/** The writer starts a new page when the next value would reach this: one value more than a page holds. */
const PAGE_BYTES = 8 * (PAGE_ROWS + 1);
const LEVEL = 3;

/** Tells every reader what the numbers are worth. */
const KEY_VALUES = [
  { key: "origin", value: "synthetic: equivalent-circuit simulation, no real cell" },
];

/** The writer's own type: it pins another version of hyparquet. */
type Schema = ConstructorParameters<typeof ParquetWriter>[0]["schema"];

export type Compress = (bytes: Uint8Array) => Uint8Array;

/** The part of the compressor that is mended; its class does not show it. */
interface Heap {
  heapView(at: unknown): Uint8Array;
  heapToUint8Array(at: unknown): Uint8Array;
}

/** Loads the compressor. */
export async function loadZstd(): Promise<Compress> {
  const zstd = await Zstd.load();
  // The package (1.12.5) copies results element by element, which took a fifth of the time to make a file.
  const heap = (zstd as unknown as { _mainModule?: Heap })._mainModule;
  if (typeof heap?.heapView === "function") {
    heap.heapToUint8Array = (at) => heap.heapView(at).slice();
  }
  return (bytes) => zstd.compress(bytes, LEVEL);
}

const PHYSICAL = {
  float64: { type: "DOUBLE" },
  int64: { type: "INT64" },
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
} as const;

function schemaOf(columns: readonly { name: string; type: keyof typeof PHYSICAL }[]): Schema {
  return [
    { name: "root", num_children: columns.length },
    ...columns.map(({ name, type }): Schema[number] => ({
      name,
      repetition_type: "OPTIONAL",
      ...PHYSICAL[type],
    })),
  ];
}

/** A time series file that grows row group by row group. */
export class SeriesFile {
  readonly #writer: ParquetWriter;

  constructor(path: string, columns: readonly Column[], compress: Compress) {
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaOf(columns),
      codec: "ZSTD",
      compressors: { ZSTD: compress },
      kvMetadata: KEY_VALUES,
    });
  }

  /** Writes one row group. */
  add(chunk: Chunk): void {
    void this.#writer.write({
      columnData: chunk.columns.map(({ name, type }, c) => {
        const values = (chunk.values[c] as Float64Array).subarray(0, chunk.rows);
        return type === "int64"
          ? // Runs of equal integers: deltas take as few bytes as a dictionary and half its time.
            { name, data: bigints(values), encoding: "DELTA_BINARY_PACKED", columnIndex: true }
          : { name, data: values, encoding: "PLAIN", columnIndex: true };
      }),
      rowGroupSize: ROW_GROUP_ROWS,
      pageSize: PAGE_BYTES,
    });
  }

  finish(): void {
    void this.#writer.finish();
  }
}

function bigints(values: Float64Array): BigInt64Array {
  const result = new BigInt64Array(values.length);
  for (let i = 0; i < values.length; i += 1) {
    result[i] = BigInt(values[i] as number);
  }
  return result;
}

/** Writes a step table. */
export function writeSteps(path: string, rows: readonly StepRow[], compress: Compress): void {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: schemaOf(STEP_COLUMNS),
    codec: "ZSTD",
    compressors: { ZSTD: compress },
    kvMetadata: KEY_VALUES,
  });
  void parquet.write({
    columnData: STEP_COLUMNS.map(({ name, type }) => ({
      name,
      data: rows.map((row) => {
        const value = row[name] ?? null;
        return type === "int64" && typeof value === "number" ? BigInt(value) : value;
      }),
      columnIndex: true,
    })),
    rowGroupSize: ROW_GROUP_ROWS,
    pageSize: PAGE_BYTES,
  });
  void parquet.finish();
  writeFileSync(path, writer.getBytes());
}
