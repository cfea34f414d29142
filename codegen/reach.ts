/**
 * What a set of operations reaches through `$ref`, and the flaws of a document: references that lead nowhere or outside,
 * schemas that are none. A flaw matters only where a whitelisted operation reaches it.
 */
import type { Json, JsonObject } from "../src/contract.ts";
import { isObject, pointerTo, valueAt } from "./drift/place.ts";
import { stepsOf } from "./load.ts";

/** Something in a document that cannot be used. */
export interface Flaw {
  readonly pointer: string;
  readonly message: string;
}

/** Keys whose members carry free names, so that a member called `example` is no example. */
const NAME_MAPS = new Set([
  "$defs",
  "callbacks",
  "content",
  "definitions",
  "dependentSchemas",
  "encoding",
  "headers",
  "links",
  "parameters",
  "pathItems",
  "paths",
  "patternProperties",
  "properties",
  "requestBodies",
  "responses",
  "schemas",
  "securitySchemes",
  "variables",
]);

/** Keys that hold data, not descriptions: a `$ref` in there is nothing but text. */
const DATA = new Set(["example", "examples", "default", "enum", "const", "mapping"]);

/** Keys under which a schema must stand, and those that hold a map of schemas. */
const SCHEMA_KEYS = new Set(["schema", "items", "additionalProperties", "not"]);
const SCHEMA_MAPS = new Set(["schemas", "properties", "$defs", "definitions", "patternProperties"]);

interface Visit {
  readonly reference: (reference: string, pointer: string) => void;
  readonly flaw: (flaw: Flaw) => void;
}

function isSchemaPlace(key: string, parentKey: string): boolean {
  return SCHEMA_MAPS.has(parentKey) || (SCHEMA_KEYS.has(key) && !NAME_MAPS.has(parentKey));
}

/**
 * Walks a part of a document without following references.
 * @param key the key it stands under, "" for list entries
 * @param names whether its members carry free names
 */
function walk(value: Json, pointer: string, key: string, names: boolean, visit: Visit): void {
  if (Array.isArray(value)) {
    value.forEach((entry, index) => {
      walk(entry, pointerTo(pointer, index), "", false, visit);
    });
    return;
  }
  if (!isObject(value)) {
    return;
  }
  const reference = value.$ref;
  if (!names && typeof reference === "string") {
    visit.reference(reference, pointer);
  }
  for (const [name, member] of Object.entries(value)) {
    if (!names && (DATA.has(name) || name.startsWith("x-"))) {
      continue;
    }
    const below = pointerTo(pointer, name);
    const isSchema = names ? SCHEMA_MAPS.has(key) : isSchemaPlace(name, "");
    if (isSchema && !isObject(member) && typeof member !== "boolean") {
      const what = member === null ? "null" : Array.isArray(member) ? "a list" : typeof member;
      // 3.0 tools wrote `items: []` for tuples; there and everywhere else a list is no schema.
      visit.flaw({ pointer: below, message: `a schema must be an object, not ${what}` });
    }
    walk(member, below, name, !names && NAME_MAPS.has(name) && isObject(member), visit);
  }
}

/** A local reference as a pointer, percent-encoding undone; undefined for one that leads outside. */
function targetOf(reference: string): string | undefined {
  if (!reference.startsWith("#")) {
    return undefined;
  }
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    // A stray percent sign is meant literally.
    return reference.slice(1);
  }
}

function chainEnds(document: JsonObject, start: string): boolean {
  const seen = new Set<string>();
  let pointer: string | undefined = start;
  while (pointer !== undefined && !seen.has(pointer)) {
    seen.add(pointer);
    const value = valueAt(document, pointer);
    const next: Json | undefined = isObject(value) ? value.$ref : undefined;
    if (typeof next !== "string") {
      return true;
    }
    pointer = targetOf(next);
  }
  return pointer === undefined;
}

function referenceFlaw(document: JsonObject, reference: string): string | undefined {
  const target = targetOf(reference);
  if (target === undefined) {
    return `the reference ${JSON.stringify(reference)} leads to another document`;
  }
  if (valueAt(document, target) === undefined) {
    return `the reference ${JSON.stringify(reference)} leads nowhere`;
  }
  return chainEnds(document, target)
    ? undefined
    : `the reference ${JSON.stringify(reference)} leads back to itself`;
}

/** Every flaw of a document, in its order. */
export function findFlaws(document: JsonObject): Flaw[] {
  const flaws: Flaw[] = [];
  walk(document, "", "", false, {
    flaw: (flaw) => flaws.push(flaw),
    reference: (reference, pointer) => {
      const message = referenceFlaw(document, reference);
      if (message !== undefined) {
        flaws.push({ pointer, message });
      }
    },
  });
  return flaws;
}

/** Steps that name one reusable part, by the root member they start with; 1 for any other. */
const PART_STEPS: Readonly<Record<string, number>> = { components: 3, paths: 3, "x-external": 2 };

/** Pointer of the reusable part that a pointer leads into, e.g. `/components/schemas/Cell`. */
function partOf(pointer: string): string {
  const steps = stepsOf(pointer);
  const length = PART_STEPS[steps[0] ?? ""] ?? 2;
  return steps.slice(0, length).reduce(pointerTo, "");
}

/** A name map directly above a part, so that its key says what the part is. */
function keyAbove(pointer: string): string {
  return stepsOf(pointer).at(-2) ?? "";
}

/**
 * Pointers of every part of a document that is reached from `starts`, those included.
 * Parts are whole components and operations; recursion ends because each is visited once.
 */
export function reachedParts(document: JsonObject, starts: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = [...starts];
  for (let pointer = open.pop(); pointer !== undefined; pointer = open.pop()) {
    const value = valueAt(document, pointer);
    if (reached.has(pointer) || value === undefined) {
      continue;
    }
    reached.add(pointer);
    walk(value, pointer, keyAbove(pointer), false, {
      flaw: () => {},
      reference: (reference) => {
        const target = targetOf(reference);
        if (target !== undefined) {
          open.push(partOf(target));
        }
      },
    });
  }
  return reached;
}

/** Whether a pointer lies in one of the parts. */
export function isReached(pointer: string, parts: ReadonlySet<string>): boolean {
  const steps = stepsOf(pointer);
  let current = "";
  for (const step of steps) {
    current = pointerTo(current, step);
    if (parts.has(current)) {
      return true;
    }
  }
  return parts.has("");
}
