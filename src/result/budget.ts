/** How many rows or items fit into a result. */
import type { JsonObject } from "../contract.ts";

/** Most bytes of any result, whatever the budget: hosts and the protocol's own limits end soon after. */
export const HARD_LIMIT_BYTES = 1_000_000;

/** Texts of results that were measured: writing the numbers of a window takes longer than anything else about it. */
const texts = new WeakMap<object, string>();

/** Compact JSON of a result. An object that was measured is not written anew, so it must not be changed any more. */
export function jsonText(value: object): string {
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Length of compact JSON as it travels [bytes, UTF-8]. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "null");
}

export interface Fitted {
  readonly structured: JsonObject;
  /** Entries that are in it. */
  readonly kept: number;
  /** Set where the first entry alone is beyond the hard limit: its size [bytes]. Nothing is kept then. */
  readonly oversize?: number;
}

/**
 * The result with as many of its entries (rows, items) from the start as the budget holds; at least one, as long as it
 * stays under the hard limit.
 * @param count entries there are
 * @param entryBytes size of an entry as it stands in the result [bytes], without the comma
 * @param build the whole result with the first `kept` entries
 */
export function fitEntries(
  count: number,
  entryBytes: (index: number) => number,
  budgetBytes: number,
  build: (kept: number, oversize?: number) => JsonObject,
): Fitted {
  const whole = build(count);
  const wholeBytes = Buffer.byteLength(jsonText(whole));
  if (count === 0 || wholeBytes <= budgetBytes) {
    return { structured: whole, kept: count };
  }
  // A guess as if all were of one size, then entry by entry from there.
  const emptyBytes = jsonBytes(build(0));
  const share = (budgetBytes - emptyBytes) / (wholeBytes - emptyBytes);
  let kept = Math.max(1, Math.min(count - 1, Math.floor(count * share)));
  let left = budgetBytes - jsonBytes(build(kept));
  for (; left >= 0 && kept < count; kept += 1) {
    left -= entryBytes(kept) + 1;
  }
  for (; left < 0 && kept > 1; kept -= 1) {
    left += entryBytes(kept - 1) + 1;
  }
  // The note's wording depends on the count, so the estimate may be a few bytes off.
  for (; kept > 1; kept -= 1) {
    const structured = build(kept);
    if (Buffer.byteLength(jsonText(structured)) <= budgetBytes) {
      return { structured, kept };
    }
  }
  const one = build(1);
  const bytes = jsonBytes(one);
  return bytes <= HARD_LIMIT_BYTES
    ? { structured: one, kept: 1 }
    : { structured: build(0, bytes), kept: 0, oversize: bytes };
}
