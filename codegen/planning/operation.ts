/** The operation that a manifest names, and the guards that it must pass. */
import { nearest } from "../../src/nearest.ts";
import { isPublic, type Operation } from "../drift/operations.ts";
import type { ManifestPath } from "../manifest-findings.ts";
import { type Planning, suggest } from "./context.ts";

const BY_PATH = /^([A-Za-z]+) (\/.*)$/;
const READS = ["GET", "HEAD"];

/** An operation that passed, and how the manifest names it. */
export interface FoundOperation {
  readonly operation: Operation;
  readonly byPath: boolean;
}

function candidates(planning: Planning, name: string): { found: Operation[]; byPath: boolean } {
  const [, method = "", path = ""] = BY_PATH.exec(name) ?? [];
  const byPath = path !== "";
  const found = planning.operations.filter((operation) =>
    byPath
      ? operation.path === path && operation.method === method.toUpperCase()
      : operation.operationId === name,
  );
  return { found, byPath };
}

function reportMissing(planning: Planning, at: ManifestPath, name: string): void {
  const { document, operations } = planning;
  const [, method = "", path = ""] = BY_PATH.exec(name) ?? [];
  const others = operations.filter((operation) => operation.path === path);
  if (others.length > 0) {
    const methods = others.map((operation) => operation.method).join(", ");
    planning.report(
      at,
      `${path} has no ${method.toUpperCase()} in ${document.source}`,
      `it has ${methods}`,
    );
    return;
  }
  const known =
    path === ""
      ? operations.flatMap(({ operationId }) => operationId ?? [])
      : operations
          .filter((operation) => READS.includes(operation.method))
          .map((operation) => `${operation.method} ${operation.path}`);
  planning.report(
    at,
    `operation "${name}" does not exist in ${document.source}`,
    suggest(nearest(name, known), known),
  );
}

const shown = (value: unknown): string => (value === undefined ? "absent" : JSON.stringify(value));

/**
 * Finds the operation that a place of the manifest names: there once, a read, public.
 * @returns undefined when it was reported as a problem
 */
export function findOperation(
  planning: Planning,
  at: ManifestPath,
  name: string,
): FoundOperation | undefined {
  const { found, byPath } = candidates(planning, name);
  const [operation, ...others] = found;
  if (operation === undefined) {
    reportMissing(planning, at, name);
    return undefined;
  }
  if (others.length > 0) {
    const places = found.map(({ method, path }) => `"${method} ${path}"`).join(" or ");
    planning.report(
      at,
      `operationId "${name}" stands for ${found.length} operations of ${planning.document.source}`,
      `write ${places}`,
    );
    return undefined;
  }
  let passed = true;
  if (!READS.includes(operation.method)) {
    planning.report(
      at,
      `operation "${name}" is a ${operation.method}, not a read`,
      "only GET and HEAD become tools",
    );
    passed = false;
  }
  if (!isPublic(operation, planning.guard)) {
    const missed = Object.entries(planning.guard)
      .filter(
        ([key, value]) => JSON.stringify(operation.operation.value[key]) !== JSON.stringify(value),
      )
      .map(
        ([key, value]) => `${key} is ${shown(operation.operation.value[key])}, not ${shown(value)}`,
      );
    planning.report(
      at,
      `operation "${name}" is not public: ${missed.join(", ")}`,
      "take it out of the manifest; only who owns the API can make it public",
    );
    passed = false;
  }
  return passed ? { operation, byPath } : undefined;
}
