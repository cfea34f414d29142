/**
 * What statistics rule out. They are believed only where they say something sure: NaN, cut text, decimals and the old
 * unsigned or text fields count as unknown, and nothing is skipped on their account.
 */
import type { ByteRange } from "../byte-source.ts";
import { type Filter, rangeMayHold } from "./filter.ts";
import { pageTableKey, parsePageBounds, parsePageIndex, rememberPages } from "./page-index.ts";
import type { Bounds, Chunk, Group, Leaf, PageTable, ParquetFile } from "./parquet-file.ts";
import type { RemoteSource } from "./remote-source.ts";
import type { Part } from "./table.ts";

export interface PrunableFilter {
  readonly filter: Filter;
  readonly leaf: Leaf;
  readonly chunk: Chunk;
}

/** A bound of a number-like column, or undefined where it cannot be used. */
function usable(leaf: Leaf, bound: unknown): number | bigint | undefined {
  const { kind } = leaf.type;
  if (kind === "decimal" || leaf.element.type === "INT96" || kind === "text" || kind === "binary") {
    return undefined;
  }
  if (typeof bound === "boolean") {
    return bound ? 1 : 0;
  }
  const plain = typeof bound === "bigint" || typeof bound === "number";
  return plain && !Number.isNaN(bound) ? bound : undefined;
}

const isSigned = (leaf: Leaf): boolean => !leaf.type.dtype.startsWith("uint");

function chunkBounds({ leaf, chunk }: PrunableFilter): Bounds {
  const statistics = chunk.stored.meta_data?.statistics;
  const nulls = statistics?.null_count === undefined ? undefined : Number(statistics.null_count);
  const old = isSigned(leaf) ? statistics : undefined;
  return {
    min: statistics?.min_value ?? old?.min,
    max: statistics?.max_value ?? old?.max,
    nulls,
    allNull: nulls !== undefined && nulls === Number(chunk.stored.meta_data?.num_values),
  };
}

/** Text of a whole row group: only bounds that are said to be whole, or not said to be cut. */
function textBounds({ chunk }: PrunableFilter): { min: Uint8Array; max: Uint8Array } | undefined {
  const statistics = chunk.stored.meta_data?.statistics;
  const min: unknown = statistics?.min_value;
  const max: unknown = statistics?.max_value;
  const cut = statistics?.is_min_value_exact === false || statistics?.is_max_value_exact === false;
  return min instanceof Uint8Array && max instanceof Uint8Array && !cut ? { min, max } : undefined;
}

function boundsMayHold(filter: Filter, leaf: Leaf, bounds: Bounds): boolean {
  if (filter.op === "is_null") {
    return bounds.nulls !== 0 || leaf.type.kind === "float";
  }
  if (bounds.allNull) {
    return false;
  }
  const min = usable(leaf, bounds.min);
  const max = usable(leaf, bounds.max);
  return min === undefined || max === undefined || rangeMayHold(filter, min, max);
}

/** Whether any row of a chunk can match. */
export function mayHold(filter: Filter, leaf: Leaf, chunk: Chunk): boolean {
  const entry = { filter, leaf, chunk };
  if (leaf.type.kind === "text" && leaf.element.type === "BYTE_ARRAY" && filter.op !== "is_null") {
    const bounds = textBounds(entry);
    return bounds === undefined || rangeMayHold(filter, bounds.min, bounds.max);
  }
  return boundsMayHold(filter, leaf, chunkBounds(entry));
}

/** Reads the page indexes that are not known yet, all at once. */
async function readIndexes(
  group: Group,
  filters: readonly PrunableFilter[],
  file: ParquetFile,
  source: RemoteSource,
): Promise<void> {
  const ranges: ByteRange[] = [];
  const parsed: ((bytes: Uint8Array) => void)[] = [];
  for (const { leaf, chunk } of filters) {
    const { offsetIndex, columnIndex } = chunk;
    const key = pageTableKey(group, leaf);
    let table = file.pageTables.get(key);
    if (offsetIndex === undefined || columnIndex === undefined || table?.bounds !== undefined) {
      continue;
    }
    if (table === undefined) {
      ranges.push(offsetIndex);
      parsed.push((bytes) => {
        table = parsePageIndex(chunk, group.rows, bytes);
        rememberPages(file, key, table);
      });
    }
    ranges.push(columnIndex);
    parsed.push((bytes) => {
      bounds.set(key, { leaf, bytes });
    });
  }
  const bounds = new Map<string, { leaf: Leaf; bytes: Uint8Array }>();
  await source.read(ranges, (index, bytes) => parsed[index]?.(bytes));
  for (const [key, { leaf, bytes }] of bounds) {
    const table = file.pageTables.get(key);
    if (table !== undefined) {
      table.bounds = parsePageBounds(leaf, table.pages.length, bytes);
    }
  }
}

/** First row and end of the pages that can hold matching rows. */
function stretchOf(
  { filter, leaf }: PrunableFilter,
  table: PageTable,
): { from: number; to: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (const [index, page] of table.pages.entries()) {
    const bounds = table.bounds?.[index];
    if (bounds === undefined || boundsMayHold(filter, leaf, bounds)) {
      from = Math.min(from, page.firstRow);
      to = page.firstRow + page.rows;
    }
  }
  return { from, to };
}

/** The stretch of a part from the first to the last page that can hold matching rows; undefined where there is none. */
export async function narrowByPages(
  part: Part,
  group: Group,
  filters: readonly PrunableFilter[],
  file: ParquetFile,
  source: RemoteSource,
): Promise<Part | undefined> {
  await readIndexes(group, filters, file, source);
  let { from, to } = part;
  for (const entry of filters) {
    const table = file.pageTables.get(pageTableKey(group, entry.leaf));
    if (table?.bounds !== undefined) {
      const stretch = stretchOf(entry, table);
      from = Math.max(from, stretch.from);
      to = Math.min(to, stretch.to);
    }
  }
  return from < to ? { ...part, from, to } : undefined;
}
