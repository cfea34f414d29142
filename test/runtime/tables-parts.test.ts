/** The parts of the decoder that can be stated alone. */
import { describe, expect, test } from "vitest";
import { ByteCache } from "../../src/tables/byte-cache.ts";
import { decimalText, shortestFloat32 } from "../../src/tables/cells.ts";
import { decompress } from "../../src/tables/codecs.ts";
import { HybridReader, readValidity } from "../../src/tables/hybrid.ts";
import { lz4Block } from "../../src/tables/lz4.ts";
import { parseTime, parseTimestamp, timestampText, timeText } from "../../src/tables/times.ts";

describe("timestampText", () => {
  test.each([
    [0n, 1_000n, true, "1970-01-01T00:00:00Z"],
    [-1n, 1_000_000n, false, "1969-12-31T23:59:59.999999"],
    [1_704_067_200_123_456_789n, 1_000_000_000n, true, "2024-01-01T00:00:00.123456789Z"],
    [1_704_067_200_120_000_000n, 1_000_000_000n, false, "2024-01-01T00:00:00.120"],
    [-62_135_596_800_000n, 1_000n, false, "0001-01-01T00:00:00"],
    [-62_135_596_800_001n, 1_000n, false, undefined],
    [253_402_300_799_999n, 1_000n, false, "9999-12-31T23:59:59.999"],
    [253_402_300_800_000n, 1_000n, false, undefined],
  ] as const)("writes %s ticks of 1/%s s (UTC: %s) as %s", (ticks, perSecond, utc, text) => {
    expect(timestampText(ticks, perSecond, utc)).toBe(text);
  });
});

describe("parseTimestamp", () => {
  test.each([
    ["2024-01-01", 1_704_067_200_000_000n, true],
    ["2024-01-01T00:00:00.000001Z", 1_704_067_200_000_001n, true],
    ["2024-01-01 00:00:00.0000015", 1_704_067_200_000_001n, false],
    ["2024-01-01T02:00+02:00", 1_704_067_200_000_000n, true],
    ["1969-12-31T23:59:59.9999995", -1n, false],
  ])("reads %s in microseconds", (text, floor, exact) => {
    expect(parseTimestamp(text, 1_000_000n)).toEqual({ floor, exact });
  });

  test.each(["2024-02-30", "2024-13-01", "2024-01-01T24:00:00", "now", "20240101", ""])(
    "does not read %j",
    (text) => {
      expect(parseTimestamp(text, 1_000n)).toBeUndefined();
    },
  );
});

describe("parseTime", () => {
  test("reads what timeText writes", () => {
    const ticks = 45_296_000_789n;
    expect(timeText(ticks, 1_000_000n)).toBe("12:34:56.000789");
    expect(parseTime("12:34:56.000789", 1_000_000n)).toEqual({ floor: ticks, exact: true });
  });
});

describe("numbers as text", () => {
  test.each([0.1, 3.4e38, 1e-45, 16_777_217, -1.7640524])(
    "shortestFloat32 of %d is the shortest that rounds back",
    (value) => {
      const stored = Math.fround(value);
      expect(Math.fround(shortestFloat32(stored))).toBe(stored);
      expect(String(shortestFloat32(stored)).length).toBeLessThanOrEqual(String(stored).length);
    },
  );

  test.each([
    [12_345n, 2, "123.45"],
    [-5n, 3, "-0.005"],
    [0n, 0, "0"],
    [10n ** 37n, 10, `${10n ** 27n}.0000000000`],
  ] as const)("decimalText of %s with %i digits is %s", (unscaled, scale, text) => {
    expect(decimalText(unscaled, scale)).toBe(text);
  });
});

describe("HybridReader", () => {
  test("skips and reads across runs and packed groups", () => {
    // 5 × 7 as a run, then 8 packed values 0 to 7 of 3 bits.
    const bytes = Uint8Array.from([10, 7, 3, 0b10001000, 0b11000110, 0b11111010]);
    const reader = new HybridReader(bytes, 0, bytes.length, 3);
    reader.skip(4);
    const out = new Uint8Array(4);
    reader.read(out);
    expect([...out]).toEqual([7, 0, 1, 2]);
    reader.skip(3);
    reader.read(out.subarray(0, 2));
    expect([...out.subarray(0, 2)]).toEqual([6, 7]);
    expect(() => reader.skip(1)).toThrow("fewer values");
  });

  test("passes over a run of two thousand million values at once", () => {
    const bytes = Uint8Array.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 1]);
    const validity = readValidity(bytes, 2 ** 31 - 1, 2 ** 30, 2 ** 30 + 5);
    expect(validity).toEqual({ before: 2 ** 30, count: 5, total: 2 ** 31 - 1, valid: undefined });
  });
});

describe("lz4Block", () => {
  test("unpacks literals and an overlapping copy", () => {
    const packed = Uint8Array.from([0x12, 97, 1, 0, 0x10, 98]);
    expect(Buffer.from(lz4Block(packed, 8)).toString()).toBe("aaaaaaab");
  });

  test.each([
    [[0x12, 97, 1, 0, 0x10], 8],
    [[0x12, 97, 2, 0, 0x10, 98], 8],
    [[0x12, 97, 1, 0, 0x10, 98], 9],
    [[0x12, 97, 1, 0, 0x10, 98], 7],
    [[0xf0, 255, 255], 8],
  ])("refuses %j for %i bytes", (packed, size) => {
    expect(() => lz4Block(Uint8Array.from(packed), size)).toThrow("damaged");
  });
});

describe("decompress", () => {
  test("refuses a page of more than 256 MiB without touching it", () => {
    expect(() => decompress("GZIP", new Uint8Array(10), 2 ** 29)).toThrow("at most 268435456");
  });

  test("refuses a codec that it does not know", () => {
    expect(() => decompress("LZO", new Uint8Array(10), 10)).toThrow("compression LZO");
  });

  test("stops a gzip page at the promised size", async () => {
    const { gzipSync } = await import("node:zlib");
    expect(() => decompress("GZIP", gzipSync(Buffer.alloc(5_000_000)), 1_000)).toThrow("damaged");
  });
});

describe("ByteCache", () => {
  test("drops the least recently used until 100 bytes are kept", () => {
    const cache = new ByteCache(100);
    cache.set("a", 1, 40);
    cache.set("b", 2, 40);
    cache.get("a");
    cache.set("c", 3, 30);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
  });

  test("keeps nothing that takes more than half the room", () => {
    const cache = new ByteCache(100);
    cache.set("a", 1, 51);
    expect(cache.get("a")).toBeUndefined();
  });
});
