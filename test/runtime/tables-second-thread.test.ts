import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { loadZstd } from "../../demo/files/write-parquet.ts";
import { decompressApart } from "../../src/tables/codecs.ts";
import { secondThread } from "../../src/tables/second-thread.ts";

const plain = new Uint8Array(Float64Array.from({ length: 100_000 }, (_, i) => i / 8).buffer);
let frame: Uint8Array;

const packed = (input: Uint8Array, neededBytes = plain.length) => ({
  codec: "ZSTD",
  input,
  sizeBytes: plain.length,
  neededBytes,
});

/** Waits until the thread takes a page, then for the page. */
async function apart(input: Uint8Array, neededBytes?: number, isShared = true) {
  for (;;) {
    const answer = decompressApart(packed(input, neededBytes), isShared);
    if (answer !== undefined) {
      return answer;
    }
    await setTimeout(10);
  }
}

beforeAll(async () => {
  frame = (await loadZstd())(plain);
  secondThread.program = new URL("../../src/tables/worker.ts", import.meta.url);
});

describe("decompressApart", () => {
  test("gives a page whole, or its start, and leaves a shared buffer alone", async () => {
    const whole = await apart(frame);
    expect(Buffer.compare(whole.output, plain)).toBe(0);
    const start = await apart(frame, 1);
    expect(start.output.length).toBe(128 * 1024);
    expect(Buffer.compare(start.output, plain.subarray(0, 128 * 1024))).toBe(0);
    expect(Buffer.compare(start.input, frame)).toBe(0);
    expect(frame.length).toBeGreaterThan(0);
  }, 30_000);

  test("takes a buffer that is not shared, and brings it back", async () => {
    const own = frame.slice();
    const { input } = await apart(own, 1, false);
    expect(own.length).toBe(0);
    expect(Buffer.compare(input, frame)).toBe(0);
  }, 30_000);

  test("keeps every second page of a window here", async () => {
    await apart(frame);
    const taken = Array.from({ length: 6 }, () => decompressApart(packed(frame), true));
    expect(taken.map((answer) => answer !== undefined)).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
    await Promise.all(taken);
  }, 30_000);

  test("refuses a damaged page and takes the next one", async () => {
    await expect(apart(frame.slice(0, frame.length >> 1))).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
    });
    expect((await apart(frame)).output.length).toBe(plain.length);
  }, 30_000);

  test("leaves small pages and other codecs to the decoder", () => {
    expect(decompressApart({ ...packed(frame), sizeBytes: 1000, neededBytes: 1000 }, true)).toBe(
      undefined,
    );
    expect(decompressApart({ ...packed(frame), codec: "SNAPPY" }, true)).toBe(undefined);
  });
});
