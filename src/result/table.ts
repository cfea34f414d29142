/** A window of a table: what was returned, what the whole is, and the way to the rest. */
import type { Cell, Json, JsonObject, TableWindow, WindowRequest } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { fitEntries, HARD_LIMIT_BYTES, jsonBytes } from "./budget.ts";
import { cleanNames, cleanText } from "./clean.ts";
import { thin } from "./thin.ts";

export type Layout = "records" | "columns" | "csv";

export interface TableAnswer {
  readonly window: TableWindow;
  /** Whether `totalRows` is only what is known to be there. */
  readonly isTotalUnknown?: boolean;
  readonly request: WindowRequest;
  readonly layout: Layout;
  /** Unit by column name, for the columns that have one. */
  readonly units: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

interface Column {
  readonly name: string;
  readonly dtype: string;
  readonly values: readonly Cell[];
}

function csvField(cell: Cell): string {
  if (cell === null) {
    return "";
  }
  const text = String(cell);
  return typeof cell === "string" && (text === "" || /[",\n\r]|^\s|\s$/.test(text))
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvField).join(",")}\n`;

type Row = readonly Cell[];

const rowOf = (columns: readonly Column[], index: number): Row =>
  columns.map((column) => column.values[index] ?? null);

const rowsOf = (columns: readonly Column[], count: number): Row[] =>
  Array.from({ length: count }, (_, index) => rowOf(columns, index));

const recordOf = (columns: readonly Column[], row: Row): JsonObject =>
  Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? null]));

/** Each layout: the bytes that a row takes in the result, and the rows themselves. */
const LAYOUTS: Record<
  Layout,
  {
    rowBytes(columns: readonly Column[], row: Row): number;
    body(columns: readonly Column[], kept: number): JsonObject;
  }
> = {
  records: {
    rowBytes: (columns, row) => jsonBytes(recordOf(columns, row)),
    body: (columns, kept) => ({
      rows: rowsOf(columns, kept).map((row) => recordOf(columns, row)),
    }),
  },
  columns: {
    rowBytes: (_, row) => jsonBytes(row) - 1,
    body: (columns, kept) => ({
      data: Object.fromEntries(
        columns.map((column) => [column.name, column.values.slice(0, kept) as Json[]]),
      ),
    }),
  },
  csv: {
    rowBytes: (_, row) => jsonBytes(csvLine(row)) - 2,
    body: (columns, kept) => ({
      csv: [columns.map((column) => column.name), ...rowsOf(columns, kept)].map(csvLine).join(""),
    }),
  },
};

function cleanColumns(window: TableWindow): Column[] {
  const names = cleanNames(window.columns.map((column) => column.name));
  return window.columns.map((column, index) => {
    const values = column.values.map((value) =>
      typeof value === "string" ? cleanText(value) : value,
    );
    return { name: names[index] ?? "", dtype: column.dtype, values };
  });
}

function describeRows(
  answer: TableAnswer,
  rows: number,
  asked: number,
  budgetBytes: number,
): string[] {
  const { window, request } = answer;
  const available = window.matchedRows ?? window.totalRows;
  const whole =
    window.matchedRows === undefined
      ? `${answer.isTotalUnknown === true ? "at least " : ""}${window.totalRows} rows`
      : `${window.matchedRows} matching rows (${window.totalRows} in all)`;
  if (request.sample !== undefined) {
    const thinned =
      rows < asked
        ? ` Thinned from ${asked} to fit into ${budgetBytes} bytes: layout="columns" or fewer columns give more points.`
        : "";
    return rows < available
      ? [
          `A sample of ${rows} of ${whole}: the lowest and highest values of each stretch.${thinned}`,
        ]
      : [];
  }
  if (request.offset >= available && request.offset > 0) {
    return [`offset ${request.offset} is past the end: there are ${whole}.`];
  }
  const notes: string[] = [];
  if (request.offset + rows < available) {
    notes.push(
      `Returned ${rows} of ${whole}. Use offset to page, columns=[...] to narrow, sample=500 for the whole curve.`,
    );
  }
  if (rows < asked) {
    notes.push(
      `${asked - rows} of the ${asked} rows asked for do not fit into ${budgetBytes} bytes: layout="columns" or "csv", or fewer columns, fit more.`,
    );
  }
  return notes;
}

function nonFiniteNote(window: TableWindow, shown: readonly Column[]): string[] {
  const counts = window.columns.flatMap((column, index) =>
    column.nonFinite > 0 ? [`${shown[index]?.name} ${column.nonFinite}`] : [],
  );
  return counts.length === 0
    ? []
    : [`NaN or infinite values of this window come as null: ${counts.join(", ")}.`];
}

/**
 * The result object of a table tool, cut to the budget [bytes of compact JSON].
 * @throws ToolError TOO_LARGE when the columns' names alone are beyond the hard limit
 */
export function writeTable(answer: TableAnswer, budgetBytes: number): JsonObject {
  const structured = composeTable(answer, budgetBytes);
  const columns = answer.window.columns.length;
  // Only a table of very many columns, or of very long names, can get so large without rows.
  if (columns > 1 && structured.row_count === 0 && jsonBytes(structured) > HARD_LIMIT_BYTES) {
    throw new ToolError(
      "TOO_LARGE",
      `The names of the table's ${columns} columns alone are more than a result holds`,
      { hint: "Ask for the columns you need: columns=[...]" },
    );
  }
  return structured;
}

function composeTable(answer: TableAnswer, budgetBytes: number): JsonObject {
  const { window, request, layout } = answer;
  const all = cleanColumns(window);
  const asked = all[0]?.values.length ?? 0;
  const rowNumbers = request.sample === undefined ? undefined : window.rowNumbers;
  const units = Object.fromEntries(
    window.columns.flatMap((column, index) => {
      const unit = answer.units.get(column.name);
      const name = all[index]?.name;
      return unit === undefined || name === undefined ? [] : [[name, cleanText(unit)]];
    }),
  );

  const compose = (
    columns: readonly Column[],
    kept: number,
    numbers: readonly number[] | undefined,
    oversize?: number,
  ): JsonObject => {
    const skipped = oversize === undefined ? 0 : 1;
    const next = request.offset + kept + skipped;
    const available = window.matchedRows ?? window.totalRows;
    const more = request.sample === undefined && asked > 0 && next < available;
    const notes = [
      ...answer.notes,
      ...(oversize === undefined
        ? describeRows(answer, kept, asked, budgetBytes)
        : [
            `Row ${request.offset} is left out: ${oversize} bytes are more than one result can hold. Fewer columns may fit.`,
          ]),
      ...nonFiniteNote(window, all),
      ...window.notes,
    ];
    return {
      columns: columns.map((column) => column.name),
      dtypes: Object.fromEntries(columns.map((column) => [column.name, column.dtype])),
      units,
      ...LAYOUTS[layout].body(columns, kept),
      ...(numbers === undefined ? {} : { row_numbers: numbers.slice(0, kept) as Json[] }),
      row_count: kept,
      total_rows: answer.isTotalUnknown === true ? null : window.totalRows,
      total_columns: window.totalColumns,
      ...(window.matchedRows === undefined ? {} : { matched_rows: window.matchedRows }),
      ...(window.stats === undefined ? {} : { stats: cleanStats(window, all) }),
      offset: request.offset,
      truncated: more,
      ...(more ? { next_offset: next } : {}),
      ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
    };
  };

  const rowBytes = (index: number): number =>
    LAYOUTS[layout].rowBytes(all, rowOf(all, index)) +
    (rowNumbers === undefined ? 0 : jsonBytes(rowNumbers[index]) + 1);
  const fitted = fitEntries(asked, rowBytes, budgetBytes, (kept, oversize) =>
    compose(all, kept, rowNumbers, oversize),
  );
  if (rowNumbers === undefined || fitted.kept === asked) {
    return fitted.structured;
  }
  // A curve that ends early would mislead: a sample over the budget gets coarser instead of shorter.
  for (let target = fitted.kept; target > 1; target = Math.floor(target * 0.95)) {
    const keep = thin(
      all.map((column) => column.values),
      target,
    );
    const columns = all.map((column) => ({
      ...column,
      values: keep.map((index) => column.values[index] ?? null),
    }));
    const structured = compose(
      columns,
      keep.length,
      keep.map((index) => rowNumbers[index] ?? 0),
    );
    if (jsonBytes(structured) <= budgetBytes) {
      return structured;
    }
  }
  return fitted.structured;
}

function cleanStats(window: TableWindow, shown: readonly Column[]): JsonObject {
  return Object.fromEntries(
    window.columns.flatMap((column, index) => {
      const stats = window.stats?.[column.name];
      const name = shown[index]?.name;
      if (stats === undefined || name === undefined) {
        return [];
      }
      const cell = (value: Cell): Cell => (typeof value === "string" ? cleanText(value) : value);
      return [[name, { ...stats, min: cell(stats.min), max: cell(stats.max) }]];
    }),
  );
}
