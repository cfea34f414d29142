import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/contract.ts";
import { fitEntries, jsonBytes, jsonText } from "../../src/result/budget.ts";

/** A result of texts with a note that says how many there are. */
function fitted(lengths: readonly number[], budgetBytes: number) {
  const entries = lengths.map((length) => "é".repeat(length));
  const build = (kept: number): JsonObject => ({
    items: entries.slice(0, kept),
    note: `${String(kept).padStart(4)} of ${entries.length}`,
  });
  const entryBytes = (index: number) => jsonBytes(entries[index]);
  return { build, ...fitEntries(entries.length, entryBytes, budgetBytes, build) };
}

const falling = Array.from({ length: 300 }, (_, index) => 300 - index);

describe("fitEntries", () => {
  test.each([
    ["equal", Array.from({ length: 500 }, () => 20)],
    ["growing", falling.toReversed()],
    ["falling", falling],
    ["one that is large at the end", [...Array.from({ length: 50 }, () => 3), 9_000]],
    ["one that is large at the start", [4_000, ...Array.from({ length: 50 }, () => 3)]],
    ["empty", Array.from({ length: 4_000 }, () => 0)],
  ])("keeps as many of entries that are %s as the budget holds", (_, lengths) => {
    for (const budget of [60, 500, 5_000, 8_101, 8_102, 8_103]) {
      const { structured, kept, build } = fitted(lengths, budget);
      expect(structured).toEqual(build(kept));
      if (kept > 1) {
        expect(jsonBytes(structured)).toBeLessThanOrEqual(budget);
      }
      if (kept < lengths.length) {
        expect(jsonBytes(build(kept + 1))).toBeGreaterThan(budget);
      }
    }
  });

  test("measures a few results, not one for each entry", () => {
    let built = 0;
    const value = "x".repeat(100);
    fitEntries(
      10_000,
      () => 102,
      40_000,
      (kept) => {
        built += 1;
        return { items: Array.from({ length: kept }, () => value) };
      },
    );
    expect(built).toBeLessThanOrEqual(4);
  });
});

describe("jsonText", () => {
  test("writes an object once", () => {
    let written = 0;
    const value = {
      toJSON: () => {
        written += 1;
        return { rows: 1 };
      },
    };
    expect([jsonText(value), jsonText(value)]).toEqual(['{"rows":1}', '{"rows":1}']);
    expect(written).toBe(1);
  });
});
