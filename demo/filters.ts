/** The filter grammar of the list routes: `eq.x`, `ilike.%x%`, `gte.x`, `in.(a,b)`; a bare value means equality. */
import { ApiError } from "./failures.ts";

/**
 * SQL `LIKE`: `%` any text, `_` one character, `\` takes the next character as it is.
 * @throws ApiError 400 where the pattern ends with a lone backslash, in Postgres' words
 */
export function like(text: string, pattern: string): boolean {
  const parts = [...patternParts(pattern)];
  const characters = [...text];
  let [t, p] = [0, 0];
  // Where to go on when what follows the last `%` does not fit: one character later.
  let [retryText, retryPart] = [-1, -1];
  while (t < characters.length) {
    const part = parts[p];
    if (part === ANY_TEXT) {
      [retryText, retryPart] = [t, p];
      p += 1;
    } else if (part === ANY_CHARACTER || part === characters[t]) {
      t += 1;
      p += 1;
    } else if (retryPart >= 0) {
      retryText += 1;
      [t, p] = [retryText, retryPart + 1];
    } else {
      return false;
    }
  }
  return parts.slice(p).every((part) => part === ANY_TEXT);
}

const ANY_TEXT = Symbol("%");
const ANY_CHARACTER = Symbol("_");

function* patternParts(pattern: string): Generator<string | symbol> {
  let escaped = false;
  for (const character of pattern) {
    if (!escaped && character === "\\") {
      escaped = true;
      continue;
    }
    if (escaped || (character !== "%" && character !== "_")) {
      yield character;
    } else {
      yield character === "%" ? ANY_TEXT : ANY_CHARACTER;
    }
    escaped = false;
  }
  if (escaped) {
    throw ApiError.badRequest("LIKE pattern must not end with escape character");
  }
}

/** Splits `(a,"b,c")` into its values. */
function listed(text: string): string[] {
  const inner = text.replace(/^\(|\)$/g, "");
  return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(
    ([, quoted, bare]) => quoted?.replace(/\\(.)/g, "$1") ?? (bare as string),
  );
}

type Order = (a: string, b: string) => number;
type Operator = (value: string, operand: string, order: Order) => boolean;

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries<Operator>({
    eq: (value, operand, order) => order(value, operand) === 0,
    neq: (value, operand, order) => order(value, operand) !== 0,
    gt: (value, operand, order) => order(value, operand) > 0,
    gte: (value, operand, order) => order(value, operand) >= 0,
    lt: (value, operand, order) => order(value, operand) < 0,
    lte: (value, operand, order) => order(value, operand) <= 0,
    in: (value, operand, order) => listed(operand).some((each) => order(value, each) === 0),
    like: (value, operand) => like(value, operand),
    ilike: (value, operand) => like(value.toLowerCase(), operand.toLowerCase()),
  }),
);

export const byText: Order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Order of ISO times. @throws ApiError 400 where one is no time */
export const byTime: Order = (a, b) => instant(a) - instant(b);

/** Milliseconds of an ISO time, or NaN. A time without a zone is UTC. */
export function parseTime(text: string): number {
  const zoned = /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes("T");
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(zoned ? text : `${text}Z`) : Number.NaN;
}

function instant(text: string): number {
  const value = parseTime(text);
  if (Number.isNaN(value)) {
    throw ApiError.badRequest(`invalid input syntax for type timestamp with time zone: "${text}"`);
  }
  return value;
}

/** A test of a column's value; null passes no filter. @param order how values compare */
export function filterOf(filter: string, order: Order): (value: string | null) => boolean {
  const [, name, operand] = /^([a-z]+)\.(.*)$/s.exec(filter) ?? [];
  const operator = OPERATORS.get(name ?? "");
  return operator === undefined
    ? (value) => value !== null && order(value, filter) === 0
    : (value) => value !== null && operator(value, operand as string, order);
}
