/** Does a document answer a query, and how well: fields of text, codes, numbers, dates and boxes. */
import { analyse } from "./analyse.ts";
import { type Query, QuerySyntaxError } from "./parse-query.ts";

/** How a field is compared. `text` is analysed, `code` compared whole, `date` and `number` also by range, `box` by area. */
export type FieldKind = "text" | "code" | "number" | "date" | "box";

export interface Field {
  readonly kind: FieldKind;
  /** Only searched, never returned. */
  readonly hidden?: boolean;
}

export type Schema = Readonly<Record<string, Field>>;

export type Value = string | number | boolean;

/** Field → value or values; a field without a value is absent. */
export type SolrDocument = Readonly<Record<string, Value | readonly Value[] | undefined>>;

/** Values of a field, none where it is absent. */
export function valuesOf(document: SolrDocument, field: string): readonly Value[] {
  const value = document[field];
  if (value === undefined) {
    return [];
  }
  return typeof value === "object" ? value : [value];
}

/**
 * Score of a document, above 0 where it matches, else 0.
 * @throws QuerySyntaxError for an unknown field or an unreadable date, number or shape
 */
export function scoreOf(query: Query, document: SolrDocument, schema: Schema): number {
  switch (query.kind) {
    case "all":
      return 1;
    case "group":
      return scoreGroup(query, document, schema);
    case "term":
    case "phrase":
      return scoreWords(query, document, fieldOf(schema, query.field).kind);
    case "range":
      return valuesOf(document, query.field).some((value) =>
        inRange(value, query, fieldOf(schema, query.field).kind),
      )
        ? 1
        : 0;
  }
}

function fieldOf(schema: Schema, name: string): Field {
  const field = schema[name];
  if (field === undefined) {
    throw new QuerySyntaxError(`undefined field ${name}`);
  }
  return field;
}

function scoreGroup(
  group: Extract<Query, { kind: "group" }>,
  document: SolrDocument,
  schema: Schema,
): number {
  const score = (query: Query) => scoreOf(query, document, schema);
  if (group.not.some((query) => score(query) > 0)) {
    return 0;
  }
  const must = group.must.map(score);
  const should = group.should.map(score);
  if (must.includes(0)) {
    return 0;
  }
  const total = [...must, ...should].reduce((sum, one) => sum + one, 0);
  if (must.length === 0 && should.length === 0) {
    return group.not.length > 0 ? 1 : 0;
  }
  return must.length > 0 ? Math.max(total, Number.MIN_VALUE) : total;
}

function scoreWords(
  query: Extract<Query, { kind: "term" | "phrase" }>,
  document: SolrDocument,
  kind: FieldKind,
): number {
  const values = valuesOf(document, query.field);
  if (query.kind === "term" && query.pattern !== undefined) {
    const { pattern } = query;
    const words = kind === "text" ? values.flatMap((value) => wordsOf(String(value))) : values;
    const tried = kind === "text" ? new RegExp(pattern.source.toLowerCase(), "s") : pattern;
    return words.some((word) => tried.test(String(word))) ? 1 : 0;
  }
  if (kind === "box") {
    return values.some((value) => boxMatches(query.text, String(value))) ? 1 : 0;
  }
  if (kind !== "text") {
    const wanted = comparable(query.text, kind);
    return values.some((value) => comparable(String(value), kind) === wanted) ? 1 : 0;
  }
  const wanted = wordsOf(query.text);
  return values.reduce(
    (sum: number, value) => sum + phraseScore(wordsOf(String(value)), wanted),
    0,
  );
}

const analysed = new Map<string, string[]>();

/** Long texts are analysed once: they are the documents of a small corpus. */
function wordsOf(text: string): string[] {
  if (text.length < 200) {
    return analyse(text);
  }
  const known = analysed.get(text) ?? analyse(text);
  analysed.set(text, known);
  return known;
}

/** Frequency that saturates, less in longer texts; words must stand side by side. */
function phraseScore(words: readonly string[], wanted: readonly string[]): number {
  if (wanted.length === 0) {
    return 0;
  }
  let count = 0;
  for (let at = 0; at + wanted.length <= words.length; at += 1) {
    count += wanted.every((word, offset) => words[at + offset] === word) ? 1 : 0;
  }
  return count === 0 ? 0 : (2.2 * count) / (count + 1.2 * (0.25 + (0.75 * words.length) / 100));
}

/** A value in a form that can be compared with `===` and `<`. */
export function comparable(text: string, kind: FieldKind): string | number {
  if (kind !== "number" && kind !== "date") {
    return text;
  }
  const value = kind === "number" ? Number(text) : Date.parse(isoTime(text));
  if (Number.isNaN(value)) {
    throw new QuerySyntaxError(`Invalid ${kind} value: '${text}'`);
  }
  return value;
}

/** Solr's dates are UTC whether or not they say so; a bare year or day is its start. */
function isoTime(text: string): string {
  return text.includes("T") && !text.endsWith("Z") ? `${text}Z` : text;
}

function inRange(
  value: Value,
  { from, to, open }: Extract<Query, { kind: "range" }>,
  kind: FieldKind,
): boolean {
  const here = comparable(String(value), kind);
  if (from !== "*") {
    const bound = comparable(from, kind);
    if (here < bound || (open.from && here === bound)) {
      return false;
    }
  }
  if (to !== "*") {
    const bound = comparable(to, kind);
    if (here > bound || (open.to && here === bound)) {
      return false;
    }
  }
  return true;
}

const SHAPE = /^(Intersects|IsWithin)\(\s*ENVELOPE\(([^)]*)\)\s*\)$/;

/** West, east, north, south as in `ENVELOPE(W, E, N, S)`. */
function boxMatches(wanted: string, value: string): boolean {
  const [, relation, corners = ""] = SHAPE.exec(wanted) ?? [];
  const asked = corners.split(",").map(Number);
  if (relation === undefined || asked.length !== 4 || asked.some(Number.isNaN)) {
    throw new QuerySyntaxError(`Unknown spatial operation: ${wanted}`);
  }
  const [west = 0, east = 0, north = 0, south = 0] = asked;
  const [w = 0, e = 0, n = 0, s = 0] = value
    .replace(/^ENVELOPE\(|\)$/g, "")
    .split(",")
    .map(Number);
  return relation === "Intersects"
    ? w <= east && e >= west && s <= north && n >= south
    : w >= west && e <= east && s >= south && n <= north;
}
