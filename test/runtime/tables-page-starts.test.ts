/** Pages that are decompressed no further than a window needs. */
import { crc32 } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadZstd } from "../../demo/files/write-parquet.ts";
import type { WindowRequest } from "../../src/contract.ts";
import { decompress, decompressStart, prepareCodecs } from "../../src/tables/codecs.ts";
import { openPage, type PageHead, sealPage } from "../../src/tables/page.ts";
import type { Leaf } from "../../src/tables/parquet-file.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { unzstd } from "../../src/tables/zstd.ts";
import { freshCall } from "../helpers/call-context.ts";
import { memorySource } from "../helpers/memory-source.ts";

const ROWS = 120_000;
const BLOCK = 128 * 1024;

const valueX = (row: number): number => Math.round(1e4 * Math.sin(row / 700)) / 1e4 + row;
const valueN = (row: number): number | null => (row % 7 === 3 ? null : row / 4);
const valueK = (row: number): number => row * 3;

const reader = createTableReader();
afterAll(() => reader.close());

let compress: (bytes: Uint8Array) => Uint8Array;
let file: Uint8Array;
/** Equality of long stretches: the test library compares byte by byte. */
const isSame = (found: Uint8Array | undefined, wanted: Uint8Array): boolean =>
  found !== undefined && Buffer.compare(found, wanted) === 0;

/** Values of `x` as a page holds them. */
const plain = new Uint8Array(Float64Array.from({ length: ROWS }, (_, row) => valueX(row)).buffer);
let frame: Uint8Array;

beforeAll(async () => {
  await prepareCodecs();
  compress = await loadZstd();
  frame = compress(plain);
  const rows = Array.from({ length: ROWS }, (_, row) => row);
  file = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: "x", data: rows.map(valueX), type: "DOUBLE", encoding: "PLAIN", nullable: false },
        { name: "n", data: rows.map(valueN), type: "DOUBLE", encoding: "PLAIN", nullable: true },
        {
          name: "k",
          data: rows.map((row) => BigInt(valueK(row))),
          type: "INT64",
          encoding: "PLAIN",
          nullable: true,
        },
      ],
      rowGroupSize: ROWS,
      pageSize: 2 ** 20,
      codec: "ZSTD",
      compressors: { ZSTD: compress },
    }),
  );
});

const read = async (source: ReturnType<typeof memorySource>, offset: number, limit = 500) => {
  const request: WindowRequest = { offset, limit };
  const window = await reader.readParquet(() => Promise.resolve(source), request, freshCall());
  return window.columns.map(({ values }) => values);
};

const expected = (from: number, to: number) => {
  const rows = Array.from({ length: to - from }, (_, index) => from + index);
  return [rows.map(valueX), rows.map(valueN), rows.map(valueK)];
};

describe("unzstd", () => {
  test.each([1, BLOCK - 1, BLOCK, 5 * BLOCK + 7])("gives the first %i bytes", (bytes) => {
    expect(isSame(unzstd(frame, bytes, false), plain.slice(0, bytes))).toBe(true);
  });

  test("gives a whole frame after one that was left early, 30 times over", () => {
    for (let round = 0; round < 30; round += 1) {
      unzstd(frame, BLOCK, false);
      expect(isSame(unzstd(frame, plain.length, true), plain)).toBe(true);
    }
  });

  test.each([plain.length - 1, plain.length - BLOCK])(
    "refuses a frame that holds more than %i bytes where that should be all",
    (bytes) => {
      expect(() => unzstd(frame, bytes, true)).toThrow("does not end");
    },
  );

  test("joins frames that follow each other, and refuses what is none", () => {
    const twice = Buffer.concat([compress(plain.slice(0, 100)), compress(plain.slice(100, 300))]);
    expect(unzstd(twice, 300, true)).toEqual(plain.slice(0, 300));
    const rest = Buffer.concat([compress(plain.slice(0, 100)), Buffer.from("rest")]);
    expect(() => unzstd(rest, 100, true)).toThrow("error");
  });
});

describe("decompressStart", () => {
  const packed = (input: Uint8Array, neededBytes: number) => ({
    codec: "ZSTD",
    input,
    sizeBytes: plain.length,
    neededBytes,
  });

  test("stops at the end of a block where two or more are left", () => {
    const bytes = (needed: number) => decompressStart(packed(frame, needed)).length / BLOCK;
    expect([bytes(1), bytes(BLOCK), bytes(BLOCK + 1)]).toEqual([1, 1, 2]);
    expect(bytes(plain.length - BLOCK)).toBe(plain.length / BLOCK);
  });

  test("gives no more than there is of a frame that breaks off: enough, or an error", () => {
    const cut = frame.slice(0, frame.length >> 1);
    const start = decompressStart(packed(cut, 1));
    expect(isSame(start, plain.slice(0, BLOCK))).toBe(true);
    const most = plain.length - 2 * BLOCK;
    expect(() => decompressStart(packed(cut, most))).toThrow("damaged");
    expect(() => decompress("ZSTD", cut, plain.length)).toThrow("damaged");
  });
});

describe("openPage", () => {
  const leaf = {
    element: { type: "DOUBLE" },
    path: [{}, {}],
    maxDefinition: 0,
    maxRepetition: 0,
  } as unknown as Leaf;

  const headOf = (crc: number): PageHead => ({
    type: "DATA_PAGE",
    values: ROWS,
    bodyStart: 0,
    end: frame.length,
    header: {
      type: "DATA_PAGE",
      crc,
      compressed_page_size: frame.length,
      uncompressed_page_size: plain.length,
      data_page_header: { num_values: ROWS, encoding: "PLAIN" },
    } as unknown as PageHead["header"],
  });

  test("tells how many rows it is enough for, and gives the rest when asked", () => {
    const start = openPage(sealPage(headOf(crc32(frame)), frame, "ZSTD", leaf, 20_000));
    expect(start.rowsThere).toBe((2 * BLOCK) / 8);
    expect(start.body.length).toBe(2 * BLOCK);
    const whole = start.whole?.();
    expect(whole?.rowsThere).toBe(ROWS);
    expect(whole?.whole).toBeUndefined();
    expect(isSame(whole?.body, plain)).toBe(true);
  });

  test("checks the sum over the whole page, however little of it is needed", () => {
    const flipped = frame.slice();
    flipped[frame.length - 10] = (flipped[frame.length - 10] as number) ^ 1;
    expect(() => sealPage(headOf(crc32(frame)), flipped, "ZSTD", leaf, 1)).toThrow("checksum");
  });
});

describe("readParquet of long pages", () => {
  test.each([
    ["at the start", 0],
    ["behind the first block", 16_000],
    ["in the middle", 60_000],
    ["at the end", ROWS - 500],
  ])("gives a window %s exactly", async (_, offset) => {
    expect(await read(memorySource(file), offset)).toEqual(expected(offset, offset + 500));
  });

  test("gives windows back and forth in the same pages exactly, and moves their bytes once", async () => {
    const source = memorySource(file);
    const seen: number[] = [];
    for (const offset of [200, 700, 30_000, 100_000, 200, 119_500, 0]) {
      expect(await read(source, offset)).toEqual(expected(offset, offset + 500));
      seen.push(source.asked.bytes);
    }
    expect(new Set(seen).size).toBe(1);
  });

  test("serves what lies before damage, refuses what lies behind it, and goes on", async () => {
    const broken = file.slice();
    // The first column's page comes first in the file.
    broken.fill(0xff, frame.length * 0.8, frame.length * 0.9);
    const source = memorySource(broken);
    const first = async (offset: number) => (await read(source, offset))[0];
    expect(await first(1_000)).toEqual(expected(1_000, 1_500)[0]);
    await expect(first(110_000)).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
    expect(await first(2_000)).toEqual(expected(2_000, 2_500)[0]);
  });
});
