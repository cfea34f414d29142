/** The page index: where each page of a chunk lies, and the statistics of each. */
import { readOffsetIndex } from "hyparquet/src/indexes.js";
import { convertMetadata } from "hyparquet/src/metadata.js";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import type { ParquetParsers } from "hyparquet/src/types.js";
import { damaged, parsing } from "./damaged.ts";
import {
  type Bounds,
  type Chunk,
  type Group,
  integerOf,
  type Leaf,
  type PageTable,
  type ParquetFile,
  RAW_STATISTICS,
} from "./parquet-file.ts";

/** Page tables of a file hold at most this many pages before they are dropped. */
const MAX_KNOWN_PAGES = 200_000;

export const pageTableKey = (group: Group, leaf: Leaf): string => `${group.index}:${leaf.index}`;

/** Keeps a page table with its file. */
export function rememberPages({ pageTables }: ParquetFile, key: string, table: PageTable): void {
  if (table.pages.length + pageTables.size > MAX_KNOWN_PAGES) {
    pageTables.clear();
  }
  pageTables.set(key, table);
}

const viewOf = (bytes: Uint8Array) => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});

/** Parses an offset index. @param rows rows of the group */
export function parsePageIndex(chunk: Chunk, rows: number, bytes: Uint8Array): PageTable {
  const { page_locations: found } = parsing("a page index cannot be read", () =>
    readOffsetIndex(viewOf(bytes)),
  );
  let at = chunk.start;
  const pages = found.map((location, index) => {
    const start = integerOf(location.offset, "the place of a page");
    const end = start + integerOf(location.compressed_page_size, "the size of a page");
    const firstRow = integerOf(location.first_row_index, "the first row of a page");
    const nextRow = found[index + 1]?.first_row_index ?? rows;
    const count = integerOf(nextRow, "the first row of a page") - firstRow;
    if (start < at || end > chunk.end || count < 0 || (index === 0 && firstRow !== 0)) {
      throw damaged("a page index points outside its column");
    }
    at = end;
    return { start, end, firstRow, rows: count };
  });
  const first = pages[0]?.start ?? chunk.end;
  if (pages.length === 0 && rows > 0) {
    throw damaged("a page index names no pages");
  }
  const dictionary = first > chunk.start ? { start: chunk.start, end: first } : undefined;
  return { dictionary, pages, nextAt: at, nextRow: rows };
}

/** Thrift fields of a column index. */
interface ColumnIndexFields {
  readonly field_1?: readonly boolean[];
  readonly field_2?: readonly Uint8Array[];
  readonly field_3?: readonly Uint8Array[];
  readonly field_5?: readonly bigint[];
}

/**
 * Parses a column index: one entry for each page.
 * hyparquet's own parser stops at the empty bounds that pages of nulls have, so only its parts are used.
 */
export function parsePageBounds(leaf: Leaf, pages: number, bytes: Uint8Array): readonly Bounds[] {
  return parsing("page statistics cannot be read", () => {
    const fields: ColumnIndexFields = deserializeTCompactProtocol(viewOf(bytes));
    const { field_1: allNull = [], field_2: mins = [], field_3: maxes = [] } = fields;
    if (allNull.length !== pages || mins.length !== pages || maxes.length !== pages) {
      throw damaged("page statistics do not match their pages");
    }
    const bound = (value: Uint8Array | undefined): unknown =>
      value === undefined || value.length === 0
        ? undefined
        : convertMetadata(value, leaf.element, RAW_STATISTICS as ParquetParsers);
    return allNull.map((empty, page) => {
      const nulls = fields.field_5?.[page];
      return {
        min: empty ? undefined : bound(mins[page]),
        max: empty ? undefined : bound(maxes[page]),
        nulls: nulls === undefined ? undefined : Number(nulls),
        allNull: empty,
      };
    });
  });
}
