/** One object, as the API gives it. */
import type { JsonObject } from "../contract.ts";
import { ToolError } from "../errors.ts";
import type { ExactJson } from "../json.ts";
import { HARD_LIMIT_BYTES, jsonBytes } from "./budget.ts";
import { cleanJson } from "./clean.ts";

/**
 * @throws ToolError UNREADABLE_ANSWER when the answer is not an object, TOO_LARGE beyond the hard limit
 */
export function writeRecord(value: ExactJson, what: string): JsonObject {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new ToolError("UNREADABLE_ANSWER", `The answer to ${what} is not a JSON object`);
  }
  const record = cleanJson(value) as JsonObject;
  const bytes = jsonBytes(record);
  if (bytes > HARD_LIMIT_BYTES) {
    throw new ToolError(
      "TOO_LARGE",
      `The answer to ${what} is one record of ${bytes} bytes; a result holds ${HARD_LIMIT_BYTES} at most`,
    );
  }
  return record;
}
