/** How likely one name or place is the other one renamed. */
import { nearest } from "../../src/nearest.ts";
import { isObject, type Place } from "./place.ts";
import { type SchemaView, viewOf } from "./view.ts";

/** Words of an identifier: `pageSize`, `page_size`, `page-size` → page, size. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}

/** Share of common members, 0 to 1. */
export function overlap(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [new Set(a), new Set(b)];
  const common = [...left].filter((word) => right.has(word)).length;
  const all = new Set([...left, ...right]).size;
  return all === 0 ? 0 : common / all;
}

/** Likeness of two names, 0 to 1. */
export function nameLikeness(a: string, b: string): number {
  const words = overlap(wordsOf(a), wordsOf(b));
  return Math.max(words, nearest(a, [b]) === undefined ? 0 : 0.6);
}

/** Likeness of two short texts, 0 to 1. */
export function textLikeness(a: string | undefined, b: string | undefined): number {
  return a === undefined || b === undefined ? 0 : overlap(wordsOf(a), wordsOf(b));
}

function sameTypes(a: SchemaView, b: SchemaView): boolean {
  return [...a.types].sort().join() === [...b.types].sort().join();
}

/** What a schema says beyond its type: enum, bounds, format, members. */
function particulars(view: SchemaView): string[] {
  return [
    ...(view.values ?? []).map((value) => `value ${JSON.stringify(value)}`),
    ...Object.entries(view.limits).map(([key, value]) => `${key} ${value}`),
    ...(view.format === undefined ? [] : [`format ${view.format}`]),
    ...(view.default === undefined ? [] : [`default ${JSON.stringify(view.default)}`]),
    ...[...view.properties.keys()].map((name) => `member ${name}`),
    ...(view.items === undefined ? [] : particulars(viewOf(view.items)).map((p) => `item ${p}`)),
  ];
}

/**
 * Likeness of two things with a name, a schema and a description, 0 to 1.
 * Things of different type are never the same thing renamed.
 */
export function likeness(
  a: {
    readonly name: string;
    readonly schema: SchemaView;
    readonly description?: string | undefined;
  },
  b: {
    readonly name: string;
    readonly schema: SchemaView;
    readonly description?: string | undefined;
  },
): number {
  if (!sameTypes(a.schema, b.schema)) {
    return 0;
  }
  const [mine, others] = [particulars(a.schema), particulars(b.schema)];
  // One thing in common, such as a default of false, says nothing.
  const telling = mine.filter((one) => others.includes(one)).length >= 2;
  return Math.max(
    nameLikeness(a.name, b.name),
    telling ? overlap(mine, others) : 0,
    textLikeness(a.description, b.description),
  );
}

/** Least likeness at which a rename is said; below it a thing is gone and another one is new. */
const RENAMED = 0.5;

/** The candidate that is most like the lost thing, or undefined where none is like it. */
export function mostLike<T>(
  candidates: readonly T[],
  score: (candidate: T) => number,
): T | undefined {
  let best: { candidate: T; score: number } | undefined;
  for (const candidate of candidates) {
    const value = score(candidate);
    if (value >= RENAMED && value > (best?.score ?? 0)) {
      best = { candidate, score: value };
    }
  }
  return best?.candidate;
}

/** Names of the members of an answer's schema, down to the second level. */
export function memberNames(schema: Place | undefined): string[] {
  if (schema === undefined || !isObject(schema.value)) {
    return [];
  }
  const view = viewOf(schema);
  const inner = [...view.properties.values(), ...(view.items === undefined ? [] : [view.items])];
  return [
    ...view.properties.keys(),
    ...inner.flatMap((place) => {
      const member = viewOf(place);
      const item = member.items === undefined ? undefined : viewOf(member.items);
      return [...member.properties.keys(), ...(item?.properties.keys() ?? [])];
    }),
  ];
}
