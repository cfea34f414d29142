import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, describe, expect, test } from "vitest";
import type { WindowRequest } from "../../src/contract.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { freshCall } from "../helpers/call-context.ts";
import { FIXTURE_ROWS, FIXTURES, fixture, fixtureV } from "../helpers/fixture-table.ts";
import { memorySource } from "../helpers/memory-source.ts";

const reader = createTableReader();
afterAll(() => reader.close());

const ROWS = 40_000;
/** A slow wave with a spike of one row in every 1,000, up and down in turn; a second column with spikes elsewhere. */
const wave = Array.from({ length: ROWS }, (_, i) =>
  i % 1_000 === 500 ? (i % 2_000 === 500 ? 9 : -9) : Math.sin(i / 5_000),
);
const other = Array.from({ length: ROWS }, (_, i) => (i % 4_000 === 123 ? -50 : i / ROWS));
const file = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: "wave", data: wave, type: "DOUBLE" },
      { name: "other", data: other, type: "DOUBLE" },
    ],
    rowGroupSize: 7_000,
  }),
);

const read = (request: Partial<WindowRequest>, bytes: Uint8Array = file) =>
  reader.readParquet(
    () => Promise.resolve(memorySource(bytes)),
    { offset: 0, limit: 500, ...request },
    freshCall(),
  );

describe("sample", () => {
  test("keeps all 40 one-row spikes of 40,000 rows in 200", async () => {
    const window = await read({ sample: 200, columns: ["wave"] });
    const spikes = window.columns[0]?.values.filter((value) => Math.abs(Number(value)) === 9);
    expect(spikes?.length).toBe(40);
    expect(window.rowNumbers?.length).toBeLessThanOrEqual(200);
    expect(window.rowNumbers?.length).toBeGreaterThan(100);
  });

  test("keeps the first and the last row, rows ascending, values of their rows", async () => {
    const window = await read({ sample: 50 });
    const rows = window.rowNumbers ?? [];
    expect([rows[0], rows.at(-1)]).toEqual([0, ROWS - 1]);
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
    expect(window.columns[0]?.values).toEqual(rows.map((row) => wave[row]));
    expect(window.columns[1]?.values).toEqual(rows.map((row) => other[row]));
  });

  test("keeps the extremes of every returned column", async () => {
    const window = await read({ sample: 6 });
    expect(window.columns.map(({ values }) => Math.min(...(values as number[])))).toEqual([
      -9, -50,
    ]);
    expect(window.columns.map(({ values }) => Math.max(...(values as number[])))).toEqual([
      9,
      (ROWS - 1) / ROWS,
    ]);
    expect(window.rowNumbers?.length).toBeLessThanOrEqual(6);
  });

  test("says whose extremes do not fit into 4 rows", async () => {
    const window = await read({ sample: 4 });
    expect(window.rowNumbers?.length).toBeLessThanOrEqual(4);
    expect(window.notes).toEqual([
      "sample=4 is too small to keep the extremes of every column: not kept for other.",
    ]);
  });

  test("gives the first and the last row for 2", async () => {
    expect((await read({ sample: 2 })).rowNumbers).toEqual([0, ROWS - 1]);
  });

  test("samples the rows that match, whatever offset and limit say", async () => {
    const where = [{ column: "other", op: "<" as const, value: 0.5 }];
    const window = await read({ sample: 100, where, offset: 77, limit: 3 });
    expect(window.matchedRows).toBe(20_000 + 5);
    expect(window.rowNumbers?.length).toBeGreaterThan(50);
    expect(window.columns[0]?.values.filter((value) => Math.abs(Number(value)) === 9).length).toBe(
      20,
    );
  });

  test("gives every row where all fit", async () => {
    const where = [{ column: "wave", op: "=" as const, value: 9 }];
    const window = await read({ sample: 20, where });
    expect(window.rowNumbers).toEqual(Array.from({ length: 20 }, (_, k) => 500 + 2_000 * k));
  });

  test("spreads rows evenly where no column is numeric", async () => {
    const window = await read({ sample: 10, columns: ["s"] }, fixture("polars-zstd"));
    const rows = window.rowNumbers ?? [];
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.length).toBeLessThanOrEqual(10);
    expect(rows.at(-1)).toBe(2_999);
  });
});

describe.each(FIXTURES)("stats on %s", (name) => {
  test("are of all rows, with nulls and NaN apart and a mean without rounding loss", async () => {
    const window = await read({ stats: true, limit: 1 }, fixture(name));
    const values = Array.from({ length: FIXTURE_ROWS }, (_, i) => fixtureV(i));
    const numbers = values.filter((value) => value !== null);
    const nulls = Array.from({ length: FIXTURE_ROWS }, (_, i) => i).filter((i) => i % 7 === 3);
    expect(window.stats?.v).toMatchObject({
      count: numbers.length,
      nulls: nulls.length,
      nan: FIXTURE_ROWS - numbers.length - nulls.length,
      min: 3,
      max: 3.99,
    });
    const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    expect(window.stats?.v?.mean).toBeCloseTo(mean, 12);
    expect(window.stats?.n).toMatchObject({ min: "9007199254740992", max: "9007199254743991" });
    expect(window.stats?.s).toEqual({
      count: 2_727,
      nulls: 273,
      nan: 0,
      min: "step 0",
      max: "step 9",
      mean: null,
    });
    expect(window.stats?.at).toMatchObject({
      min: "2024-01-01T00:00:00.000001Z",
      max: "2024-01-01T00:49:59.000001Z",
      mean: null,
    });
  });

  test("are of the matching rows under where, not of the page", async () => {
    const where = [{ column: "k", op: "=" as const, value: 4 }];
    const window = await read({ stats: true, limit: 2, where, columns: ["t"] }, fixture(name));
    expect(window.columns[0]?.values).toEqual([600, 600.5]);
    expect(window.stats).toEqual({
      t: { count: 300, nulls: 0, nan: 0, min: 600, max: 749.5, mean: 674.75 },
    });
  });
});
