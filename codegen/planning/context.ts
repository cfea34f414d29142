/** What the planning of one server has at hand, and how it complains. */
import type { JsonObject } from "../../src/contract.ts";
import type { Operation } from "../drift/operations.ts";
import type { LoadedDocument } from "../load.ts";
import type { ManifestPath } from "../manifest-findings.ts";

export interface Planning {
  readonly document: LoadedDocument;
  /** Every operation of the document. */
  readonly operations: readonly Operation[];
  /** Members that an operation must carry. */
  readonly guard: JsonObject;
  /** Names of the section's variables. */
  readonly variables: readonly string[];
  /** Files a problem at a place of the manifest, told from where this planning stands. */
  report(path: ManifestPath, message: string, hint?: string): void;
}

/** The same planning, its places told from further down. */
export function within(planning: Planning, path: ManifestPath): Planning {
  return {
    ...planning,
    report: (below, message, hint) => planning.report([...path, ...below], message, hint),
  };
}

/** `did you mean "x"?`, or the whole choice where nothing is near. */
export function suggest(near: string | undefined, known: readonly string[]): string | undefined {
  if (near !== undefined) {
    return `did you mean "${near}"?`;
  }
  return known.length === 0 || known.length > 30 ? undefined : `known: ${known.join(", ")}`;
}
