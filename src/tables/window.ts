/**
 * One window of a table, whatever its format.
 *
 * `offset` and `limit` count among the rows that match `where`. `sample` is of all matching rows: `offset` and `limit` do
 * not apply to it. `stats` are of all matching rows too.
 */
import type { Data } from "apache-arrow";
import type { ColumnStats, TableWindow, WindowRequest } from "../contract.ts";
import type { ByteCache } from "./byte-cache.ts";
import { type Raw, rawReader, toCells } from "./cells.ts";
import { chooseColumns } from "./choose-columns.ts";
import type { ColumnType } from "./column-type.ts";
import { toFilters } from "./filter.ts";
import { Sampler } from "./sample.ts";
import { scan } from "./scan.ts";
import { StatsCollector } from "./stats.ts";
import { type Part, rowNumber, rowsOf, type Table, type TableColumn } from "./table.ts";

/** Most bytes of the file that one window may need [bytes]. */
const MAX_WINDOW_BYTES = 64 * 1024 * 1024;
/** Matching rows may lie far apart: so many parts are fetched together, which bounds what is in memory. */
const PARTS_AT_ONCE = 4;
/** Matching rows are remembered for the next page of the same `where` up to this many. */
const MAX_REMEMBERED_ROWS = 2_000_000;

interface Selection {
  readonly parts: readonly Part[];
  readonly count: number;
}

/** Parts of a selection that hold its rows `offset` to `offset + limit`. */
function pageOf(parts: readonly Part[], offset: number, limit: number): Part[] {
  const page: Part[] = [];
  let passed = 0;
  for (const part of parts) {
    const count = rowsOf(part);
    const first = Math.max(0, offset - passed);
    const end = Math.min(count, offset + limit - passed);
    passed += count;
    if (first >= end) {
      continue;
    }
    if (part.rows === undefined) {
      page.push({ ...part, from: part.from + first, to: part.from + end });
    } else {
      const rows = part.rows.slice(first, end);
      page.push({ ...part, rows, from: rows[0] as number, to: (rows.at(-1) as number) + 1 });
    }
  }
  return page;
}

/** Collects matching parts: those of the window, the count, and all of them while they are few. */
class SelectionCollector {
  readonly #offset: number;
  readonly #limit: number;
  readonly window: Part[] = [];
  #all: Part[] | undefined = [];
  #remembered = 0;
  count = 0;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#limit = limit;
  }

  add(part: Part): void {
    this.window.push(...pageOf([part], this.#offset - this.count, this.#limit));
    this.count += rowsOf(part);
    this.#remembered += part.rows?.length ?? 8;
    if (this.#remembered > MAX_REMEMBERED_ROWS) {
      this.#all = undefined;
    }
    this.#all?.push(part);
  }

  remember(cache: ByteCache, key: string): void {
    if (this.#all !== undefined) {
      const selection: Selection = { parts: this.#all, count: this.count };
      cache.set(key, selection, 4 * this.#remembered + 200);
    }
  }
}

function rawsOf(types: readonly ColumnType[], read: readonly (readonly Data[])[]): Raw[][] {
  return types.map((type, column) => {
    const raws: Raw[] = [];
    for (const data of read) {
      const one = data[column] as Data;
      const value = rawReader(type, one);
      for (let row = 0; row < one.length; row += 1) {
        raws.push(value(row));
      }
    }
    return raws;
  });
}

function describe(columns: readonly TableColumn[], raws: readonly Raw[][]) {
  const notes: string[] = [];
  const described = columns.map(({ name, type }, index) => {
    const { values, nonFinite, unwritable } = toCells(type, raws[index] ?? []);
    if (unwritable > 0) {
      notes.push(`${name}: ${unwritable} times outside the years 1 to 9999 come as null.`);
    }
    return { name, dtype: type.dtype, values, nonFinite };
  });
  return { columns: described, notes };
}

/**
 * Reads a window.
 * @param cache keeps which rows match, and statistics, for the next page of the same question
 */
export async function readWindow(
  table: Table,
  request: WindowRequest,
  cache: ByteCache,
  progress: (doneBytes: number, totalBytes: number) => void,
): Promise<TableWindow> {
  const chosen = chooseColumns(table.columns, request.columns);
  const columns = chosen.map((index) => table.columns[index] as TableColumn);
  const types = columns.map(({ type }) => type);
  const filters = toFilters(request.where, table.columns);
  const filtered = filters.length > 0;
  const whereKey = `${table.version}#where:${JSON.stringify(request.where ?? [])}`;
  const statsKey = `${whereKey}#stats:${chosen.join()}`;

  const selection = filtered ? cache.get<Selection>(whereKey) : undefined;
  const keptStats =
    request.stats === true ? cache.get<Record<string, ColumnStats>>(statsKey) : undefined;
  const rowCount = filtered ? (selection?.count ?? 0) : table.rowCount;
  const sampler =
    request.sample === undefined ? undefined : new Sampler(types, request.sample, rowCount);
  const collectors =
    request.stats === true && keptStats === undefined
      ? types.map((type) => new StatsCollector(type))
      : undefined;

  const needsData = sampler !== undefined || collectors !== undefined;
  const found = new SelectionCollector(request.offset, request.limit);
  let matchedRows = selection?.count;
  let page: Part[] = [];
  if (needsData || (filtered && selection === undefined)) {
    const touched = [...filters.map((filter) => filter.column), ...(needsData ? chosen : [])];
    const options = {
      filters: selection === undefined ? filters : [],
      columns: needsData ? chosen : [],
      progress,
    };
    for await (const { part, data } of scan(
      table,
      selection?.parts ?? table.parts(touched),
      options,
    )) {
      found.add(part);
      sampler?.add(part, data);
      collectors?.forEach((collector, index) => {
        collector.add(data[index] as Data);
      });
    }
    page = found.window;
    matchedRows = filtered ? found.count : undefined;
    if (filtered && selection === undefined) {
      found.remember(cache, whereKey);
    }
  } else {
    page =
      selection === undefined
        ? table.partsOf(request.offset, request.offset + request.limit)
        : pageOf(selection.parts, request.offset, request.limit);
  }

  const stats =
    collectors === undefined
      ? keptStats
      : Object.fromEntries(
          columns.map(({ name }, index) => [name, (collectors[index] as StatsCollector).finish()]),
        );
  if (collectors !== undefined) {
    cache.set(statsKey, stats, 500 * columns.length);
  }

  let raws: Raw[][];
  let rowNumbers: number[] | undefined;
  const notes: string[] = [];
  if (sampler === undefined) {
    const read: Data[][] = [];
    for (let first = 0; first < page.length; first += PARTS_AT_ONCE) {
      const requests = page
        .slice(first, first + PARTS_AT_ONCE)
        .map((part) => ({ part, columns: chosen }));
      read.push(...(await table.read(requests, { keep: true, maxBytes: MAX_WINDOW_BYTES })));
    }
    raws = rawsOf(types, read);
    rowNumbers = filtered
      ? page.flatMap((part) =>
          Array.from({ length: rowsOf(part) }, (_, index) => rowNumber(part, index)),
        )
      : undefined;
  } else {
    const points = sampler.finish();
    raws = types.map((_, index) => points.map((point) => point.raws[index] ?? null));
    rowNumbers = points.map((point) => point.row);
    if (sampler.left.length > 0) {
      const names = sampler.left.map((index) => columns[index]?.name).slice(0, 8);
      notes.push(
        `sample=${request.sample} is too small to keep the extremes of every column: not kept for ${names.join(", ")}.`,
      );
    }
  }
  const described = describe(columns, raws);
  return {
    columns: described.columns,
    totalRows: table.rowCount,
    totalColumns: table.columns.length,
    ...(filtered ? { matchedRows: matchedRows ?? 0 } : {}),
    ...(rowNumbers === undefined ? {} : { rowNumbers }),
    ...(stats === undefined ? {} : { stats }),
    notes: [...(table.notes ?? []), ...notes, ...described.notes],
  };
}
