/** Parts of two documents that say the same, together with everything they refer to: there is nothing to compare in them. */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../src/contract.ts";
import { isObject, pointerTo } from "./place.ts";

/** Levels of names below a root member: `/components/schemas/Cell` is one part, `/paths/~1cells/get` another. */
const LEVELS: Readonly<Record<string, number>> = { components: 2, paths: 2 };

/** The part that a pointer leads into. */
export function partOf(pointer: string): string {
  const [, root = "", ...below] = pointer.split("/");
  return ["", root, ...below.slice(0, LEVELS[root] ?? 1)].join("/");
}

function partsOf(document: JsonObject): Map<string, Json> {
  let level = new Map<string, Json>(
    Object.entries(document).map(([root, value]) => [pointerTo("", root), value]),
  );
  for (let depth = 1; depth <= 2; depth += 1) {
    level = new Map(
      [...level].flatMap(([pointer, value]) =>
        isObject(value) && depth <= (LEVELS[pointer.split("/")[1] ?? ""] ?? 1)
          ? Object.entries(value).map(([key, member]): [string, Json] => [
              pointerTo(pointer, key),
              member,
            ])
          : [[pointer, value] as [string, Json]],
      ),
    );
  }
  return level;
}

function collectReferences(value: Json, into: Set<string>): Set<string> {
  if (Array.isArray(value)) {
    for (const entry of value) {
      collectReferences(entry, into);
    }
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === "$ref" && typeof member === "string") {
        into.add(partOf(member.replace(/^#/, "")));
      } else {
        collectReferences(member, into);
      }
    }
  }
  return into;
}

/** Pointers of the unchanged parts. The order of members makes no difference. */
export function unchangedParts(before: JsonObject, after: JsonObject): ReadonlySet<string> {
  const now = partsOf(after);
  const same = new Map(
    [...partsOf(before)]
      .filter(([pointer, value]) => isDeepStrictEqual(value, now.get(pointer)))
      .map(([pointer, value]) => [pointer, [...collectReferences(value, new Set())]]),
  );
  // A part that refers to a changed one is changed as well, and so on.
  for (let size = -1; size !== same.size; ) {
    size = same.size;
    for (const [pointer, references] of same) {
      if (references.some((reference) => !same.has(reference))) {
        same.delete(pointer);
      }
    }
  }
  return new Set(same.keys());
}
