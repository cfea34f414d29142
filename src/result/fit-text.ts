/** A piece of a text that fits, cut at a line's end where there is one nearby. */
import { jsonBytes } from "./budget.ts";

export interface TextPiece {
  readonly text: string;
  /** Place after the piece [UTF-16 code units]. */
  readonly end: number;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The nearest place at or before `at` that does not tear a character apart. */
export function wholePlace(text: string, at: number): number {
  return at > 0 && at < text.length && isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at;
}

/**
 * The piece from `offset` on: at most `limit` characters and `roomBytes` of JSON text, at least one character.
 * @param offset, limit in UTF-16 code units
 */
export function fitText(text: string, offset: number, limit: number, roomBytes: number): TextPiece {
  const start = wholePlace(text, Math.min(offset, text.length));
  const most = Math.min(text.length, start + limit);
  // A character takes a byte or more: whatever is further off cannot fit.
  let fits = 0;
  let fails = Math.min(most - start, Math.max(1, roomBytes)) + 1;
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    const isShort = jsonBytes(text.slice(start, start + middle)) - 2 <= roomBytes;
    [fits, fails] = isShort ? [middle, fails] : [fits, middle];
  }
  const end = wholePlace(text, start + Math.max(1, fits));
  if (end >= most) {
    return { text: text.slice(start, most), end: most };
  }
  const line = text.lastIndexOf("\n", end - 1) + 1;
  const nice = line > start + (end - start) / 2 ? line : end > start ? end : start + 2;
  return { text: text.slice(start, nice), end: nice };
}
