/** A list with its total: `items`, `count`, `total`, `offset`, `has_more`, `next_offset`, `note`. */
import type { Json, JsonObject } from "../contract.ts";
import type { ExactJson } from "../json.ts";
import { fitEntries, jsonBytes } from "./budget.ts";
import { cleanJson } from "./clean.ts";

export interface PageContents {
  readonly items: readonly ExactJson[];
  /** All matches, or undefined where the upstream does not tell. */
  readonly total: number | undefined;
  /** Whether the upstream has items after these. */
  readonly more: boolean;
  /** Place of the first item among all matches, 0-based. */
  readonly offset: number;
  readonly notes: readonly string[];
}

export function writePage(page: PageContents, budgetBytes: number): JsonObject {
  const items = page.items.map(cleanJson);
  const build = (kept: number, oversize?: number): JsonObject => {
    const skipped = oversize === undefined ? 0 : 1;
    const next = page.offset + kept + skipped;
    const more = page.more || kept + skipped < items.length;
    const notes = [...page.notes];
    if (oversize !== undefined) {
      notes.push(
        `Item ${page.offset} is left out: ${oversize} bytes are more than one result can hold.`,
      );
    } else if (kept < items.length) {
      notes.push(
        `Returned ${kept} of the ${items.length} items asked for: more do not fit into ${budgetBytes} bytes. Go on with offset=${next}.`,
      );
    }
    if (kept === 0 && items.length === 0 && page.offset > 0) {
      notes.push(
        `offset ${page.offset} is past the end${page.total === undefined ? "" : `: there are ${page.total} items`}.`,
      );
    }
    return {
      items: items.slice(0, kept) as Json[],
      count: kept,
      total: page.total ?? null,
      offset: page.offset,
      has_more: more,
      ...(more ? { next_offset: next } : {}),
      ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
    };
  };
  return fitEntries(items.length, (index) => jsonBytes(items[index]), budgetBytes, build)
    .structured;
}
