/** What a 206 answer must say about itself before its bytes are believed. */
import { ToolError } from "../errors.ts";
import type { Reply } from "./exchange.ts";

/** The part of a file that a 206 answer holds: `start` inclusive, `end` exclusive. */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

/** The error of an answer that a store should not have given. */
export function unreadable(what: string, why: string): ToolError {
  return new ToolError("UNREADABLE_ANSWER", `The answer for ${what} cannot be used: ${why}`, {
    hint: "Try again; if it stays so, the store answers byte ranges wrongly",
  });
}

/** Which part of the file a 206 answer holds. @throws ToolError UNREADABLE_ANSWER when it does not say so plainly */
export function partOf(reply: Reply, what: string): Part {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(reply.header("content-range") ?? "");
  if (range === null) {
    throw unreadable(what, "it does not say which bytes it holds");
  }
  if (reply.encoded) {
    throw unreadable(what, "a byte range must not be compressed");
  }
  return { start: Number(range[1]), end: Number(range[2]) + 1, size: Number(range[3]) };
}

/** @throws ToolError UNREADABLE_ANSWER unless the answer holds exactly the asked part */
export function requirePart(part: Part, start: number, end: number, what: string): void {
  if (part.start !== start || part.end !== end) {
    throw unreadable(
      what,
      `bytes ${part.start} to ${part.end} came, ${start} to ${end} were asked`,
    );
  }
}
