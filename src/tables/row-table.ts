/**
 * Rows of JSON as a table: a list of objects, features, JSON:API resources, or one object a line.
 *
 * Columns are the union of the rows' members in the order in which they first occur; a member that a row lacks is null, a
 * nested value its JSON text. Costs one parse of the whole. Refuses what is not whole, valid JSON.
 */
import { ToolError } from "../errors.ts";
import { atPointer, type ExactJson, parseExactJson } from "../json.ts";
import { type MemoryColumn, MemoryTable } from "./memory-table.ts";
import { columnOfValues } from "./value-column.ts";
import { floatMembers } from "./written-floats.ts";

type Members = { [key: string]: ExactJson };

const unreadable = (message: string, cause?: unknown): ToolError =>
  new ToolError("UNREADABLE_ANSWER", message, {
    hint: "Try again later; if it stays so, the service answers wrongly",
    ...(cause === undefined ? {} : { cause }),
  });

function parse(text: string, what: string): ExactJson {
  try {
    return parseExactJson(text);
  } catch (error) {
    throw unreadable(
      `${what} is not whole, valid JSON: ${(error as Error).message.slice(0, 200)}`,
      error,
    );
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable("The answer is not UTF-8 text", error);
  }
}

function listAt(body: ExactJson, at: string): readonly ExactJson[] {
  // Some services answer with the bare list.
  const list = Array.isArray(body) ? body : atPointer(body, at);
  if (Array.isArray(list)) {
    return list;
  }
  if (list === null) {
    return [];
  }
  throw unreadable(`The answer has no list of rows at ${at === "" ? "its top" : at}`);
}

const isMembers = (value: ExactJson | undefined): value is Members =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** A row's members by name. */
type Row = ReadonlyMap<string, ExactJson>;

/** A row that is a list has its places as columns, a single value the column `value`. */
function plainRow(row: ExactJson): Row {
  if (isMembers(row)) {
    return new Map(Object.entries(row));
  }
  if (Array.isArray(row)) {
    return new Map(row.map((value, index) => [String(index), value]));
  }
  return row === null ? new Map() : new Map([["value", row]]);
}

/** Members of `inner` beside those of `outer`; a name that both have gets the inner one's place before it. */
function merged(
  outer: readonly (readonly [string, ExactJson])[],
  inner: ExactJson | undefined,
  place: string,
  rest: readonly (readonly [string, ExactJson])[],
): Row {
  const taken = new Set([...outer, ...rest].map(([name]) => name));
  const members = isMembers(inner) ? Object.entries(inner) : [];
  return new Map([
    ...outer,
    ...members.map(([name, value]): [string, ExactJson] => [
      taken.has(name) ? `${place}.${name}` : name,
      value,
    ]),
    ...rest,
  ]);
}

const pick = (row: Members, names: readonly string[]): [string, ExactJson][] =>
  names.flatMap((name): [string, ExactJson][] =>
    Object.hasOwn(row, name) ? [[name, row[name] as ExactJson]] : [],
  );

const others = (row: Members, known: readonly string[]): [string, ExactJson][] =>
  Object.entries(row).filter(([name]) => !known.includes(name));

function featureRow(row: ExactJson, withGeometry: boolean): Row {
  if (!isMembers(row) || !("properties" in row || "geometry" in row)) {
    return plainRow(row);
  }
  const rest = others(row, ["type", "id", "properties", "geometry"]);
  const geometry = withGeometry ? pick(row, ["geometry"]) : [];
  return merged(pick(row, ["id"]), row.properties, "properties", [...rest, ...geometry]);
}

function resourceRow(row: ExactJson): Row {
  if (!isMembers(row) || !("attributes" in row || "id" in row)) {
    return plainRow(row);
  }
  return merged(
    pick(row, ["id", "type"]),
    row.attributes,
    "attributes",
    pick(row, ["relationships"]),
  );
}

/** Values of one column, and whether any number among them is written as a float. */
interface Collected {
  readonly values: ExactJson[];
  isInteger: boolean;
}

function columnsOf(
  rows: readonly ExactJson[],
  floats: ReadonlySet<string>,
  toRow: (row: ExactJson) => Row,
): MemoryColumn[] {
  const columns = new Map<string, Collected>();
  for (const [index, row] of rows.entries()) {
    for (const [name, value] of toRow(row)) {
      let column = columns.get(name);
      if (column === undefined) {
        column = {
          values: new Array<ExactJson>(rows.length).fill(null),
          isInteger: !floats.has(name),
        };
        columns.set(name, column);
      }
      column.isInteger &&= !isFraction(value);
      column.values[index] = value;
    }
  }
  return [...columns].map(([name, { values, isInteger }]) =>
    columnOfValues(name, values, isInteger),
  );
}

const isFraction = (value: ExactJson): boolean =>
  typeof value === "number" && !Number.isInteger(value);

/** How a row becomes columns. */
export type RowShape = "plain" | "feature" | "feature without geometry" | "resource";

const SHAPES: Readonly<Record<RowShape, (row: ExactJson) => Row>> = {
  plain: plainRow,
  feature: (row) => featureRow(row, true),
  "feature without geometry": (row) => featureRow(row, false),
  resource: resourceRow,
};

/** A JSON body, and the members whose numbers it writes as floats. */
export interface ParsedRows {
  readonly body: ExactJson;
  readonly floats: ReadonlySet<string>;
}

/** @throws ToolError UNREADABLE_ANSWER */
export function parseRows(bytes: Uint8Array): ParsedRows {
  const text = textOf(bytes);
  return { body: parse(text, "The answer"), floats: floatMembers(text) };
}

/**
 * Rows at a JSON pointer.
 * @param isPages whether the body is a list of answers that have rows there each
 */
export function rowTable(
  version: string,
  { body, floats }: ParsedRows,
  at: string,
  shape: RowShape,
  isPages: boolean,
): MemoryTable {
  const rows =
    isPages && Array.isArray(body) ? body.flatMap((one) => listAt(one, at)) : listAt(body, at);
  return new MemoryTable(version, columnsOf(rows, floats, SHAPES[shape]));
}

/** One JSON value a line; blank lines are passed over. */
export function lineTable(version: string, bytes: Uint8Array): MemoryTable {
  // JSON text sequences put a record separator before each value.
  const text = textOf(bytes).replaceAll("\u001e", "");
  const lines = text.split(/\r?\n/);
  const rows = lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [parse(line, `Line ${index + 1} of the answer`)],
  );
  return new MemoryTable(version, columnsOf(rows, floatMembers(text), plainRow));
}
