/** The part of a document that some operations need: small and sorted. */
import type { Json, JsonObject } from "../src/contract.ts";
import { isObject, placeOf, pointerTo, valueAt } from "./drift/place.ts";
import { stepsOf } from "./load.ts";
import { reachedParts } from "./reach.ts";

/** Where one operation stands. */
export interface OperationAddress {
  readonly path: string;
  /** Lower case. */
  readonly method: string;
}

function byName<T>([a]: [string, T], [b]: [string, T]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Starting points of an operation: itself and the parameters of its path. */
export function startsOf(document: JsonObject, { path, method }: OperationAddress): string[] {
  const item = placeOf(
    document,
    valueAt(document, pointerTo("/paths", path)),
    pointerTo("/paths", path),
  );
  return [pointerTo(item.pointer, method), pointerTo(item.pointer, "parameters")];
}

function setAt(root: JsonObject, pointer: string, value: Json): void {
  const steps = stepsOf(pointer);
  const last = steps.pop() ?? "";
  let current = root;
  for (const step of steps) {
    const next = Object.hasOwn(current, step) ? current[step] : undefined;
    if (!isObject(next)) {
      Object.defineProperty(current, step, { value: {}, enumerable: true, writable: true });
    }
    current = current[step] as JsonObject;
  }
  Object.defineProperty(current, last, { value, enumerable: true, writable: true });
}

/** Members sorted, as far as `depth` says: the order of paths and components must not show. */
function sortMembers(value: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .sort(byName)
      .map(([key, member]) => [
        key,
        depth > 1 && isObject(member) ? sortMembers(member, depth - 1) : member,
      ]),
  );
}

/** The document without everything that the operations do not reach. */
export function pruneDocument(
  document: JsonObject,
  operations: readonly OperationAddress[],
): JsonObject {
  const starts = operations.flatMap((operation) => startsOf(document, operation));
  const parts: JsonObject = {};
  for (const pointer of reachedParts(document, starts)) {
    setAt(parts, pointer, valueAt(document, pointer) ?? null);
  }
  for (const { path } of operations) {
    const pointer = pointerTo("/paths", path);
    const item = placeOf(document, valueAt(document, pointer), pointer);
    if (item.pointer !== pointer) {
      // The path stands elsewhere; what was reached there is put back in its place.
      setAt(parts, pointer, valueAt(parts, item.pointer) ?? {});
    }
  }
  const { openapi = "3.1.0", info = {} } = document;
  const { title = "", version = "" } = isObject(info) ? info : {};
  const components = isObject(parts.components) ? sortMembers(parts.components, 2) : {};
  const rest = Object.entries(parts).filter(([key]) => !["components", "paths"].includes(key));
  return {
    openapi,
    info: { title, version },
    paths: sortMembers((parts.paths ?? {}) as JsonObject, 2),
    components,
    ...Object.fromEntries(rest.sort(byName)),
  };
}
