/**
 * What a schema says, however it says it: `$ref` or inline, `nullable` or a union with null, `const` or `enum`,
 * `allOf` or one object give the same view. Unions of several branches become what any branch admits.
 */
import type { Json, JsonObject } from "../../src/contract.ts";
import { entriesOf, memberOf, membersOf, type Place, placeOf } from "./place.ts";

export interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface SchemaView {
  readonly pointer: string;
  /** JSON Schema's type names without `null`; empty means any. */
  readonly types: ReadonlySet<string>;
  readonly nullable: boolean;
  /** Without null; absent means any value. */
  readonly values?: readonly Json[];
  readonly limits: Limits;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly deprecated: boolean;
  readonly properties: ReadonlyMap<string, Place>;
  readonly required: ReadonlySet<string>;
  readonly items?: Place;
  /** Schema of members that are not named; absent where there is none. */
  readonly additional?: Place;
}

/** Depth of `allOf`/`anyOf`/`oneOf` inside one another; a schema that contains itself ends here. */
const MAX_DEPTH = 8;

const sameJson = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

function defined<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as T;
}

/** Bounds as inclusive numbers: `exclusiveMinimum: 0` of an integer is `minimum: 1`, of a number the next float. */
function bound(schema: JsonObject, side: "minimum" | "maximum", integer: boolean) {
  const inclusive = schema[side];
  const exclusive = schema[side === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"];
  const sign = side === "minimum" ? 1 : -1;
  const step = (value: number): number =>
    value + sign * (integer ? 1 : Number.EPSILON * Math.max(1, Math.abs(value)));
  const bounds: number[] = [];
  if (typeof inclusive === "number") {
    bounds.push(exclusive === true ? step(inclusive) : inclusive);
  }
  if (typeof exclusive === "number") {
    bounds.push(step(exclusive));
  }
  return bounds.length === 0 ? undefined : sign * Math.max(...bounds.map((value) => sign * value));
}

function count(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function ownTypes(schema: JsonObject, values: readonly Json[] | undefined): string[] {
  const declared = schema.type;
  if (typeof declared === "string") {
    return [declared];
  }
  if (Array.isArray(declared)) {
    return declared.filter((name) => typeof name === "string");
  }
  if (values !== undefined) {
    return [...new Set(values.map((value) => jsonType(value)))];
  }
  if ("properties" in schema || "additionalProperties" in schema) {
    return ["object"];
  }
  return "items" in schema ? ["array"] : [];
}

/** The JSON Schema type of a value. */
export function jsonType(value: Json): string {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return "array";
  }
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function ownView(place: Place): SchemaView {
  const schema = place.value;
  const listed = Array.isArray(schema.enum)
    ? schema.enum
    : "const" in schema
      ? [schema.const ?? null]
      : undefined;
  const types = ownTypes(schema, listed);
  const integer = types.length > 0 && types.every((name) => name === "integer" || name === "null");
  const required = schema.required;
  const additional = memberOf(place, "additionalProperties");
  const text = (key: string) => (typeof schema[key] === "string" ? schema[key] : undefined);
  return defined<SchemaView>({
    pointer: place.pointer,
    types: new Set(types.filter((name) => name !== "null")),
    nullable: types.length === 0 || types.includes("null") || schema.nullable === true,
    values: listed?.filter((value) => value !== null),
    limits: defined<Limits>({
      minimum: bound(schema, "minimum", integer),
      maximum: bound(schema, "maximum", integer),
      minLength: count(schema.minLength),
      maxLength: count(schema.maxLength),
      minItems: count(schema.minItems),
      maxItems: count(schema.maxItems),
    }),
    pattern: text("pattern"),
    format: text("format"),
    description: text("description"),
    default: schema.default,
    deprecated: schema.deprecated === true,
    properties: new Map(membersOf(memberOf(place, "properties"))),
    required: new Set(Array.isArray(required) ? required.map(String) : []),
    items: memberOf(place, "items"),
    additional:
      additional !== undefined && Object.keys(additional.value).length > 0 ? additional : undefined,
  });
}

/** Two schemas of one member as one place: `allOf` where both hold, `anyOf` where one of them does. */
function together(keyword: "allOf" | "anyOf", a: Place, b: Place): Place {
  return sameJson(a.value, b.value)
    ? a
    : { document: a.document, pointer: a.pointer, value: { [keyword]: [a.value, b.value] } };
}

function mergeMaps(
  keyword: "allOf" | "anyOf",
  a: ReadonlyMap<string, Place>,
  b: ReadonlyMap<string, Place>,
): ReadonlyMap<string, Place> {
  const merged = new Map(a);
  for (const [name, place] of b) {
    const known = merged.get(name);
    merged.set(name, known === undefined ? place : together(keyword, known, place));
  }
  return merged;
}

const LOWER: readonly (keyof Limits)[] = ["minimum", "minLength", "minItems"];

function mergeLimits(a: Limits, b: Limits, tightest: boolean): Limits {
  const merged: Record<string, number> = {};
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Limits>) {
    const bounds = [a[key], b[key]].filter((value) => value !== undefined);
    if (tightest || bounds.length === 2) {
      merged[key] = LOWER.includes(key) === tightest ? Math.max(...bounds) : Math.min(...bounds);
    }
  }
  return merged;
}

function commonTypes(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  if (a.size === 0 || b.size === 0) {
    return a.size === 0 ? b : a;
  }
  const both = [...a].filter((name) => b.has(name) || (name === "integer" && b.has("number")));
  const narrowed = [...b].filter((name) => name === "integer" && a.has("number"));
  return new Set([...both, ...narrowed]);
}

/** What both views admit. */
function meet(a: SchemaView, b: SchemaView): SchemaView {
  return defined<SchemaView>({
    pointer: a.pointer,
    types: commonTypes(a.types, b.types),
    nullable: a.nullable && b.nullable,
    values:
      a.values === undefined || b.values === undefined
        ? (a.values ?? b.values)
        : a.values.filter((value) => b.values?.some((other) => sameJson(value, other))),
    limits: mergeLimits(a.limits, b.limits, true),
    pattern: a.pattern ?? b.pattern,
    format: a.format ?? b.format,
    description: a.description ?? b.description,
    default: a.default ?? b.default,
    deprecated: a.deprecated || b.deprecated,
    properties: mergeMaps("allOf", a.properties, b.properties),
    required: new Set([...a.required, ...b.required]),
    items: a.items && b.items ? together("allOf", a.items, b.items) : (a.items ?? b.items),
    additional: a.additional ?? b.additional,
  });
}

/** What one of the views admits. */
function join(a: SchemaView, b: SchemaView): SchemaView {
  const open = a.types.size === 0 || b.types.size === 0;
  return defined<SchemaView>({
    pointer: a.pointer,
    types: open ? new Set<string>() : new Set([...a.types, ...b.types]),
    nullable: a.nullable || b.nullable,
    values:
      a.values === undefined || b.values === undefined
        ? undefined
        : [...a.values, ...b.values.filter((v) => !a.values?.some((w) => sameJson(v, w)))],
    limits: mergeLimits(a.limits, b.limits, false),
    pattern: a.pattern === b.pattern ? a.pattern : undefined,
    format: a.format === b.format ? a.format : undefined,
    description: a.description ?? b.description,
    default: a.default ?? b.default,
    deprecated: a.deprecated && b.deprecated,
    properties: mergeMaps("anyOf", a.properties, b.properties),
    required: new Set([...a.required].filter((name) => b.required.has(name))),
    items: a.items && b.items ? together("anyOf", a.items, b.items) : (a.items ?? b.items),
    additional: a.additional ?? b.additional,
  });
}

/** Whether a schema admits null alone. */
function isNull(place: Place): boolean {
  const { type, const: only, enum: values } = place.value;
  const nothingElse = Array.isArray(values) && values.every((value) => value === null);
  return type === "null" || only === null || nothingElse;
}

/** The view of a schema. */
export function viewOf(place: Place, depth = 0): SchemaView {
  let view = ownView(place);
  if (depth === MAX_DEPTH) {
    return view;
  }
  for (const part of entriesOf(place, "allOf")) {
    view = meet(view, viewOf(part, depth + 1));
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = entriesOf(place, keyword);
    const [first, ...rest] = branches
      .filter((branch) => !isNull(branch))
      .map((branch) => viewOf(branch, depth + 1));
    if (first !== undefined) {
      const union = rest.reduce(join, first);
      view = meet(view, { ...union, nullable: union.nullable || branches.some(isNull) });
    }
  }
  // 3.0 writes `nullable: true` beside an `allOf` with one `$ref`; taken as its author means it.
  return place.value.nullable === true ? { ...view, nullable: true } : view;
}

/** The view of a value that is fixed, e.g. the argument schema of a tool, which stands in no document. */
export function viewOfSchema(schema: JsonObject): SchemaView {
  return viewOf(placeOf(schema, schema, ""));
}
