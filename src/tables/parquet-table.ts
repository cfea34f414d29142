/**
 * A Parquet file as a table.
 *
 * Fetches exactly the pages of the asked rows and columns, all ranges of a step in one read, decompresses each as it
 * arrives, and decodes no more rows than were asked for.
 */
import type { Data } from "apache-arrow";
import type { ByteRange } from "../byte-source.ts";
import type { ByteCache } from "./byte-cache.ts";
import { ChunkReader, type OpenPage } from "./chunk-reader.ts";
import { ColumnBuilder } from "./column-builder.ts";
import { damaged, tooLarge } from "./damaged.ts";
import { readValues } from "./encodings.ts";
import type { Filter } from "./filter.ts";
import { readValidity } from "./hybrid.ts";
import { KeptPages } from "./kept-pages.ts";
import { readNested } from "./nested.ts";
import {
  chunkOf,
  type FileColumn,
  type Group,
  type Leaf,
  type ParquetFile,
} from "./parquet-file.ts";
import { type Physical, takeFrom } from "./physical.ts";
import { mayHold, narrowByPages } from "./prune.ts";
import type { RemoteSource } from "./remote-source.ts";
import { firstAtLeast } from "./rows-wanted.ts";
import { type Part, type ReadOptions, type ReadRequest, rowsOf, type Table } from "./table.ts";

/** Most rows of a part that is scanned: 8 MB of float64. Text takes more room for each row. */
const MAX_PART_ROWS = 1_048_576;
const MAX_TEXT_PART_ROWS = 131_072;

/** Most parts of a scan; a footer can claim any number of rows. */
const MAX_PARTS = 200_000;

/** Values and validity of rows `from` to `to` (exclusive) of a page of a flat column. */
function decodeRows(
  { page }: OpenPage,
  leaf: Leaf,
  dictionary: Physical | undefined,
  from: number,
  to: number,
): { values: Physical; valid: Uint8Array | undefined } {
  const validity =
    page.definition === undefined
      ? { before: from, count: to - from, total: page.values, valid: undefined }
      : readValidity(page.definition, page.values, from, to);
  if (page.nulls !== undefined && page.values - page.nulls !== validity.total) {
    throw damaged("a page has another number of nulls than it says");
  }
  const stream = {
    bytes: page.body,
    at: 0,
    type: leaf.element.type ?? "BYTE_ARRAY",
    typeLength: leaf.element.type_length ?? 0,
    total: validity.total,
    skip: validity.before,
    count: validity.count,
    sizeBytes: page.bodyBytes,
  };
  return { values: readValues(page.encoding, stream, dictionary), valid: validity.valid };
}

/** Of decoded rows, those at `rows` (ascending, from the first decoded one). */
function pick(
  values: Physical,
  valid: Uint8Array | undefined,
  rows: Uint32Array,
): { values: Physical; valid: Uint8Array | undefined } {
  if (valid === undefined) {
    return { values: takeFrom(values, rows), valid };
  }
  const picked = new Uint8Array(rows.length);
  const indexes: number[] = [];
  let row = 0;
  let index = 0;
  for (const [place, wanted] of rows.entries()) {
    for (; row < wanted; row += 1) {
      index += valid[row] as number;
    }
    picked[place] = valid[wanted] as number;
    if (valid[wanted] === 1) {
      indexes.push(index);
    }
  }
  return { values: takeFrom(values, Uint32Array.from(indexes)), valid: picked };
}

function buildFlat(leaf: Leaf, part: Part, reader: ChunkReader): Data {
  const builder = new ColumnBuilder(leaf, rowsOf(part));
  for (const open of reader.pages) {
    const from = Math.max(part.from, open.firstRow);
    const to = Math.min(part.to, open.firstRow + open.rows);
    if (from >= to) {
      continue;
    }
    if (part.rows === undefined) {
      const { values, valid } = decodeRows(
        open,
        leaf,
        reader.dictionary,
        from - open.firstRow,
        to - open.firstRow,
      );
      builder.append(values, valid, to - from);
      continue;
    }
    const wanted = part.rows.subarray(firstAtLeast(part.rows, from), firstAtLeast(part.rows, to));
    const first = wanted[0];
    const last = wanted.at(-1);
    if (first !== undefined && last !== undefined) {
      const start = first - open.firstRow;
      const end = last + 1 - open.firstRow;
      const decoded = decodeRows(open, leaf, reader.dictionary, start, end);
      const { values, valid } = pick(
        decoded.values,
        decoded.valid,
        wanted.map((row) => row - first),
      );
      builder.append(values, valid, wanted.length);
    }
  }
  return builder.finish();
}

const stretch = ({ from, to }: Part) => ({ from, to });

export class ParquetTable implements Table {
  readonly version: string;
  readonly columns: readonly FileColumn[];
  readonly rowCount: number;
  readonly #file: ParquetFile;
  readonly #source: RemoteSource;
  readonly #cache: ByteCache;

  constructor(file: ParquetFile, source: RemoteSource, cache: ByteCache) {
    this.version = file.version;
    this.columns = file.columns;
    this.rowCount = file.rowCount;
    this.#file = file;
    this.#source = source;
    this.#cache = cache;
  }

  parts(columns: readonly number[]): Part[] {
    const wanted = columns.map((index) => this.columns[index] as FileColumn);
    const nested = wanted.some((column) => !column.flat);
    const text = wanted.some(({ type }) => type.kind === "text" || type.kind === "binary");
    const most = nested ? Number.POSITIVE_INFINITY : text ? MAX_TEXT_PART_ROWS : MAX_PART_ROWS;
    const count = this.#file.groups.reduce((sum, { rows }) => sum + Math.ceil(rows / most), 0);
    if (count > MAX_PARTS) {
      throw tooLarge(
        `A scan of ${this.rowCount} rows takes too many steps`,
        "Read windows of it with offset and limit",
      );
    }
    return this.#file.groups.flatMap((group) => {
      const parts: Part[] = [];
      for (let from = 0; from < group.rows; from += most) {
        const to = Math.min(group.rows, from + most);
        parts.push({ group: group.index, groupStart: group.start, from, to });
      }
      return parts;
    });
  }

  partsOf(from: number, to: number): Part[] {
    return this.#file.groups
      .filter(({ start, rows }) => rows > 0 && start < to && start + rows > from)
      .map(({ index, start, rows }) => ({
        group: index,
        groupStart: start,
        from: Math.max(0, from - start),
        to: Math.min(rows, to - start),
      }));
  }

  #group(part: Part): Group {
    return this.#file.groups[part.group] as Group;
  }

  sizeBytes(part: Part, columns: readonly number[]): number {
    const group = this.#group(part);
    const share = (part.to - part.from) / group.rows;
    let size = 0;
    for (const leaf of columns.flatMap((index) => this.columns[index]?.leaves ?? [])) {
      const { start, end } = chunkOf(this.#file, group, leaf);
      size += (end - start) * share;
    }
    return Math.round(size);
  }

  async narrow(part: Part, filters: readonly Filter[]): Promise<Part | undefined> {
    const group = this.#group(part);
    const chunks = filters.map((filter) => {
      const column = this.columns[filter.column] as FileColumn;
      const leaf = column.flat ? column.leaves[0] : undefined;
      return leaf && { filter, leaf, chunk: chunkOf(this.#file, group, leaf) };
    });
    const known = chunks.filter((entry) => entry !== undefined);
    if (known.some(({ filter, leaf, chunk }) => !mayHold(filter, leaf, chunk))) {
      return undefined;
    }
    return narrowByPages(part, group, known, this.#file, this.#source);
  }

  async #fetch(readers: readonly ChunkReader[], maxBytes: number | undefined): Promise<void> {
    let asked = 0;
    for (;;) {
      const ranges: ByteRange[] = [];
      const owners: { reader: ChunkReader; index: number }[] = [];
      for (const reader of readers) {
        for (const [index, range] of reader.next().entries()) {
          ranges.push(range);
          owners.push({ reader, index });
          asked += range.end - range.start;
        }
      }
      if (ranges.length === 0) {
        await Promise.all(readers.map((reader) => reader.opened()));
        return;
      }
      if (maxBytes !== undefined && asked > maxBytes) {
        throw tooLarge(
          `The window needs ${asked} bytes of the file; at most ${maxBytes} are fetched at once`,
          "Ask for fewer columns with columns=[...]",
        );
      }
      await this.#source.read(ranges, (index, bytes) => {
        const owner = owners[index];
        owner?.reader.accept(owner.index, bytes);
      });
    }
  }

  async read(requests: readonly ReadRequest[], options: ReadOptions): Promise<Data[][]> {
    const kept = new KeptPages(this.#cache, this.version, options.keep);
    const shared = { file: this.#file, kept };
    const plans = requests.map(({ part, columns }) =>
      columns.map((index) => {
        const column = this.columns[index] as FileColumn;
        const readers = column.leaves.map(
          // Rows of nested columns are put together as one stretch.
          (leaf) =>
            new ChunkReader(shared, this.#group(part), leaf, column.flat ? part : stretch(part)),
        );
        return { column, part, readers };
      }),
    );
    await this.#fetch(
      plans.flat().flatMap(({ readers }) => readers),
      options.maxBytes,
    );
    return plans.map((plan) =>
      plan.map(({ column, part, readers }) => {
        const [leaf] = column.leaves;
        const [reader] = readers;
        return column.flat && leaf !== undefined && reader !== undefined
          ? buildFlat(leaf, part, reader)
          : readNested(column, part, this.#group(part), readers);
      }),
    );
  }
}
