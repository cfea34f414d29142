/** Where an operation of the committed document is in the new one: gone, hidden, moved, renamed, other method. */
import type { Json, JsonObject } from "../../src/contract.ts";
import { bodySchema } from "./answers.ts";
import type { Change } from "./finding.ts";
import { type Located, placeholders } from "./parameters.ts";
import { entriesOf, isObject, memberOf, placeOf, pointerTo, textOf } from "./place.ts";
import { memberNames, mostLike, nameLikeness, overlap, textLikeness } from "./similar.ts";
import type { OperationUse } from "./uses.ts";
import { saysOtherwise } from "./words.ts";

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options", "trace", "query"];

export interface Operation extends Located {
  /** Upper case. */
  readonly method: string;
  readonly operationId: string | undefined;
}

/** Every operation of a document. */
export function operationsOf(document: JsonObject): Operation[] {
  const paths = isObject(document.paths) ? document.paths : {};
  return Object.keys(paths).flatMap((path) => {
    const item = placeOf(document, paths[path], pointerTo("/paths", path));
    return METHODS.flatMap((method): Operation[] => {
      const operation = isObject(item.value[method]) ? memberOf(item, method) : undefined;
      return operation === undefined
        ? []
        : [
            {
              path,
              item,
              operation,
              method: method.toUpperCase(),
              operationId: textOf(operation, "operationId"),
            },
          ];
    });
  });
}

/** A path template without the names of its parameters and a slash at its end. */
export function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}").replace(/(?<=.)\/$/, "");
}

/** `GET /path (operationId)`. */
export function say(operation: Operation): string {
  const id = operation.operationId === undefined ? "" : ` (${operation.operationId})`;
  return `${operation.method} ${operation.path}${id}`;
}

/** Whether an operation carries every member that the manifest demands of a public one. */
export function isPublic(operation: Operation, guard: JsonObject): boolean {
  return Object.entries(guard).every(
    ([key, value]) => JSON.stringify(operation.operation.value[key]) === JSON.stringify(value),
  );
}

/** Likeness of two operations by answer, parameters, path and name, 0 to 1. */
function structure(was: Operation, is: Operation): number {
  if (was.method !== is.method || placeholders(was.path).length !== placeholders(is.path).length) {
    return 0;
  }
  const names = ({ item, operation }: Operation) =>
    [...entriesOf(item, "parameters"), ...entriesOf(operation, "parameters")]
      .filter((parameter) => textOf(parameter, "in") !== "path")
      .map((parameter) => textOf(parameter, "name") ?? "");
  const answer = overlap(
    memberNames(bodySchema(was.operation)),
    memberNames(bodySchema(is.operation)),
  );
  const segments = (path: string) =>
    shapeOf(path)
      .split("/")
      .filter((part) => part !== "");
  const name = Math.max(
    nameLikeness(was.operationId ?? "", is.operationId ?? ""),
    textLikeness(textOf(was.operation, "summary"), textOf(is.operation, "summary")),
  );
  const parameters = overlap(names(was), names(is));
  return (
    0.3 * answer +
    0.2 * parameters +
    0.2 * overlap(segments(was.path), segments(is.path)) +
    0.3 * name
  );
}

/** What became of an operation. */
export interface Fate {
  /** The operation as it is now; absent where it is gone and nothing is like it. */
  readonly is?: Operation;
  /** Whether `is` is only a guess by structure: its details are not compared. */
  readonly guessed: boolean;
  readonly changes: readonly Change[];
}

/**
 * Finds a committed operation in the new document.
 * @param before every operation of the committed document: what stands there already is nobody's new name
 */
export function fateOf(
  was: Operation,
  use: OperationUse,
  before: readonly Operation[],
  after: readonly Operation[],
): Fate {
  const shape = shapeOf(was.path);
  const samePlace = after.find((op) => op.method === was.method && shapeOf(op.path) === shape);
  const sameId =
    was.operationId === undefined
      ? undefined
      : after.find((op) => op.operationId === was.operationId);
  const breaking = (pointer: string, message: string): Change => ({
    level: "breaking",
    pointer,
    message,
  });

  if (samePlace !== undefined && (use.byPath || sameId === undefined || sameId === samePlace)) {
    const changes: Change[] = [];
    if (samePlace.operationId !== was.operationId) {
      const message = `operation renamed from ${was.operationId ?? "none"} to ${samePlace.operationId ?? "none"}`;
      changes.push(
        use.byPath
          ? { level: "note", pointer: samePlace.operation.pointer, message }
          : breaking(
              samePlace.operation.pointer,
              `${message}; write the new name in the manifest's entry`,
            ),
      );
    }
    if (samePlace.path !== was.path && /\/$/.test(samePlace.path) !== /\/$/.test(was.path)) {
      const message = `operation moved from ${was.path} to ${samePlace.path}; generate anew`;
      changes.push(breaking(samePlace.operation.pointer, message));
    }
    return { is: samePlace, guessed: false, changes };
  }
  if (sameId !== undefined && !use.byPath) {
    const method =
      sameId.method === was.method ? [] : [`method changed from ${was.method} to ${sameId.method}`];
    const path =
      shapeOf(sameId.path) === shape ? [] : [`operation moved from ${was.path} to ${sameId.path}`];
    const edit =
      method.length > 0
        ? "only reads can be tools: choose another operation in the manifest"
        : "generate anew";
    const message = `${[...path, ...method].join("; ")}; ${edit}`;
    return { is: sameId, guessed: false, changes: [breaking(sameId.operation.pointer, message)] };
  }
  const known = new Set(before.map((op) => `${op.method} ${shapeOf(op.path)}`));
  const ids = new Set(before.map((op) => op.operationId));
  const fresh = after.filter(
    (op) =>
      !known.has(`${op.method} ${shapeOf(op.path)}`) &&
      !(op.operationId !== undefined && ids.has(op.operationId)),
  );
  const otherMethod = fresh.find((op) => shapeOf(op.path) === shape);
  if (otherMethod !== undefined) {
    const message = `method changed from ${was.method} to ${otherMethod.method}, operation renamed to ${otherMethod.operationId ?? "none"}; only reads can be tools: choose another operation in the manifest`;
    return {
      guessed: true,
      is: otherMethod,
      changes: [breaking(otherMethod.operation.pointer, message)],
    };
  }
  const heir = sameId ?? mostLike(fresh, (op) => structure(was, op));
  if (heir !== undefined) {
    const message = `operation ${say(was)} gone; ${say(heir)} looks like its new name: write that in the manifest's entry`;
    return { guessed: true, is: heir, changes: [breaking(heir.operation.pointer, message)] };
  }
  const message = `operation ${say(was)} gone; remove the tool from the manifest or choose another operation`;
  return { guessed: true, changes: [breaking(was.operation.pointer, message)] };
}

/** Changes of an operation as a whole: no longer public, a body newly required, words, deprecation. */
export function operationChanges(was: Operation, is: Operation, guard: JsonObject): Change[] {
  const pointer = is.operation.pointer;
  const changes: Change[] = [];
  if (isPublic(was, guard) && !isPublic(is, guard)) {
    const told = Object.entries(guard)
      .filter(([key, value]) => JSON.stringify(is.operation.value[key]) !== JSON.stringify(value))
      .map(
        ([key, value]) => `${key} is ${sayValue(is.operation.value[key])}, not ${sayValue(value)}`,
      );
    const message = `operation hidden: ${told.join(", ")}; remove the tool from the manifest`;
    changes.push({ level: "breaking", pointer, message });
  }
  const body = memberOf(is.operation, "requestBody");
  const oldBody = memberOf(was.operation, "requestBody");
  if (body?.value.required === true && oldBody?.value.required !== true) {
    const message = "a request body is newly required; reads send none";
    changes.push({ level: "breaking", pointer: body.pointer, message });
  }
  for (const key of ["summary", "description"]) {
    if (saysOtherwise(textOf(was.operation, key), textOf(is.operation, key))) {
      changes.push({ level: "note", pointer: pointerTo(pointer, key), message: `${key} changed` });
    }
  }
  if (was.operation.value.deprecated !== true && is.operation.value.deprecated === true) {
    changes.push({ level: "note", pointer, message: "operation now deprecated" });
  }
  return changes;
}

const sayValue = (value: Json | undefined): string =>
  value === undefined ? "missing" : JSON.stringify(value);
