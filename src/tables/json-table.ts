/**
 * A JSON object of equally long lists as a table, with the types that pandas would give.
 *
 * Numbers without a decimal point are `int64`, a point or an exponent anywhere in the list makes it `float64`, and so does a
 * null among them; integers beyond 2^53 stay integers. A list of mixed kinds becomes JSON text. An object of single values
 * is one row.
 */
import { ToolError } from "../errors.ts";
import { type ExactJson, parseExactJson } from "../json.ts";
import { tooLarge } from "./damaged.ts";
import { endsAt, type Member, membersOf } from "./json-scan.ts";
import { type MemoryColumn, MemoryTable } from "./memory-table.ts";
import { columnOfValues } from "./value-column.ts";

/** Largest JSON text that is read [bytes]. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

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

/** Whether a list of numbers is written with integers only. */
const isInteger = (text: string): boolean => !/[.eE]/.test(text.replaceAll("null", ""));

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

function parseColumns(bytes: Uint8Array, at: string): MemoryColumn[] {
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
  return lists.map((list) => columnOfValues(list.name, list.values, isInteger(list.text)));
}

export class JsonTable extends MemoryTable {
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
    super(version, parseColumns(bytes, at));
  }
}
