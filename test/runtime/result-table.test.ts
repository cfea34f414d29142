import { describe, expect, test } from "vitest";
import type { Cell, TableWindow, WindowRequest } from "../../src/contract.ts";
import { type Layout, writeTable } from "../../src/result/table.ts";

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** A table of `rows` rows and the window that a reader would give for a request on it. */
function tableOf(rows: number, cell: (row: number) => Cell = (row) => row * 0.1) {
  return (request: WindowRequest): TableWindow => {
    const end = Math.min(rows, request.offset + request.limit);
    const numbers = Array.from(
      { length: Math.max(0, end - request.offset) },
      (_, index) => request.offset + index,
    );
    return {
      columns: [
        { name: "Step count", dtype: "int64", values: numbers, nonFinite: 0 },
        { name: "Voltage [V]", dtype: "float64", values: numbers.map(cell), nonFinite: 0 },
      ],
      totalRows: rows,
      totalColumns: 2,
      notes: [],
    };
  };
}

const UNITS = new Map([["Voltage [V]", "V"]]);

function write(
  window: TableWindow,
  request: WindowRequest,
  layout: Layout = "records",
  budget = 40_960,
) {
  return writeTable({ window, request, layout, units: UNITS, notes: [] }, budget);
}

describe("writeTable", () => {
  test("gives the envelope of the design for a window of 2 of 10 rows", () => {
    const request = { limit: 2, offset: 3 };
    expect(write(tableOf(10)(request), request)).toEqual({
      columns: ["Step count", "Voltage [V]"],
      dtypes: { "Step count": "int64", "Voltage [V]": "float64" },
      units: { "Voltage [V]": "V" },
      rows: [
        { "Step count": 3, "Voltage [V]": 0.30000000000000004 },
        { "Step count": 4, "Voltage [V]": 0.4 },
      ],
      row_count: 2,
      total_rows: 10,
      total_columns: 2,
      offset: 3,
      truncated: true,
      next_offset: 5,
      note: "Returned 2 of 10 rows. Use offset to page, columns=[...] to narrow, sample=500 for the whole curve.",
    });
  });

  test("has no next_offset and no note at the end", () => {
    const request = { limit: 500, offset: 8 };
    const result = write(tableOf(10)(request), request);
    expect(result.truncated).toBe(false);
    expect(result).not.toHaveProperty("next_offset");
    expect(result).not.toHaveProperty("note");
  });

  test("says that an offset is past the end, with the true total and no rows", () => {
    const request = { limit: 5, offset: 50 };
    const result = write(tableOf(10)(request), request);
    expect(result).toMatchObject({ rows: [], row_count: 0, total_rows: 10, truncated: false });
    expect(result.note).toBe("offset 50 is past the end: there are 10 rows.");
  });

  for (const layout of ["records", "columns", "csv"] as const) {
    for (const budget of [700, 1_000, 5_000, 40_960]) {
      test(`following next_offset reads each of 1,234 rows once, in order, in ${budget} bytes as ${layout}`, () => {
        const seen: number[] = [];
        const read = tableOf(1_234);
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const request = { limit: 500, offset };
          const result = write(read(request), request, layout, budget);
          expect(bytes(result)).toBeLessThanOrEqual(budget);
          const numbers =
            layout === "records"
              ? (result.rows as Record<string, number>[]).map((row) => row["Step count"] ?? -1)
              : layout === "columns"
                ? ((result.data as Record<string, number[]>)["Step count"] ?? [])
                : (result.csv as string)
                    .trimEnd()
                    .split("\n")
                    .slice(1)
                    .map((line) => Number(line.split(",")[0]));
          expect(numbers).toHaveLength(result.row_count as number);
          seen.push(...numbers);
          expect(result.truncated).toBe(seen.length < 1_234);
          offset = result.next_offset as number | undefined;
        }
        expect(seen).toEqual(Array.from({ length: 1_234 }, (_, index) => index));
      });
    }
  }

  test("says what would fit when the budget cuts rows", () => {
    const request = { limit: 500, offset: 0 };
    const result = write(tableOf(1_000)(request), request, "records", 2_000);
    expect(result.row_count).toBeLessThan(500);
    expect(result.note).toContain("do not fit into 2000 bytes");
  });

  test("delivers one row over the budget alone, and passes over one beyond 1 MB", () => {
    const read = tableOf(3, (row) => "x".repeat(row === 1 ? 1_200_000 : 50_000));
    const first = write(read({ limit: 3, offset: 0 }), { limit: 3, offset: 0 });
    expect(first).toMatchObject({ row_count: 1, next_offset: 1 });
    const second = write(read({ limit: 3, offset: 1 }), { limit: 3, offset: 1 });
    expect(second).toMatchObject({ row_count: 0, rows: [], next_offset: 2, truncated: true });
    expect(second.note).toMatch(/^Row 1 is left out: 1200\d{3} bytes/);
    const third = write(read({ limit: 3, offset: 2 }), { limit: 3, offset: 2 });
    expect(third).toMatchObject({ row_count: 1, truncated: false });
  });

  test("makes a sample coarser, not shorter, when it is over the budget", () => {
    const values = Array.from({ length: 2_000 }, (_, index) =>
      index === 777 ? 99.5 : index === 1_234 ? -99.5 : Math.sin(index / 100),
    );
    const window: TableWindow = {
      columns: [{ name: "Voltage [V]", dtype: "float64", values, nonFinite: 0 }],
      totalRows: 20_000,
      totalColumns: 1,
      rowNumbers: values.map((_, index) => index * 10),
      notes: [],
    };
    const request = { limit: 500, offset: 0, sample: 2_000 };
    const result = write(window, request, "records", 10_000);
    const numbers = result.row_numbers as number[];
    const kept = (result.rows as Record<string, number>[]).map((row) => row["Voltage [V]"]);
    expect(bytes(result)).toBeLessThanOrEqual(10_000);
    expect(kept).toHaveLength(result.row_count as number);
    expect(numbers[0]).toBe(0);
    expect(numbers.at(-1)).toBe(19_990);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(kept).toContain(99.5);
    expect(kept).toContain(-99.5);
    expect(result.note).toContain("Thinned from 2000");
    expect(result.truncated).toBe(false);
  });

  test("writes CSV with quotes where needed and null, NaN and inf as empty fields", () => {
    const window: TableWindow = {
      columns: [
        {
          name: 'a "b", c',
          dtype: "string",
          values: ["x,y", null, "", ' "q" ', "l\nm"],
          nonFinite: 0,
        },
        { name: "n", dtype: "float64", values: [1.5, null, null, -0, 1e300], nonFinite: 2 },
      ],
      totalRows: 5,
      totalColumns: 2,
      notes: [],
    };
    const result = write(window, { limit: 500, offset: 0 }, "csv");
    expect(result.csv).toBe('"a ""b"", c",n\n"x,y",1.5\n,\n"",\n" ""q"" ",0\n"l\nm",1e+300\n');
    expect(result.note).toBe("NaN or infinite values of this window come as null: n 2.");
  });

  test("gives each of two columns that look alike its own statistics", () => {
    const stats = (min: number) => ({ count: 1, nulls: 0, nan: 0, min, max: min, mean: min });
    const window: TableWindow = {
      columns: [
        { name: "A", dtype: "int64", values: [1], nonFinite: 0 },
        { name: "A\u200b", dtype: "int64", values: [10], nonFinite: 0 },
      ],
      totalRows: 1,
      totalColumns: 2,
      stats: { A: stats(1), "A\u200b": stats(10) },
      notes: [],
    };
    const result = write(window, { limit: 500, offset: 0, stats: true });
    expect(result.stats).toMatchObject({ A: { mean: 1 }, "A (2)": { mean: 10 } });
  });

  test("strips what hides, and keeps names apart that differed only in it", () => {
    const window: TableWindow = {
      columns: [
        {
          name: "a\u200b",
          dtype: "string",
          values: ["\u001b[31mred\u202e", "tab\tline\n"],
          nonFinite: 0,
        },
        { name: "a", dtype: "string", values: ["x", "y"], nonFinite: 0 },
        { name: "__proto__", dtype: "string", values: ["p", "q"], nonFinite: 0 },
      ],
      totalRows: 2,
      totalColumns: 3,
      notes: [],
    };
    const result = write(window, { limit: 500, offset: 0 });
    expect(JSON.stringify(result.rows)).toBe(
      '[{"a":"[31mred","a (2)":"x","__proto__":"p"},{"a":"tab\\tline\\n","a (2)":"y","__proto__":"q"}]',
    );
  });
});
