/** An answer without content, in words. */
import type { JsonObject } from "../contract.ts";

/** @param what what was asked */
export function emptyAnswer(status: number, what: string): JsonObject {
  return { status, note: `${what} was answered with ${status}: done, and there is no content.` };
}
