import { afterAll, describe, expect, test } from "vitest";
import type { TableWindow, WindowRequest } from "../../src/contract.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { freshCall } from "../helpers/call-context.ts";
import { FIXTURE_ROWS, FIXTURES, fixture, fixtureRow } from "../helpers/fixture-table.ts";
import { memorySource } from "../helpers/memory-source.ts";

const reader = createTableReader();
afterAll(() => reader.close());

const read = (source: ReturnType<typeof memorySource>, request: WindowRequest) =>
  reader.readParquet(() => Promise.resolve(source), request, freshCall());

const rowsOf = ({ columns }: TableWindow) =>
  Array.from({ length: columns[0]?.values.length ?? 0 }, (_, row) =>
    columns.map(({ values }) => values[row]),
  );

const expected = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => fixtureRow(from + index));

describe.each(FIXTURES)("readParquet of %s", (name) => {
  test.each([
    [0, 5],
    [995, 10],
    [1_499, 2],
    [2_990, 500],
    [0, 5_000],
  ])("gives the rows from %i, at most %i, exactly", async (offset, limit) => {
    const window = await read(memorySource(fixture(name)), { offset, limit });
    expect(rowsOf(window)).toEqual(expected(offset, Math.min(FIXTURE_ROWS, offset + limit)));
    expect(window.totalRows).toBe(FIXTURE_ROWS);
    expect(window.totalColumns).toBe(6);
  });

  test("names types in pandas' words and counts NaN as not finite", async () => {
    const window = await read(memorySource(fixture(name)), { offset: 240, limit: 20 });
    expect(window.columns.map(({ dtype }) => dtype)).toEqual([
      "float64",
      "float64",
      "int64",
      "int32",
      "string",
      "datetime64[us, UTC]",
    ]);
    expect(window.columns.map(({ nonFinite }) => nonFinite)).toEqual([0, 1, 0, 0, 0, 0]);
  });

  test("gives asked columns in the asked order", async () => {
    const window = await read(memorySource(fixture(name)), {
      offset: 7,
      limit: 1,
      columns: ["s", "t", "s"],
    });
    expect(window.columns.map((column) => [column.name, column.values])).toEqual([
      ["s", ["step 0"]],
      ["t", [3.5]],
    ]);
  });

  test("gives no rows and the true total past the end", async () => {
    const window = await read(memorySource(fixture(name)), { offset: 3_000, limit: 500 });
    expect(rowsOf(window)).toEqual([]);
    expect(window.totalRows).toBe(3_000);
  });

  test("moves no bytes for a window in pages that were read before", async () => {
    const source = memorySource(fixture(name), { tailBytes: 64 });
    await read(source, { offset: 1_100, limit: 1 });
    const before = source.asked.bytes;
    const again = await read(source, { offset: 1_100, limit: 2 });
    expect(rowsOf(again)).toEqual(expected(1_100, 1_102));
    expect(source.asked.bytes - before).toBe(0);
  });
});

describe("readParquet", () => {
  test("asks for the pages of a window, and nothing else, in one read", async () => {
    const bytes = fixture("polars-zstd");
    const source = memorySource(bytes, { tailBytes: 20_000 });
    await read(source, { offset: 1_010, limit: 20, columns: ["t", "v"] });
    expect(source.asked.reads).toBe(1);
    expect(source.asked.ranges.length).toBe(2);
    // One page of each: of 1,000 rows, about 240 in each of the group's pages.
    expect(source.asked.bytes).toBeLessThan(2_500);
  });

  test("reads on without an index once it has walked a chunk: only the new page moves", async () => {
    const source = memorySource(fixture("plain-snappy"), { tailBytes: 20_000 });
    await read(source, { offset: 0, limit: 1, columns: ["t"] });
    const walked = source.asked.bytes;
    await read(source, { offset: 1_400, limit: 1, columns: ["t"] });
    const later = source.asked.bytes;
    await read(source, { offset: 700, limit: 1, columns: ["t"] });
    expect(walked).toBeGreaterThan(5_000);
    expect(later - walked).toBeLessThan(6_000);
    expect(source.asked.bytes - later).toBeLessThan(3_000);
  });

  test("reads a file whose footer is longer than the tail in two steps and then the pages", async () => {
    const source = memorySource(fixture("polars-zstd"), { tailBytes: 8 });
    const window = await read(source, { offset: 0, limit: 3 });
    expect(rowsOf(window)).toEqual(expected(0, 3));
    expect(source.asked.reads).toBe(3);
  });

  test("refuses an unknown column with the nearest one and the list", async () => {
    const source = memorySource(fixture("polars-zstd"));
    await expect(read(source, { offset: 0, limit: 1, columns: ["vx"] })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: 'The table has no column "vx"',
      hint: 'Did you mean "v"? Columns: "t", "v", "n", "k", "s", "at"',
    });
    expect(source.asked.reads).toBe(0);
  });

  test.each([
    ["", "The answer is not a Parquet file but empty"],
    ["<Error><Code>AccessDenied</Code></Error>", "not a Parquet file but an XML document"],
    ["<!DOCTYPE html><p>sign in</p>", "not a Parquet file but an HTML page"],
    ['{"statusCode":"400"}', "not a Parquet file but a JSON document"],
    ["PAR1 then nothing", "damaged: it breaks off after 17 bytes"],
    ["PARE encrypted  PARE", "uses encryption, which is not supported"],
  ])("says what %j is instead of a table", async (text, message) => {
    const source = memorySource(new TextEncoder().encode(text));
    await expect(read(source, { offset: 0, limit: 1 })).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: expect.stringContaining(message) as string,
    });
  });
});
