/** A place in a document: its value, `$ref` followed, and the JSON pointer where it really stands. */
import type { Json, JsonObject } from "../../src/contract.ts";

export interface Place {
  readonly document: JsonObject;
  readonly value: JsonObject;
  readonly pointer: string;
}

/** Longest chain of `$ref` to `$ref` that is followed; a loop ends here as an empty object. */
const MAX_HOPS = 32;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON pointer of a member: `~` and `/` escaped. */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The value at a JSON pointer of a document, percent-encoding of URL fragments undone. */
export function valueAt(document: Json, pointer: string): Json | undefined {
  let current: Json | undefined = document;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = (current as JsonObject)[key];
  }
  return current;
}

function decodeFragment(fragment: string): string {
  return /%[0-9a-f]{2}/i.test(fragment)
    ? fragment.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
        Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"),
      )
    : fragment;
}

/** A place whose `$ref` is followed; members beside a `$ref` (3.1) win over the target's. */
export function placeOf(document: JsonObject, value: Json | undefined, pointer: string): Place {
  let current = value;
  let where = pointer;
  let siblings: JsonObject = {};
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    if (!isObject(current)) {
      return { document, value: siblings, pointer: where };
    }
    const { $ref: reference, ...rest } = current;
    if (typeof reference !== "string") {
      return { document, value: { ...current, ...siblings }, pointer: where };
    }
    siblings = { ...rest, ...siblings };
    if (!reference.startsWith("#")) {
      break;
    }
    where = decodeFragment(reference.slice(1));
    current = valueAt(document, where);
  }
  return { document, value: siblings, pointer: where };
}

/** The member of a place, or undefined where it has none. */
export function memberOf(place: Place, key: string): Place | undefined {
  return Object.hasOwn(place.value, key)
    ? placeOf(place.document, place.value[key], pointerTo(place.pointer, key))
    : undefined;
}

/** Every member of a place that is an object, by name. */
export function membersOf(place: Place | undefined): [string, Place][] {
  if (place === undefined) {
    return [];
  }
  return Object.keys(place.value).flatMap((key): [string, Place][] =>
    isObject(place.value[key])
      ? [[key, placeOf(place.document, place.value[key], pointerTo(place.pointer, key))]]
      : [],
  );
}

/** The entries of a list that is a member of a place. */
export function entriesOf(place: Place, key: string): Place[] {
  const list = place.value[key];
  const pointer = pointerTo(place.pointer, key);
  return Array.isArray(list)
    ? list.map((entry, index) => placeOf(place.document, entry, pointerTo(pointer, index)))
    : [];
}

export function textOf(place: Place, key: string): string | undefined {
  const value = place.value[key];
  return typeof value === "string" ? value : undefined;
}
