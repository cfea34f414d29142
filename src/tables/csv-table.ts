/**
 * Delimited text as a table.
 *
 * Accepts any delimiter, quote, escape, header and footer, charset and missing-value codes that a layout describes; without one
 * it reads what pandas' `read_csv` reads. Costs one pass over the bytes and their copy by column. Refuses text that ends
 * inside quotes; rows that are longer or shorter than the header are kept, and the note says so.
 */
import type { TextLayout } from "../contract.ts";
import {
  afterLines,
  beforeLines,
  type Delimiters,
  lineEnd,
  type RecordReceiver,
  scanRecords,
} from "./csv-scan.ts";
import { tooLarge } from "./damaged.ts";
import { GrowingText } from "./growing-text.ts";
import { inferColumn, PANDAS_MISSING } from "./infer-column.ts";
import { type MemoryColumn, MemoryTable } from "./memory-table.ts";
import { toUtf8 } from "./text-bytes.ts";

const MAX_COLUMNS = 20_000;

const CANDIDATES = [",", "\t", ";", "|"];

/** `\t` and the like, as people write them in descriptions. */
const ESCAPED: Readonly<Record<string, string>> = { "\\t": "\t", "\\s": " ", "\\|": "|" };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The delimiter of a header line: a comma where there is one, else whatever occurs most. */
function guessDelimiter(bytes: Uint8Array, from: number): string {
  let start = from;
  let end = lineEnd(bytes, start);
  while (end === start && end < bytes.length) {
    start = end + 1;
    end = lineEnd(bytes, start);
  }
  const line = new TextDecoder().decode(bytes.subarray(start, end)).replace(/"[^"]*"/g, "");
  const counts = CANDIDATES.map((candidate) => line.split(candidate).length - 1);
  const best = (counts[0] ?? 0) > 0 ? 0 : counts.indexOf(Math.max(...counts));
  return CANDIDATES[best] ?? ",";
}

function delimitersOf(layout: TextLayout, bytes: Uint8Array, from: number): Delimiters {
  const { delimiter, quote = '"', escape: escaper = "" } = layout;
  const written = delimiter === undefined ? undefined : (ESCAPED[delimiter] ?? delimiter);
  return {
    delimiter: bytesOf(
      written === undefined || written === "" ? guessDelimiter(bytes, from) : written,
    ),
    collapse: layout.collapse === true,
    quote: quote === "" ? -1 : quote.charCodeAt(0),
    escape: escaper === "" ? -1 : escaper.charCodeAt(0),
    comment: bytesOf(layout.comment ?? ""),
  };
}

/** Names as pandas makes them: none twice, none empty. */
function distinctNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((given, index) => {
    const base = given === "" ? `Unnamed: ${index}` : given;
    let name = base;
    for (let copy = 1; seen.has(name); copy += 1) {
      name = `${base}.${copy}`;
    }
    seen.add(name);
    return name;
  });
}

/** Fields of one record. */
function readHeader(bytes: Uint8Array, from: number, line: number, delimiters: Delimiters) {
  const names: string[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const end = scanRecords(bytes, from, line, delimiters, {
    field: (source, start, stop) => {
      names.push(decoder.decode(source.subarray(start, stop)));
    },
    record: () => false,
  });
  return { names, end };
}

/** Rows by column; a column that only some rows have begins where the first of them is. */
class Rows implements RecordReceiver {
  readonly columns: GrowingText[];
  readonly #named: number;
  rows = 0;
  /** Rows with more and with fewer fields than the header, and the line of the first of each. */
  long = 0;
  short = 0;
  firstLong = 0;
  firstShort = 0;
  lastIsShort = false;
  #fields = 0;

  constructor(named: number) {
    this.#named = named;
    this.columns = Array.from({ length: named }, () => new GrowingText());
  }

  field(source: Uint8Array, start: number, end: number): void {
    const column = this.columns[this.#fields] ?? this.#addColumn();
    column.put(source, start, end);
    this.#fields += 1;
  }

  #addColumn(): GrowingText {
    if (this.columns.length >= MAX_COLUMNS) {
      throw tooLarge(
        `The table has more than ${MAX_COLUMNS} columns`,
        "Check the delimiter and the quotes of its description",
      );
    }
    const column = new GrowingText();
    for (let row = 0; row < this.rows; row += 1) {
      column.putAbsent();
    }
    this.columns.push(column);
    return column;
  }

  record(line: number): boolean {
    for (let index = this.#fields; index < this.columns.length; index += 1) {
      this.columns[index]?.putAbsent();
    }
    if (this.#fields > this.#named) {
      this.long += 1;
      this.firstLong ||= line;
    }
    this.lastIsShort = this.#fields < this.#named;
    if (this.lastIsShort) {
      this.short += 1;
      this.firstShort ||= line;
    }
    this.#fields = 0;
    this.rows += 1;
    return true;
  }
}

const isEmpty = ({ offsets, rows }: GrowingText): boolean => offsets[rows] === 0;

/**
 * Names for all columns. Where every row has one field more than the header, the header leaves out the rows' own names, as R
 * writes it: the first column is the nameless one.
 */
function nameColumns(header: readonly string[], rows: Rows): string[] {
  const extra = rows.columns.length - header.length;
  const isNamedRows = extra === 1 && rows.long === rows.rows && rows.rows > 0;
  const named = isNamedRows ? ["", ...header] : header;
  return distinctNames(rows.columns.map((_, index) => named[index] ?? ""));
}

function notesOf(rows: Rows, named: number, isOpenEnd: boolean): string[] {
  const notes: string[] = [];
  if (rows.long > 0 && rows.long < rows.rows && rows.columns.length > named) {
    notes.push(
      `${rows.long} rows have more fields than the header's ${named} (first in line ${rows.firstLong}): the others are in columns named Unnamed.`,
    );
  }
  if (rows.short > 0) {
    const cut =
      isOpenEnd && rows.lastIsShort ? " The last line has no end: the table may be cut off." : "";
    notes.push(
      `${rows.short} rows have fewer fields than the header's ${named} (first in line ${rows.firstShort}): null there.${cut}`,
    );
  }
  return notes;
}

/**
 * Reads delimited text.
 * @param standard delimiter where the layout names none; undefined: found out
 * @throws ToolError UNREADABLE_ANSWER
 */
export function csvTable(
  version: string,
  raw: Uint8Array,
  layout: TextLayout,
  standard?: string,
): MemoryTable {
  const utf8 = toUtf8(raw, layout.encoding);
  const { headerLines = 1, footerLines = 0, names } = layout;
  const bytes =
    footerLines === 0 ? utf8.bytes : utf8.bytes.subarray(0, beforeLines(utf8.bytes, footerLines));
  const start = afterLines(bytes, Math.max(0, headerLines - 1));
  const told = standard === undefined ? layout : { delimiter: standard, ...layout };
  const delimiters = delimitersOf(told, bytes, start);
  const header =
    headerLines === 0
      ? { names: [] as string[], end: start }
      : readHeader(bytes, start, headerLines, delimiters);
  const given = names ?? header.names;
  const rows = new Rows(given.length);
  const isHeadless = headerLines === 0 && names === undefined;
  scanRecords(bytes, header.end, headerLines + 1, delimiters, rows);
  const columns = rows.columns;
  // Delimiters at the end of lines make columns of nothing.
  while (columns.length > given.length && !isHeadless && isEmpty(columns.at(-1) as GrowingText)) {
    columns.pop();
  }
  const titles = isHeadless ? columns.map((_, index) => String(index)) : nameColumns(given, rows);
  const missing = layout.missing ?? PANDAS_MISSING;
  const typed = columns.map((text, index): MemoryColumn => {
    const name = titles[index] as string;
    return inferColumn(name, text, [...missing, ...(layout.missingByColumn?.[name] ?? [])]);
  });
  const last = bytes.at(-1);
  const isOpenEnd = last !== 0x0a && last !== 0x0d;
  const notes = isHeadless ? [] : notesOf(rows, given.length, isOpenEnd);
  if (utf8.bytes.length === 0) {
    notes.push("The answer is empty.");
  }
  return new MemoryTable(version, typed, [...utf8.notes, ...notes]);
}
