import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { TableWindow } from "../../src/contract.ts";
import { ToolError } from "../../src/errors.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { freshCall } from "../helpers/call-context.ts";
import { type FIXTURES, fixture } from "../helpers/fixture-table.ts";
import { memorySource } from "../helpers/memory-source.ts";

const reader = createTableReader();
afterAll(() => reader.close());

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
afterEach(() => expect(unhandled).toEqual([]));

const read = (bytes: Uint8Array) =>
  reader.readParquet(
    () => Promise.resolve(memorySource(bytes)),
    { offset: 0, limit: 5_000 },
    freshCall(),
  );

/** The window, or the code it was refused with. */
const outcome = (bytes: Uint8Array): Promise<TableWindow | string> =>
  read(bytes).catch((error: unknown) => {
    if (error instanceof ToolError) {
      return error.code;
    }
    throw error;
  });

function flipped(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] as number) ^ mask;
  return copy;
}

const footerStart = (bytes: Uint8Array) =>
  bytes.length - 8 - new DataView(bytes.buffer).getUint32(bytes.length - 8, true);

const SEVERAL = 250;

describe("a damaged file", () => {
  test("with checksums never gives a wrong value, wherever a bit of its pages flips", async () => {
    const good = fixture("v2-delta-gzip");
    const right = await read(good);
    const end = footerStart(good);
    let refused = 0;
    for (let at = 4; at < end; at += Math.ceil(end / SEVERAL)) {
      const found = await outcome(flipped(good, at, 1 << (at % 8)));
      if (typeof found === "string") {
        refused += 1;
        expect(found).toBe("UNREADABLE_ANSWER");
      } else {
        expect(found).toEqual(right);
      }
    }
    expect(refused).toBeGreaterThan(150);
  }, 120_000);

  test.each(["polars-zstd", "plain-snappy", "dictionary-lz4"] as const)(
    "of %s gives rows or a refusal, wherever a byte of its footer or pages changes",
    async (name: (typeof FIXTURES)[number]) => {
      const good = fixture(name);
      const step = Math.ceil((good.length - footerStart(good)) / 60);
      const places = [
        ...Array.from({ length: 60 }, (_, k) => 4 + k * Math.floor(footerStart(good) / 60)),
        ...Array.from({ length: 60 }, (_, k) => footerStart(good) + k * step),
      ].filter((at) => at < good.length);
      for (const at of places) {
        const found = await outcome(flipped(good, at, 0xff));
        expect(typeof found === "string" ? found : "rows").toMatch(
          /^(rows|UNREADABLE_ANSWER|TOO_LARGE)$/,
        );
      }
    },
    120_000,
  );

  test("that is cut anywhere is refused", async () => {
    const good = fixture("polars-zstd");
    for (let length = 0; length < good.length; length += 997) {
      expect(await outcome(good.slice(0, length))).toBe("UNREADABLE_ANSWER");
    }
  });
});

describe("an odd file", () => {
  const made = (columnData: Parameters<typeof parquetWriteBuffer>[0]["columnData"], rows = 1_000) =>
    new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: rows }));

  test("of 2,000 columns gives any of them", async () => {
    const bytes = made(
      Array.from({ length: 2_000 }, (_, k) => ({
        name: `c${k}`,
        data: [k, k + 1],
        type: "INT32" as const,
      })),
    );
    const window = await reader.readParquet(
      () => Promise.resolve(memorySource(bytes)),
      { offset: 1, limit: 1, columns: ["c1999", "c0"] },
      freshCall(),
    );
    expect(window.columns.map(({ values }) => values)).toEqual([[2_000], [1]]);
    expect(window.totalColumns).toBe(2_000);
  });

  test("of one-row groups gives a window across 300 of them in one read", async () => {
    const data = Array.from({ length: 300 }, (_, i) => i * 1.5);
    const bytes = made([{ name: "x", data, type: "DOUBLE" }], 1);
    const source = memorySource(bytes, { tailBytes: bytes.length - footerStart(bytes) });
    const window = await reader.readParquet(
      () => Promise.resolve(source),
      { offset: 0, limit: 300 },
      freshCall(),
    );
    expect(window.columns[0]?.values).toEqual(data);
  });

  test("with an empty name, a name that comes twice and a hostile name gives each its own", async () => {
    const bytes = made([
      { name: "", data: [1], type: "INT32" },
      { name: "x", data: [2], type: "INT32" },
      { name: "x", data: [3], type: "INT32" },
      { name: "__proto__", data: [4], type: "INT32" },
    ]);
    const window = await reader.readParquet(
      () => Promise.resolve(memorySource(bytes)),
      { offset: 0, limit: 1, stats: true, columns: ["x (2)", "__proto__", "", "x"] },
      freshCall(),
    );
    expect(window.columns.map(({ name, values }) => [name, values[0]])).toEqual([
      ["x (2)", 3],
      ["__proto__", 4],
      ["", 1],
      ["x", 2],
    ]);
    expect(Object.keys(window.stats ?? {})).toEqual(["x (2)", "__proto__", "", "x"]);
  });

  test("of no rows or no columns is a table all the same", async () => {
    const none = await read(made([{ name: "x", data: [], type: "DOUBLE" }]));
    expect(none).toMatchObject({ totalRows: 0, columns: [{ name: "x", values: [] }] });
  });
});
