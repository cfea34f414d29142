/** One object, as the API gives it. */
import type { JsonObject } from "../contract.ts";
import { ToolError } from "../errors.ts";
import type { ExactJson } from "../json.ts";
import { HARD_LIMIT_BYTES, jsonBytes } from "./budget.ts";
import { cleanJson } from "./clean.ts";

/** @throws ToolError UNREADABLE_ANSWER when the answer is not an object */
export function asRecord(value: ExactJson, what: string): JsonObject {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new ToolError("UNREADABLE_ANSWER", `The answer to ${what} is not a JSON object`);
  }
  return cleanJson(value) as JsonObject;
}

/**
 * The whole object, for tools that have no way to ask for a part.
 * @throws ToolError TOO_LARGE beyond the hard limit
 */
export function writeRecord(
  record: JsonObject,
  what: string,
  notes: readonly string[],
): JsonObject {
  const bytes = jsonBytes(record);
  if (bytes > HARD_LIMIT_BYTES) {
    throw new ToolError(
      "TOO_LARGE",
      `The answer to ${what} is one record of ${bytes} bytes; a result holds ${HARD_LIMIT_BYTES} at most`,
    );
  }
  return notes.length === 0 ? record : { ...record, _note: notes.join(" ") };
}
