import { afterAll, describe, expect, test } from "vitest";
import type { WindowRequest } from "../../src/contract.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { freshCall } from "../helpers/call-context.ts";

const reader = createTableReader();
afterAll(() => reader.close());

let keys = 0;
function read(text: string, at = "", request: Partial<WindowRequest> = {}) {
  keys += 1;
  return reader.readJsonColumns(
    `key-${keys}`,
    () => Promise.resolve(new TextEncoder().encode(text)),
    at,
    { offset: 0, limit: 500, ...request },
    freshCall(),
  );
}

describe("readJsonColumns", () => {
  test.each([
    ["[1, 2, 3]", "int64", [1, 2, 3]],
    ["[1.0, 2.0]", "float64", [1, 2]],
    ["[1, 2.5]", "float64", [1, 2.5]],
    ["[1e3, 2]", "float64", [1000, 2]],
    ["[1, null]", "float64", [1, null]],
    ["[null, 0.5]", "float64", [null, 0.5]],
    ["[9007199254740993, 1]", "int64", ["9007199254740993", "1"]],
    ["[9007199254740993, null]", "int64", ["9007199254740993", null]],
    ["[18446744073709551615, 1]", "uint64", ["18446744073709551615", "1"]],
    ["[123456789012345678901234567890]", "string", ["123456789012345678901234567890"]],
    ["[true, false, null]", "bool", [true, false, null]],
    ['["a", null, "\\u00e9\\"]"]', "string", ["a", null, 'é"]']],
    ["[null, null]", "object", [null, null]],
    ["[]", "object", []],
    ['[1, "1", null]', "string", ["1", '"1"', null]],
    ['[{"a": 1.5}, [2]]', "string", ['{"a":1.5}', "[2]"]],
  ])("reads %s as %s", async (list, dtype, values) => {
    const window = await read(`{"x": ${list}}`);
    expect(window.columns).toEqual([{ name: "x", dtype, values, nonFinite: 0 }]);
  });

  test("finds the columns at a pointer and keeps their order", async () => {
    const window = await read(' {"a/b": {"t": [1, 2], "1": [3, 4]}, "z": null} ', "/a~1b");
    expect(window.columns.map(({ name }) => name)).toEqual(["t", "1"]);
    expect([window.totalRows, window.totalColumns]).toEqual([2, 2]);
  });

  test("reads an object of single values as one row", async () => {
    const window = await read('{"a": 1, "b": "x", "c": null}');
    expect(window.columns.map(({ values }) => values)).toEqual([[1], ["x"], [null]]);
  });

  test("reads no columns at all", async () => {
    expect(await read('{"cycles": {}}', "/cycles")).toMatchObject({ columns: [], totalRows: 0 });
  });

  test("filters, pages, samples and counts as Parquet tables do", async () => {
    const text = JSON.stringify({
      i: Array.from({ length: 100 }, (_, i) => i),
      v: Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? null : i / 4)),
      b: Array.from({ length: 100 }, (_, i) => i % 2 === 0),
      s: Array.from({ length: 100 }, (_, i) => `n${i}`),
    });
    const where = [{ column: "v", op: "is_null" as const }];
    const window = await read(text, "", { where, offset: 2, limit: 3, stats: true });
    expect(window.matchedRows).toBe(10);
    expect(window.columns.map(({ values }) => values)).toEqual([
      [20, 30, 40],
      [null, null, null],
      [true, true, true],
      ["n20", "n30", "n40"],
    ]);
    expect(window.stats?.i).toEqual({ count: 10, nulls: 0, nan: 0, min: 0, max: 90, mean: 45 });
    const sampled = await read(text, "", { sample: 7, columns: ["i", "b"] });
    expect(sampled.rowNumbers?.[0]).toBe(0);
    expect(sampled.rowNumbers?.at(-1)).toBe(99);
  });

  test.each([
    ['{"a": [1, 2], "b": [1]}', "", 'different lengths: "a" 2, "b" 1'],
    ['{"a": [1, 2], "b": 1}', "", 'The column "b" of the answer is not a list'],
    ['{"a": [1, NaN]}', "", 'The column "a" of the answer holds NaN'],
    ['{"a": [1, -Infinity]}', "", "holds -Infinity, which JSON does not allow"],
    ['{"a": [1, 2}', "", "not a JSON object of columns: the JSON text breaks off"],
    ['{"a": [1, 2]', "", "breaks off at character 12"],
    ['{"a": [1]} x', "", "unexpected text at character 10"],
    ['{"a": [1],}', "", "unexpected text at character 10"],
    ['{"a": [01]}', "", 'The column "a" of the answer is not JSON'],
    ["[1, 2]", "", "unexpected text at character 0"],
    ["<html>", "", "unexpected text at character 0"],
    ['{"a": [1]}', "/cycles", 'The answer has no member "cycles" with the table'],
  ])("refuses %s at %j", async (text, at, message) => {
    await expect(read(text, at)).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: expect.stringContaining(message) as string,
    });
  });

  test("loads once for two windows of the same answer, and again for another key", async () => {
    let loads = 0;
    const load = () => {
      loads += 1;
      return Promise.resolve(new TextEncoder().encode('{"a": [1, 2, 3]}'));
    };
    const window = (key: string, offset: number) =>
      reader.readJsonColumns(key, load, "", { offset, limit: 1 }, freshCall());
    await Promise.all([window("same", 0), window("same", 1)]);
    expect((await window("same", 2)).columns[0]?.values).toEqual([3]);
    expect(loads).toBe(1);
    await window("other", 0);
    expect(loads).toBe(2);
  });

  test("loads again once the time to live is over", async () => {
    const brief = createTableReader({ jsonTtlMs: 0 });
    let loads = 0;
    const load = () => {
      loads += 1;
      return Promise.resolve(new TextEncoder().encode('{"a": [1]}'));
    };
    for (let call = 0; call < 2; call += 1) {
      await brief.readJsonColumns("key", load, "", { offset: 0, limit: 1 }, freshCall());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await brief.close();
    expect(loads).toBe(2);
  });

  test("refuses more than 64 MiB", async () => {
    const load = () => Promise.resolve(new Uint8Array(64 * 1024 * 1024 + 1));
    await expect(
      reader.readJsonColumns("large", load, "", { offset: 0, limit: 1 }, freshCall()),
    ).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  test("passes on why the answer could not be loaded", async () => {
    const failure = new Error("no answer");
    await expect(
      reader.readJsonColumns(
        "failing",
        () => Promise.reject(failure),
        "",
        { offset: 0, limit: 1 },
        freshCall(),
      ),
    ).rejects.toBe(failure);
  });
});
