/**
 * Reads the pages of one leaf in one row group that hold a stretch of rows.
 *
 * Where the file has a page index the pages are known and nothing else is fetched. Where it has none, the chunk is walked
 * from its start: a guess of the bytes up to the last wanted row is fetched first, the rest only if it is needed. What the
 * walk finds is remembered, so that the next window of the same chunk is exact.
 */
import type { ByteRange } from "../byte-source.ts";
import { damaged } from "./damaged.ts";
import type { KeptPages } from "./kept-pages.ts";
import { parsePageIndex, pageTableKey, rememberPages } from "./page-index.ts";
import {
  openDictionary,
  type Page,
  type PageHead,
  peekHead,
  readHead,
  type SealedPage,
  sealPage,
} from "./page.ts";
import { PageSet } from "./page-set.ts";
import {
  type Chunk,
  chunkOf,
  type Group,
  type Leaf,
  type PageTable,
  type ParquetFile,
} from "./parquet-file.ts";
import { joinBytes, type Physical } from "./physical.ts";
import { overlaps, type RowsWanted } from "./rows-wanted.ts";

/** A chunk up to this size is fetched whole where it has no page index [bytes]. */
const SMALL_CHUNK = 1024 * 1024;
/** Pages that follow each other are asked for in ranges of about this size [bytes]: few messages, early decompression. */
const RUN_BYTES = 512 * 1024;
const HEADER_ROOM = 64 * 1024;
/** Guesses before the rest of a chunk is fetched. */
const MAX_STEPS = 3;

export interface OpenPage {
  readonly page: Page;
  /** First row in the group and number of rows; unknown (-1) for pages of nested columns without a page index. */
  readonly firstRow: number;
  readonly rows: number;
}

export interface ChunkReaderOptions {
  readonly file: ParquetFile;
  readonly kept: KeptPages;
}

type Task =
  | { readonly kind: "index" }
  | { readonly kind: "walk" }
  | { readonly kind: "pages"; readonly first: number; readonly last: number }
  | { readonly kind: "dictionary" };

export class ChunkReader {
  readonly #file: ParquetFile;
  readonly #kept: KeptPages;
  readonly #leaf: Leaf;
  readonly #rows: number;
  readonly #chunk: Chunk;
  readonly #key: string;
  readonly #rowsWanted: RowsWanted;
  readonly #pages: PageSet;
  #dictionary: Physical | undefined;
  #tasks: Task[] = [];
  /** Bytes behind the last whole page of a walk. */
  #rest: Uint8Array = new Uint8Array(0);
  #walking: PageTable | undefined;
  /** End of the page whose header was read but whose body broke off. */
  #pageEnd = 0;
  #steps = 0;
  /** All pages of a chunk whose pages do not tell their rows have been read. */
  #complete = false;
  constructor(
    { file, kept }: ChunkReaderOptions,
    group: Group,
    leaf: Leaf,
    rowsWanted: RowsWanted,
  ) {
    [this.#file, this.#kept] = [file, kept];
    this.#pages = new PageSet(kept);
    this.#leaf = leaf;
    this.#rows = group.rows;
    this.#chunk = chunkOf(file, group, leaf);
    this.#key = pageTableKey(group, leaf);
    this.#rowsWanted = rowsWanted;
  }

  get dictionary(): Physical | undefined {
    return this.#dictionary;
  }

  /** The pages that overlap the rows, in order. */
  get pages(): OpenPage[] {
    return this.#pages.inOrder().map(([start, page]) => {
      const known = this.#table?.pages.find((entry) => entry.start === start);
      return { page, firstRow: known?.firstRow ?? -1, rows: known?.rows ?? -1 };
    });
  }

  /** Waits for pages that are decompressed elsewhere. */
  opened(): Promise<void> {
    return this.#pages.opened();
  }

  get #table(): PageTable | undefined {
    return this.#file.pageTables.get(this.#key);
  }

  /** Nested pages without an index do not tell their rows: all are needed. */
  get #whole(): boolean {
    return this.#leaf.maxRepetition > 0 && this.#chunk.offsetIndex === undefined;
  }

  /** What to fetch now; empty when everything is there. */
  next(): ByteRange[] {
    const table = this.#table;
    if (this.#complete) {
      return [];
    }
    if (table === undefined && this.#chunk.offsetIndex !== undefined) {
      this.#tasks = [{ kind: "index" }];
      return [this.#chunk.offsetIndex];
    }
    return table === undefined || !this.#covered(table)
      ? [this.#nextWalk(table)]
      : this.#nextPages(table);
  }

  #covered(table: PageTable): boolean {
    return this.#whole ? table.nextAt >= this.#chunk.end : table.nextRow >= this.#rowsWanted.to;
  }

  #nextWalk(known: PageTable | undefined): ByteRange {
    this.#walking ??=
      known === undefined
        ? { dictionary: undefined, pages: [], nextAt: this.#chunk.start, nextRow: 0 }
        : { ...known, pages: [...known.pages] };
    const table = this.#walking;
    const start = table.nextAt + this.#rest.length;
    if (start >= this.#chunk.end) {
      throw damaged(`a column has ${table.nextRow} rows where its row group has ${this.#rows}`);
    }
    this.#tasks = [{ kind: "walk" }];
    this.#steps += 1;
    const left = this.#chunk.end - start;
    const share = (this.#rowsWanted.to - table.nextRow) / Math.max(1, this.#rows - table.nextRow);
    const wanted = Math.ceil(left * share * 1.05) + HEADER_ROOM;
    const small = this.#chunk.end - this.#chunk.start <= SMALL_CHUNK;
    const all = small || this.#whole || this.#steps > MAX_STEPS || wanted >= left;
    const end = Math.max(start + wanted, this.#pageEnd + HEADER_ROOM);
    return { start, end: all ? this.#chunk.end : Math.min(end, this.#chunk.end) };
  }

  #nextPages(table: PageTable): ByteRange[] {
    this.#tasks = [];
    const ranges: ByteRange[] = [];
    const { dictionary, pages } = table;
    if (dictionary !== undefined && this.#dictionary === undefined) {
      this.#dictionary = this.#kept.dictionary(dictionary.start);
      if (this.#dictionary === undefined) {
        this.#tasks.push({ kind: "dictionary" });
        ranges.push(dictionary);
      }
    }
    for (const [index, known] of pages.entries()) {
      if (
        !overlaps(this.#rowsWanted, known.firstRow, known.firstRow + known.rows) ||
        this.#pages.has(known.start, this.#needed(known.firstRow, known.rows))
      ) {
        continue;
      }
      const task = this.#tasks.at(-1);
      const run = ranges.at(-1);
      const joins =
        task?.kind === "pages" &&
        run?.end === known.start &&
        task.last === index - 1 &&
        run.end - run.start < RUN_BYTES;
      if (joins) {
        this.#tasks.splice(-1, 1, { ...task, last: index });
        ranges.splice(-1, 1, { start: run.start, end: known.end });
      } else {
        this.#tasks.push({ kind: "pages", first: index, last: index });
        ranges.push({ start: known.start, end: known.end });
      }
    }
    return ranges;
  }

  /** Rows of a page, from its first, that are to be read at most. */
  #needed(firstRow: number, rows: number): number {
    return Math.min(rows, this.#rowsWanted.to - firstRow);
  }

  /** Takes the bytes of the range at `index` of the last {@link next}. */
  accept(index: number, bytes: Uint8Array): void {
    const task = this.#tasks[index];
    switch (task?.kind) {
      case "index":
        rememberPages(this.#file, this.#key, parsePageIndex(this.#chunk, this.#rows, bytes));
        break;
      case "walk":
        this.#walk(bytes);
        break;
      case "dictionary":
        this.#takeDictionary(readHead(bytes, 0), bytes, this.#table?.dictionary?.start ?? 0);
        break;
      case "pages":
        this.#takeRun(task.first, task.last, bytes);
        break;
      case undefined:
        break;
    }
  }

  #takeDictionary(head: PageHead, bytes: Uint8Array, start: number): void {
    if (head.type !== "DICTIONARY_PAGE") {
      throw damaged(`a ${head.type} where a dictionary should be`);
    }
    this.#dictionary = openDictionary(head, bytes, this.#chunk.codec, this.#leaf);
    this.#kept.keepDictionary(start, this.#dictionary);
  }

  #seal(head: PageHead, bytes: Uint8Array, rowsNeeded: number): SealedPage {
    return sealPage(head, bytes, this.#chunk.codec, this.#leaf, rowsNeeded);
  }

  #takeRun(first: number, last: number, bytes: Uint8Array): void {
    const pages = this.#table?.pages.slice(first, last + 1) ?? [];
    const runStart = pages[0]?.start ?? 0;
    const isShared = pages.length > 1 || bytes.length < bytes.buffer.byteLength;
    for (const known of pages) {
      const head = readHead(bytes, known.start - runStart);
      const counted = this.#leaf.maxRepetition > 0 ? known.rows : head.values;
      if (!head.type.startsWith("DATA_PAGE") || head.end !== known.end - runStart) {
        throw damaged("a page is not where its index says");
      }
      if (counted !== known.rows) {
        throw damaged(`a page of ${known.rows} rows has ${head.values} values`);
      }
      const needed = this.#needed(known.firstRow, known.rows);
      this.#pages.add(known.start, this.#seal(head, bytes, needed), isShared);
    }
  }

  #walk(arrived: Uint8Array): void {
    const table = this.#walking as PageTable;
    const bytes = joinBytes(this.#rest, arrived);
    const base = table.nextAt;
    const last = base + bytes.length >= this.#chunk.end;
    let at = 0;
    while (at < bytes.length && !this.#covered(table)) {
      const head = last ? readHead(bytes, at) : peekHead(bytes, at);
      this.#pageEnd = base + (head?.end ?? 0);
      if (head === undefined || (head.end > bytes.length && !last)) {
        break;
      }
      this.#note(table, head, bytes, base + at, base + head.end);
      at = head.end;
    }
    if (!this.#covered(table)) {
      this.#rest = bytes.slice(at);
    } else if (this.#whole) {
      this.#complete = true;
    } else {
      rememberPages(this.#file, this.#key, table);
    }
  }

  #note(table: PageTable, head: PageHead, bytes: Uint8Array, start: number, end: number): void {
    table.nextAt = end;
    if (head.type === "DICTIONARY_PAGE") {
      table.dictionary = { start, end };
      this.#takeDictionary(head, bytes, start);
      return;
    }
    if (!head.type.startsWith("DATA_PAGE")) {
      return;
    }
    const rows = this.#leaf.maxRepetition > 0 ? -1 : head.values;
    if (rows >= 0) {
      table.pages.push({ start, end, firstRow: table.nextRow, rows });
      table.nextRow += rows;
    }
    const first = table.nextRow - rows;
    const wanted = rows < 0 || overlaps(this.#rowsWanted, first, table.nextRow);
    if (table.nextRow > this.#rows) {
      throw damaged(`a column has more rows than its row group of ${this.#rows}`);
    }
    if (wanted && head.values > 0) {
      const needed = rows < 0 ? head.values : this.#needed(first, rows);
      this.#pages.add(start, this.#seal(head, bytes, needed), true);
    }
  }
}
