/**
 * A JSON object of equally long lists as a table, with the types that pandas would give.
 *
 * Numbers without a decimal point are `int64`, a point or an exponent anywhere in the list makes it `float64`, and so does a
 * null among them; integers beyond 2^53 stay integers. A list of mixed kinds becomes JSON text. An object of single values
 * is one row.
 */
import { type Data, makeData } from "apache-arrow";
import { ToolError } from "../errors.ts";
import { type ExactJson, parseExactJson, toPlainJson } from "../json.ts";
import { packBits } from "./column-builder.ts";
import { BOOL, type ColumnType, FLOAT64, INT64, NULL, TEXT, UINT64 } from "./column-type.ts";
import { tooLarge } from "./damaged.ts";
import { endsAt, type Member, membersOf } from "./json-scan.ts";
import { type Part, rowsOf, type ReadRequest, type Table } from "./table.ts";
import { takeRows } from "./take-rows.ts";
import { textData } from "./text-data.ts";

/** Largest JSON text that is read [bytes]. */
export const MAX_JSON_BYTES = 64 * 1024 * 1024;

interface JsonColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly data: Data;
}

const unreadable = (message: string, cause?: unknown): ToolError =>
  new ToolError("UNREADABLE_ANSWER", message, {
    hint: "Try again later; if it stays so, the service has to mend this table",
    ...(cause === undefined ? {} : { cause }),
  });

function parseValue(text: string, { name, start, end }: Member): ExactJson {
  const value = text.slice(start, end);
  try {
    return parseExactJson(value);
  } catch (error) {
    const literal = /(?<!["\w])-?(?:NaN|Infinity)(?!["\w])/.exec(value)?.[0];
    throw unreadable(
      literal === undefined
        ? `The column "${name}" of the answer is not JSON`
        : `The column "${name}" of the answer holds ${literal}, which JSON does not allow`,
      error,
    );
  }
}

const MAX_INT64 = 2n ** 63n - 1n;

/** Whether a list of numbers is written with integers only. */
const isInteger = (text: string): boolean => !/[.eE]/.test(text.replaceAll("null", ""));

function typeOfNumbers(values: readonly ExactJson[], text: string): ColumnType {
  if (!isInteger(text)) {
    return FLOAT64;
  }
  const large = values.filter((value) => typeof value === "bigint");
  if (large.length === 0) {
    return values.includes(null) ? FLOAT64 : INT64;
  }
  if (large.every((value) => value <= MAX_INT64 && value >= -MAX_INT64 - 1n)) {
    return INT64;
  }
  const unsigned = values.every((value) => value === null || (value as number | bigint) >= 0);
  return unsigned && large.every((value) => value < 2n ** 64n) ? UINT64 : TEXT;
}

function typeOfList(values: readonly ExactJson[], text: string): ColumnType {
  const kinds = new Set(values.filter((value) => value !== null).map((value) => typeof value));
  if (kinds.size === 0) {
    return NULL;
  }
  if ([...kinds].every((kind) => kind === "number" || kind === "bigint")) {
    return typeOfNumbers(values, text);
  }
  return kinds.size === 1 && kinds.has("boolean") ? BOOL : TEXT;
}

/** Text as it is where all are text, else each value's JSON. */
function toTexts(values: readonly ExactJson[]): (string | null)[] {
  const plain = values.every((value) => value === null || typeof value === "string");
  return values.map((value) => {
    if (value === null || plain || typeof value === "bigint") {
      return value === null ? null : String(value);
    }
    return JSON.stringify(toPlainJson(value));
  });
}

function storeOf(type: ColumnType, values: readonly ExactJson[]): unknown {
  switch (type) {
    case INT64:
      return BigInt64Array.from(values, (value) => BigInt((value as number | bigint | null) ?? 0));
    case UINT64:
      return BigUint64Array.from(values, (value) => BigInt((value as number | bigint | null) ?? 0));
    case BOOL:
      return packBits(values.map((value) => (value === true ? 1 : 0)));
    default:
      return Float64Array.from(values, (value) => Number(value ?? 0));
  }
}

function toColumn(name: string, values: readonly ExactJson[], text: string): JsonColumn {
  const type = typeOfList(values, text);
  if (type === TEXT) {
    return { name, type, data: textData(toTexts(values)) };
  }
  const length = values.length;
  if (type === NULL) {
    return { name, type, data: makeData({ type: type.arrow, length } as never) };
  }
  const nullCount = values.reduce<number>((nulls, value) => nulls + (value === null ? 1 : 0), 0);
  const nullBitmap =
    nullCount === 0
      ? {}
      : { nullBitmap: packBits(values.map((value) => (value === null ? 0 : 1))) };
  const data = makeData({
    type: type.arrow,
    length,
    nullCount,
    ...nullBitmap,
    data: storeOf(type, values),
  } as never);
  return { name, type, data };
}

/** The members of the object at a JSON pointer. */
function membersAt(text: string, pointer: string): Member[] {
  let start = 0;
  const tokens = pointer.split("/").slice(1);
  for (const [depth, token] of tokens.entries()) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const { members, end } = membersOf(text, start);
    const member = members.find((candidate) => candidate.name === name);
    if (depth === 0 && !endsAt(text, end)) {
      throw new SyntaxError(`unexpected text at character ${end}`);
    }
    if (member === undefined) {
      throw unreadable(`The answer has no member "${name}" with the table`);
    }
    start = member.start;
  }
  const { members, end } = membersOf(text, start);
  if (tokens.length === 0 && !endsAt(text, end)) {
    throw new SyntaxError(`unexpected text at character ${end}`);
  }
  return members;
}

function checkLengths(lists: readonly { name: string; values: readonly ExactJson[] }[]): void {
  const [first] = lists;
  const other = lists.find(({ values }) => values.length !== first?.values.length);
  if (first !== undefined && other !== undefined) {
    throw unreadable(
      `The columns of the answer have different lengths: "${first.name}" ${first.values.length}, "${other.name}" ${other.values.length}`,
    );
  }
}

function parseColumns(bytes: Uint8Array, at: string): JsonColumn[] {
  let text: string;
  let members: Member[];
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    members = membersAt(text, at);
  } catch (error) {
    throw error instanceof ToolError
      ? error
      : unreadable(
          `The answer is not a JSON object of columns: ${(error as Error).message}`,
          error,
        );
  }
  const parsed = members.map((member) => ({ member, value: parseValue(text, member) }));
  const single = parsed.filter(({ value }) => !Array.isArray(value));
  if (single.length > 0 && single.length < parsed.length) {
    throw unreadable(`The column "${single[0]?.member.name}" of the answer is not a list`);
  }
  const lists = parsed.map(({ member, value }) => ({
    name: member.name,
    values: Array.isArray(value) ? value : [value],
    text: text.slice(member.start, member.end),
  }));
  checkLengths(lists);
  return lists.map((list) => toColumn(list.name, list.values, list.text));
}

export class JsonTable implements Table {
  readonly version: string;
  readonly columns: readonly JsonColumn[];
  readonly rowCount: number;
  /** Memory that the columns take [bytes]. */
  readonly memoryBytes: number;

  /**
   * @param bytes JSON text, UTF-8
   * @param at JSON pointer to the object of columns
   */
  constructor(version: string, bytes: Uint8Array, at: string) {
    if (bytes.length > MAX_JSON_BYTES) {
      throw tooLarge(
        `The table has ${bytes.length} bytes of JSON; at most ${MAX_JSON_BYTES} are read`,
        "Ask the service for a part of it, or for the file",
      );
    }
    this.version = version;
    this.columns = parseColumns(bytes, at);
    this.rowCount = this.columns[0]?.data.length ?? 0;
    this.memoryBytes = this.columns.reduce((sum, { data }) => sum + data.byteLength + 200, 0);
  }

  #part(from: number, to: number): Part[] {
    return from < to ? [{ group: 0, groupStart: 0, from, to }] : [];
  }

  parts(): Part[] {
    return this.#part(0, this.rowCount);
  }

  partsOf(from: number, to: number): Part[] {
    return this.#part(from, Math.min(this.rowCount, to));
  }

  read(requests: readonly ReadRequest[]): Promise<Data[][]> {
    const taken = requests.map(({ part, columns }) =>
      columns.map((index) => {
        const { type, data } = this.columns[index] as JsonColumn;
        return takeRows(type, data, part);
      }),
    );
    return Promise.resolve(taken);
  }

  narrow(part: Part): Promise<Part> {
    return Promise.resolve(part);
  }

  sizeBytes(part: Part, columns: readonly number[]): number {
    return rowsOf(part) * columns.length * 8;
  }
}
