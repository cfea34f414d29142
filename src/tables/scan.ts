/** A pass over a table: which rows match, and what is in them, part by part. */
import type { Data } from "apache-arrow";
import { collectIfDue } from "./collect.ts";
import { type Filter, rowTest } from "./filter.ts";
import { prefetch } from "./prefetch.ts";
import { type Part, rowsOf, type Table } from "./table.ts";

/** Decoded data under way at once [bytes], as far as whole parts allow. */
const AHEAD_BYTES = 24 * 1024 * 1024;
const MAX_AHEAD = 4;
/** Pages of a scan stay for the next call where they are this small together [bytes]. */
const KEEP_BYTES = 8 * 1024 * 1024;

export interface ScanOptions {
  readonly filters: readonly Filter[];
  /** Columns to read of the matching rows; none where only the rows are wanted. */
  readonly columns: readonly number[];
  /** Told how many stored bytes are done, of how many. */
  readonly progress: (doneBytes: number, totalBytes: number) => void;
}

export interface ScannedPart {
  /** The matching rows. */
  readonly part: Part;
  /** `(columns,)`, as asked. */
  readonly data: readonly Data[];
}

/** Rows of a stretch that pass every filter, or undefined where none does. */
function matching(
  part: Part,
  filters: readonly Filter[],
  data: ReadonlyMap<number, Data>,
): Part | undefined {
  const rows = new Uint32Array(rowsOf(part)).map((_, index) => index);
  let found = rows.length;
  for (const filter of filters) {
    const test = rowTest(filter, data.get(filter.column) as Data);
    let passed = 0;
    for (let index = 0; index < found; index += 1) {
      const row = rows[index] as number;
      if (test(row)) {
        rows[passed] = row;
        passed += 1;
      }
    }
    found = passed;
  }
  for (let index = 0; index < found; index += 1) {
    const row = rows[index] as number;
    rows[index] = part.rows?.[row] ?? part.from + row;
  }
  const first = rows[0];
  const last = rows[found - 1];
  if (found === 0 || first === undefined || last === undefined) {
    return undefined;
  }
  const stretch = { group: part.group, groupStart: part.groupStart, from: first, to: last + 1 };
  return found === last + 1 - first ? stretch : { ...stretch, rows: rows.slice(0, found) };
}

async function matchPart(
  table: Table,
  part: Part,
  filters: readonly Filter[],
  keep: boolean,
): Promise<Part | undefined> {
  if (filters.length === 0) {
    return part;
  }
  const narrowed = await table.narrow(part, filters);
  if (narrowed === undefined) {
    return undefined;
  }
  const columns = [...new Set(filters.map((filter) => filter.column))];
  const [data] = await table.read([{ part: narrowed, columns }], { keep });
  const byColumn = new Map(columns.map((column, index) => [column, data?.[index] as Data]));
  return matching(narrowed, filters, byColumn);
}

/** Scans parts in order; parts without a matching row are left out. */
export async function* scan(
  table: Table,
  parts: readonly Part[],
  options: ScanOptions,
): AsyncGenerator<ScannedPart> {
  const { filters, columns, progress } = options;
  const touched = [...new Set([...filters.map((filter) => filter.column), ...columns])];
  const largest = Math.max(1, ...parts.map(rowsOf)) * touched.length * 8;
  const ahead = Math.min(MAX_AHEAD, Math.floor(AHEAD_BYTES / largest));
  const totalBytes = parts.reduce((sum, part) => sum + table.sizeBytes(part, touched), 0);
  const allRows = parts.reduce((sum, part) => sum + rowsOf(part), 0);
  const keep =
    filters.length > 0 ? largest < KEEP_BYTES : allRows * touched.length * 8 < KEEP_BYTES;
  let doneBytes = 0;
  const work = async (whole: Part): Promise<ScannedPart | undefined> => {
    const part = await matchPart(table, whole, filters, keep);
    const [data = []] =
      part === undefined || columns.length === 0
        ? []
        : await table.read([{ part, columns }], { keep });
    doneBytes += table.sizeBytes(whole, touched);
    progress(doneBytes, totalBytes);
    collectIfDue();
    return part && { part, data };
  };
  for await (const found of prefetch(parts, ahead, work)) {
    if (found !== undefined) {
      yield found;
    }
  }
}
