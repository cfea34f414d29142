import { afterAll, describe, expect, test } from "vitest";
import type { Condition } from "../../src/contract.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { freshCall } from "../helpers/call-context.ts";
import { FIXTURE_ROWS, FIXTURES, fixture, fixtureV } from "../helpers/fixture-table.ts";
import { memorySource } from "../helpers/memory-source.ts";

const reader = createTableReader();
afterAll(() => reader.close());

const BIG = 2n ** 53n;
const isNull = (i: number) => fixtureV(i) === null;
const v = (i: number) => fixtureV(i) ?? Number.NaN;
const text = (i: number) => (i % 11 === 5 ? undefined : `step ${Math.floor(i / 300)}`);

const CASES: [Condition[], (i: number) => boolean][] = [
  [[{ column: "t", op: "=", value: 700.5 }], (i) => i === 1401],
  [[{ column: "t", op: "<", value: "2" }], (i) => i < 4],
  [[{ column: "t", op: ">=", value: 1e99 }], () => false],
  [[{ column: "v", op: "!=", value: 3.5 }], (i) => !isNull(i) && v(i) !== 3.5],
  [[{ column: "v", op: "<=", value: 3.01 }], (i) => v(i) <= 3.01],
  [[{ column: "v", op: "is_null" }], isNull],
  [[{ column: "n", op: "=", value: (BIG + 1n).toString() }], (i) => i === 1],
  [[{ column: "n", op: ">", value: `${BIG + 2990n}.5` }], (i) => i > 2990],
  [[{ column: "n", op: "=", value: `${BIG + 7n}.5` }], () => false],
  [[{ column: "n", op: "!=", value: `${BIG + 7n}.5` }], () => true],
  [[{ column: "k", op: "in", value: [2, "9", 77] }], (i) => i >= 2700 || (i >= 600 && i < 900)],
  [[{ column: "k", op: "in", value: "[0]" }], (i) => i < 300],
  [[{ column: "k", op: "in", value: [] }], () => false],
  [[{ column: "k", op: "<", value: 0.5 }], (i) => i < 300],
  [[{ column: "k", op: ">=", value: 8.5 }], (i) => i >= 2700],
  [[{ column: "s", op: "=", value: "step 4" }], (i) => text(i) === "step 4"],
  [[{ column: "s", op: ">", value: "step 8" }], (i) => text(i) === "step 9"],
  [[{ column: "s", op: "is_null" }], (i) => text(i) === undefined],
  [[{ column: "at", op: "<", value: "2024-01-01T00:00:03Z" }], (i) => i < 3],
  [[{ column: "at", op: "=", value: "2024-01-01T00:00:03.000001" }], (i) => i === 3],
  [[{ column: "at", op: "=", value: "2024-01-01T01:00:03.000001+01:00" }], (i) => i === 3],
  [[{ column: "at", op: "<=", value: "2024-01-01T00:00:03.0000009999" }], (i) => i < 3],
  [
    [
      { column: "t", op: ">=", value: 100 },
      { column: "t", op: "<", value: 110 },
      { column: "v", op: ">", value: 3.04 },
    ],
    (i) => i >= 200 && i < 220 && v(i) > 3.04,
  ],
];

describe.each(FIXTURES)("where on %s", (name) => {
  const source = memorySource(fixture(name));

  test.each(CASES)("%j finds exactly the rows that match", async (where, holds) => {
    const wanted = Array.from({ length: FIXTURE_ROWS }, (_, i) => i).filter(holds);
    const offset = Math.floor(wanted.length / 3);
    const window = await reader.readParquet(
      () => Promise.resolve(source),
      { offset, limit: 40, where, columns: ["t"] },
      freshCall(),
    );
    expect(window.matchedRows).toBe(wanted.length);
    expect(window.rowNumbers).toEqual(wanted.slice(offset, offset + 40));
    expect(window.columns[0]?.values).toEqual(wanted.slice(offset, offset + 40).map((i) => i / 2));
    expect(window.totalRows).toBe(FIXTURE_ROWS);
  });
});

describe("where", () => {
  const read = (where: Condition[], source = memorySource(fixture("polars-zstd"))) =>
    reader.readParquet(
      () => Promise.resolve(source),
      { offset: 0, limit: 10, where, columns: ["v"] },
      freshCall(),
    );

  test("reads nothing but statistics where they rule every row out", async () => {
    const source = memorySource(fixture("polars-zstd"), { tailBytes: 20_000 });
    const window = await read([{ column: "t", op: ">", value: 5_000 }], source);
    expect(window.matchedRows).toBe(0);
    expect(source.asked.reads).toBe(0);
  });

  test("reads only the pages that statistics leave", async () => {
    const source = memorySource(fixture("index-brotli"), { tailBytes: 20_000 });
    await read([{ column: "t", op: "=", value: 700.5 }], source);
    // One page of `t` and one of `v`, and the dictionary of each.
    expect(source.asked.ranges.length).toBeLessThanOrEqual(4);
  });

  test("remembers which rows match: the next page of matches reads no filter column again", async () => {
    const source = memorySource(fixture("polars-zstd"), { tailBytes: 20_000 });
    const where: Condition[] = [{ column: "v", op: "<", value: 3.02 }];
    await read(where, source);
    const { bytes } = source.asked;
    await read(where, source);
    expect(source.asked.bytes).toBe(bytes);
  });

  test.each([
    ["t", "=", "abc", 'where: "abc" cannot be compared with the column "t" of type float64'],
    ["k", ">", true, 'where: true cannot be compared with the column "k" of type int32'],
    ["s", "=", 4, 'where: 4 cannot be compared with the column "s" of type string'],
    ["at", "<", "yesterday", 'compared with the column "at" of type datetime64[us, UTC]'],
    ["at", "<", "2024-02-30", 'compared with the column "at" of type datetime64[us, UTC]'],
    ["n", "=", 9007199254740992, "integers beyond 2^53 come as text"],
    ["k", "in", 3, 'where: 3 cannot be compared with the column "k" of type int32'],
    ["k", "is_null", 3, "where: is_null takes no value, not 3"],
    ["nn", "=", 3, 'where: The table has no column "nn"'],
  ] as const)("refuses %s %s %j with an example", async (column, op, value, message) => {
    await expect(read([{ column, op, value }])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message) as string,
      hint: expect.stringMatching(/For example \{|Columns: /) as string,
    });
  });
});
