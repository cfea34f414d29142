/** What a call of our own gave. */
import type { CallOutcome } from "../call.ts";
import type { ErrorCode, JsonObject } from "../contract.ts";
import { ToolError } from "../errors.ts";

/** @throws ToolError the error that the outcome tells, with its code and hint */
export function shownOf({ isError, structuredContent, content }: CallOutcome): JsonObject {
  if (isError !== true) {
    return structuredContent ?? {};
  }
  const { error } = JSON.parse(content[0].text) as {
    error: { code: ErrorCode; message: string; hint?: string };
  };
  throw new ToolError(
    error.code,
    error.message,
    error.hint === undefined ? {} : { hint: error.hint },
  );
}
