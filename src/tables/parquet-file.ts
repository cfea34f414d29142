/** A Parquet file's footer, checked: columns, row groups, and where each chunk of a column lies. */
import {
  type ColumnChunk,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type RowGroup,
} from "hyparquet";
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from "hyparquet/src/schema.js";
import type { ParquetParsers, SchemaElement, SchemaTree } from "hyparquet/src/types.js";
import type { ByteRange } from "../byte-source.ts";
import { type ColumnType, TEXT, typeOfLeaf } from "./column-type.ts";
import { type CutFooter, cutFooter } from "./cut-footer.ts";
import { damaged, parsing, unsupported } from "./damaged.ts";

/** One stored column: a top-level column of plain values is one leaf, a nested one has several. */
export interface Leaf {
  /** Place among all leaves, which is its place in every row group. */
  readonly index: number;
  readonly element: SchemaElement;
  readonly path: readonly SchemaTree[];
  readonly type: ColumnType;
  readonly maxDefinition: number;
  readonly maxRepetition: number;
}

export interface FileColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly tree: SchemaTree;
  readonly leaves: readonly Leaf[];
  /** Plain values, no list, struct or map. */
  readonly flat: boolean;
}

/** A leaf's bytes in one row group. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly codec: string;
  readonly stored: ColumnChunk;
  readonly offsetIndex: ByteRange | undefined;
  readonly columnIndex: ByteRange | undefined;
}

/** Where the pages of a chunk are, as far as that is known. Rows count from the group's first. */
export interface PageTable {
  dictionary: ByteRange | undefined;
  readonly pages: { start: number; end: number; firstRow: number; rows: number }[];
  /** First byte and first row behind the known pages. */
  nextAt: number;
  nextRow: number;
  /** `(pages,)` Statistics of each page, where they have been read. */
  bounds?: readonly Bounds[];
}

/** What statistics tell of a stretch of values; undefined where they do not, or where they cannot be trusted. */
export interface Bounds {
  /** Lowest and highest value as stored: number, integer, or bytes of text. */
  readonly min: unknown;
  readonly max: unknown;
  readonly nulls: number | undefined;
  /** Nothing but nulls. */
  readonly allNull: boolean;
}

export interface Group {
  readonly index: number;
  /** First row in the file, and number of rows. */
  readonly start: number;
  readonly rows: number;
}

export interface ParquetFile {
  readonly version: string;
  readonly size: number;
  readonly rowCount: number;
  readonly columns: readonly FileColumn[];
  readonly groups: readonly Group[];
  /** Length of its footer [bytes]. */
  readonly footerBytes: number;
  readonly cut: CutFooter;
  /** What the footer says of row groups, as far as it has been asked, by their places. */
  readonly described: Map<number, RowGroup>;
  readonly pageTables: Map<string, PageTable>;
}

/** A count or offset from the file, as a number that is safe to compute with. */
export function integerOf(value: unknown, what: string): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) {
    throw damaged(`${what} is ${String(value).slice(0, 40)}`);
  }
  return number;
}

/** Statistics stay as stored: integers as they are, text as bytes. */
export const RAW_STATISTICS = {
  timestampFromMilliseconds: (value: bigint) => value,
  timestampFromMicroseconds: (value: bigint) => value,
  timestampFromNanoseconds: (value: bigint) => value,
  dateFromDays: (value: number) => value,
  stringFromBytes: (value: Uint8Array) => value,
} as unknown as Partial<ParquetParsers>;

function leavesOf(
  tree: SchemaTree,
  path: SchemaTree[],
  out: Leaf[],
  next: { index: number },
): void {
  const here = [...path, tree];
  if (tree.children.length > 0) {
    for (const child of tree.children) {
      leavesOf(child, here, out, next);
    }
    return;
  }
  out.push({
    index: next.index,
    element: tree.element,
    path: here,
    type: typeOfLeaf(tree.element),
    maxDefinition: getMaxDefinitionLevel(here),
    maxRepetition: getMaxRepetitionLevel(here),
  });
  next.index += 1;
}

/** hyparquet knows lists and maps by the older annotation; a map without values is a list of its keys. */
function annotateNesting(element: SchemaElement, child: SchemaElement | undefined): void {
  const word = element.converted_type ?? element.logical_type?.type;
  if (word === "LIST" || word === "MAP") {
    element.converted_type = word === "MAP" && child?.num_children === 1 ? "LIST" : word;
  }
}

/** Columns in file order. A name that comes again gets a number, so that each can be asked for. */
function columnsOf(metadata: FileMetaData): FileColumn[] {
  const root = parquetSchema(metadata);
  const next = { index: 0 };
  const seen = new Set<string>();
  return root.children.map((tree) => {
    const leaves: Leaf[] = [];
    leavesOf(tree, [root], leaves, next);
    let name = tree.element.name;
    if (typeof name !== "string") {
      throw damaged("a column has no name");
    }
    for (let copy = 2; seen.has(name); copy += 1) {
      name = `${tree.element.name} (${copy})`;
    }
    seen.add(name);
    const flat = tree.children.length === 0 && tree.element.repetition_type !== "REPEATED";
    const type = flat ? (leaves[0]?.type ?? TEXT) : TEXT;
    return { name, type, tree, leaves, flat };
  });
}

function groupsOf(cut: CutFooter, leafCount: number): Group[] {
  let start = 0;
  return cut.groups.map((group, index) => {
    const rows = integerOf(group.rows, `the number of rows of row group ${index}`);
    if (group.columns !== leafCount) {
      throw damaged(`row group ${index} has ${group.columns} of ${leafCount} columns`);
    }
    const here = { index, start, rows };
    start += rows;
    return here;
  });
}

const parseMetadata = (footer: Uint8Array): FileMetaData =>
  parsing("its footer cannot be read", () =>
    parquetMetadata(footer, { geoparquet: false, parsers: RAW_STATISTICS }),
  );

/**
 * Parses a footer, but for what it says of each row group.
 * @param footer the footer without the eight bytes behind it
 */
export function parseFooter(version: string, size: number, footer: Uint8Array): ParquetFile {
  // A copy: the rest of it is read later, and should not hold on to what it came with.
  const cut = cutFooter(footer.slice());
  const metadata = parseMetadata(cut.frame);
  return parsing("its footer cannot be read", () => {
    for (const [index, element] of metadata.schema.entries()) {
      annotateNesting(element, metadata.schema[index + 1]);
    }
    const columns = columnsOf(metadata);
    const leafCount = columns.reduce((sum, column) => sum + column.leaves.length, 0);
    const groups = groupsOf(cut, leafCount);
    const rowCount = groups.reduce((sum, group) => sum + group.rows, 0);
    const told = integerOf(metadata.num_rows, "the number of rows");
    // Some writers leave the total at 0; the row groups count.
    if (told !== 0 && rowCount !== told) {
      throw damaged(`its row groups have ${rowCount} rows, its footer says ${told}`);
    }
    const footerBytes = footer.length;
    const described = new Map<number, RowGroup>();
    const pageTables = new Map<string, PageTable>();
    return { version, size, rowCount, columns, groups, footerBytes, cut, described, pageTables };
  });
}

/** What the footer says of a leaf in a row group. */
function storedChunk(
  { cut, described }: ParquetFile,
  group: Group,
  leaf: Leaf,
): ColumnChunk | undefined {
  let row = described.get(group.index);
  if (row === undefined) {
    [row] = parseMetadata(cut.only(group.index)).row_groups;
    if (row !== undefined) {
      described.set(group.index, row);
    }
  }
  return row?.columns[leaf.index];
}

function rangeOf(start: unknown, length: unknown, size: number): ByteRange | undefined {
  if (start === undefined || length === undefined || Number(length) <= 0) {
    return undefined;
  }
  const from = integerOf(start, "the place of an index");
  const end = from + integerOf(length, "the length of an index");
  return end <= size ? { start: from, end } : undefined;
}

/** The bytes of a leaf in a row group. */
export function chunkOf(file: ParquetFile, group: Group, leaf: Leaf): Chunk {
  const stored = storedChunk(file, group, leaf);
  const meta = stored?.meta_data;
  const name = leaf.path.at(-1)?.path.join(".") ?? "";
  if (stored?.crypto_metadata !== undefined) {
    throw unsupported(`encryption of the column "${name}"`);
  }
  if (stored?.file_path) {
    throw unsupported(`a second file for the column "${name}"`);
  }
  if (stored === undefined || meta === undefined || meta.type !== leaf.element.type) {
    throw damaged(`the column "${name}" has no data of its type`);
  }
  const data = integerOf(meta.data_page_offset, `the place of the column "${name}"`);
  const dictionary = integerOf(meta.dictionary_page_offset ?? 0, "the place of a dictionary");
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const end = start + integerOf(meta.total_compressed_size, `the size of the column "${name}"`);
  if (end > file.size) {
    throw damaged(`the column "${name}" ends at byte ${end} of ${file.size}`);
  }
  return {
    start,
    end,
    codec: String(meta.codec),
    stored,
    offsetIndex: rangeOf(stored.offset_index_offset, stored.offset_index_length, file.size),
    columnIndex: rangeOf(stored.column_index_offset, stored.column_index_length, file.size),
  };
}
