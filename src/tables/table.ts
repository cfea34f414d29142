/** What every format offers: columns, and stretches of rows of them as Arrow data. */
import type { Data } from "apache-arrow";
import type { ColumnType } from "./column-type.ts";
import type { Filter } from "./filter.ts";
import type { RowsWanted } from "./rows-wanted.ts";

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** A stretch of rows inside one row group. */
export interface Part extends RowsWanted {
  readonly group: number;
  /** Row number in the table of the group's first row. */
  readonly groupStart: number;
}

/** Columns (places in {@link Table.columns}) of a part. */
export interface ReadRequest {
  readonly part: Part;
  readonly columns: readonly number[];
}

export interface ReadOptions {
  /** A window is refused above this many fetched bytes; a scan goes part by part and has no limit. */
  readonly maxBytes?: number;
  /** Whether decompressed pages stay for the next call. */
  readonly keep: boolean;
}

export interface Table {
  /** Names this table for whatever is kept about it. */
  readonly version: string;
  readonly columns: readonly TableColumn[];
  readonly rowCount: number;
  /** Sentences about how it had to be read, for the note. */
  readonly notes?: readonly string[];
  /** All rows, cut so that each part fits into memory. */
  parts(columns: readonly number[]): Part[];
  /** The parts that hold rows `from` to `to` (exclusive) of the table. */
  partsOf(from: number, to: number): Part[];
  /** Data of each request's columns, `(rows of the part,)` each. */
  read(requests: readonly ReadRequest[], options: ReadOptions): Promise<Data[][]>;
  /** The part's stretch outside which no row can match, from statistics alone; undefined where none can. */
  narrow(part: Part, filters: readonly Filter[]): Promise<Part | undefined>;
  /** Stored size of columns in a part [bytes], for progress. */
  sizeBytes(part: Part, columns: readonly number[]): number;
}

export const rowsOf = (part: Part): number => part.rows?.length ?? part.to - part.from;

/** Row number in the table of a part's row `index`. */
export function rowNumber(part: Part, index: number): number {
  return part.groupStart + (part.rows?.[index] ?? part.from + index);
}
