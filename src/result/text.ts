/** A window of a text. */
import type { JsonObject } from "../contract.ts";
import { jsonBytes } from "./budget.ts";
import { cleanText } from "./clean.ts";
import { fitText } from "./fit-text.ts";

export interface TextRequest {
  /** Characters to skip. */
  readonly offset: number;
  /** Most characters; absent: what fits. */
  readonly limit?: number | undefined;
  /** Lower case; "" where the answer names none. */
  readonly mediaType: string;
  readonly notes: readonly string[];
}

/** Room for the note and the numbers around a text [bytes]. */
const AROUND = 300;

/** The asked characters of a text, cut to the budget [bytes], mostly at a line's end; `next_offset` leads on. */
export function writeText(raw: string, request: TextRequest, budgetBytes: number): JsonObject {
  const text = cleanText(raw);
  const { offset, limit = Number.POSITIVE_INFINITY, mediaType, notes } = request;
  const around = AROUND + jsonBytes(mediaType) + jsonBytes(notes);
  const piece = fitText(text, offset, limit, Math.max(1, budgetBytes - around));
  const more = piece.end < text.length;
  const told = [...notes];
  if (offset > text.length) {
    told.push(`offset ${offset} is past the end: there are ${text.length} characters.`);
  } else if (more) {
    told.push(
      `Characters ${offset} to ${piece.end} of ${text.length}. Go on with offset=${piece.end}.`,
    );
  }
  return {
    text: piece.text,
    media_type: mediaType,
    offset,
    count: piece.text.length,
    total: text.length,
    has_more: more,
    ...(more ? { next_offset: piece.end } : {}),
    ...(told.length === 0 ? {} : { note: told.join(" ") }),
  };
}
