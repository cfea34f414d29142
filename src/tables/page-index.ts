/** The page index: where each page of a chunk lies, and the statistics of each. */
import { readColumnIndex, readOffsetIndex } from "hyparquet/src/indexes.js";
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

/** Parses a column index: one entry for each page. */
export function parsePageBounds(leaf: Leaf, pages: number, bytes: Uint8Array): readonly Bounds[] {
  const index = parsing("page statistics cannot be read", () =>
    readColumnIndex(viewOf(bytes), leaf.element, RAW_STATISTICS),
  );
  const { null_pages: allNull, min_values: mins, max_values: maxes, null_counts: nulls } = index;
  if (allNull.length !== pages || mins.length !== pages || maxes.length !== pages) {
    throw damaged("page statistics do not match their pages");
  }
  return allNull.map((empty, page) => ({
    min: mins[page],
    max: maxes[page],
    nulls: nulls?.[page] === undefined ? undefined : Number(nulls[page]),
    allNull: empty === true,
  }));
}
