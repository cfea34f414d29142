import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type ByteSource, FileChanged } from "../../src/byte-source.ts";
import { ToolError } from "../../src/errors.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { freshCall } from "../helpers/call-context.ts";
import { fixture, fixtureRow } from "../helpers/fixture-table.ts";
import { memorySource } from "../helpers/memory-source.ts";

const reader = createTableReader();
afterAll(() => reader.close());

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
afterEach(() => expect(unhandled).toEqual([]));

const bytes = fixture("polars-zstd");
const REQUEST = { offset: 1_200, limit: 2 };
const row = (window: { columns: readonly { values: readonly unknown[] }[] }) =>
  window.columns.map(({ values }) => values[0]);
const opening = (source: ByteSource) => () => Promise.resolve(source);
/** A source with nothing at hand: every byte has to be read. */
const remote = (version?: string) =>
  memorySource(bytes, { tailBytes: 8, ...(version === undefined ? {} : { version }) });
const readGood = () => reader.readParquet(opening(memorySource(bytes)), REQUEST, freshCall());

/** A source whose reads wait until they are let go. */
function stalled() {
  const source = remote();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const read: ByteSource["read"] = async (ranges, onRange) => {
    await released;
    await source.read(ranges, onRange);
  };
  return { source: { ...source, read }, release };
}

/** JSON that keeps the thread busy for seconds: brackets that close nothing. */
const busy = () => {
  const text = `{"a": [${'"x",'.repeat(12_000_000)}"x"]}`;
  return Promise.resolve(new TextEncoder().encode(text));
};

describe("cancelling", () => {
  test("rejects at once while bytes are awaited, and later bytes disturb nobody", async () => {
    const controller = new AbortController();
    const { source, release } = stalled();
    const call = reader.readParquet(opening(source), REQUEST, freshCall(controller));
    setTimeout(() => controller.abort(), 30);
    await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    release();
    expect(row(await readGood())).toEqual(fixtureRow(1_200));
  });

  test("rejects with the reason's own error where it is one of ours", async () => {
    const controller = new AbortController();
    const reason = new ToolError("TIMED_OUT", "50 s are over");
    controller.abort(reason);
    await expect(
      reader.readParquet(opening(stalled().source), REQUEST, freshCall(controller)),
    ).rejects.toBe(reason);
  });

  test("ends a busy thread, and what others had in it still arrives", async () => {
    const controller = new AbortController();
    const call = reader.readJsonColumns("busy", busy, "", REQUEST, freshCall(controller));
    await new Promise((resolve) => setTimeout(resolve, 400));
    const other = readGood();
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    expect(row(await other)).toEqual(fixtureRow(1_200));
  });

  test("gives up after the deadline and goes on working", async () => {
    // Long enough for a busy machine to start a worker and read a window.
    const hasty = createTableReader({ deadlineMs: 8_000 });
    await hasty.warm();
    await hasty.readParquet(opening(memorySource(bytes)), REQUEST, freshCall());
    const call = hasty.readParquet(opening(stalled().source), REQUEST, freshCall());
    await expect(call).rejects.toMatchObject({ code: "TIMED_OUT" });
    const window = await hasty.readParquet(opening(memorySource(bytes)), REQUEST, freshCall());
    expect(row(window)).toEqual(fixtureRow(1_200));
    await hasty.close();
  });
});

describe("a file that changes while it is read", () => {
  const changing = () => {
    const read: ByteSource["read"] = () => Promise.reject(new FileChanged());
    return { ...remote("old"), read };
  };

  test("is opened once more and read whole from the new version", async () => {
    const sources = [changing(), memorySource(fixture("v2-delta-gzip"), { version: "new" })];
    let opened = 0;
    const window = await reader.readParquet(
      () => Promise.resolve(sources[opened++] as ByteSource),
      REQUEST,
      freshCall(),
    );
    expect(opened).toBe(2);
    expect(row(window)).toEqual(fixtureRow(1_200));
  });

  test("is given up when it changes again", async () => {
    let opened = 0;
    const open = () => {
      opened += 1;
      return Promise.resolve(changing());
    };
    await expect(reader.readParquet(open, REQUEST, freshCall())).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
    });
    expect(opened).toBe(2);
  });
});

describe("the decoder thread", () => {
  test("passes on an error of the source as it is", async () => {
    const failure = new ToolError("NOT_FOUND", "No such file");
    const read: ByteSource["read"] = () => Promise.reject(failure);
    await expect(
      reader.readParquet(opening({ ...remote(), read }), REQUEST, freshCall()),
    ).rejects.toBe(failure);
  });

  test("refuses a range that is shorter than asked", async () => {
    const read: ByteSource["read"] = (ranges, onRange) => {
      for (const [index, { start, end }] of ranges.entries()) {
        onRange(index, bytes.slice(start, end - 1));
      }
      return Promise.resolve();
    };
    await expect(
      reader.readParquet(opening({ ...remote(), read }), REQUEST, freshCall()),
    ).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
  });

  test("takes buffers that are views of a shared one", async () => {
    const read: ByteSource["read"] = (ranges, onRange) => {
      for (const [index, { start, end }] of ranges.entries()) {
        onRange(index, bytes.subarray(start, end));
      }
      return Promise.resolve();
    };
    const shared = { ...remote(), read };
    for (let call = 0; call < 2; call += 1) {
      const window = await reader.readParquet(opening(shared), REQUEST, freshCall());
      expect(row(window)).toEqual(fixtureRow(1_200));
    }
  });

  test("tells progress of a scan up to its end", async () => {
    const told: [number, number | undefined][] = [];
    const context = {
      ...freshCall(),
      progress: (done: number, total: number | undefined) => told.push([done, total]),
    };
    const request = { offset: 0, limit: 1, stats: true };
    await reader.readParquet(opening(memorySource(bytes)), request, context);
    expect(told.length).toBe(3);
    const [done, total] = told.at(-1) ?? [];
    expect(done).toBe(total);
  });

  test("serves 20 calls at once", async () => {
    const source = memorySource(bytes);
    const windows = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        reader.readParquet(opening(source), { offset: i * 149, limit: 1 }, freshCall()),
      ),
    );
    expect(windows.map(row)).toEqual(windows.map((_, i) => fixtureRow(i * 149)));
  });

  test("dies of one call: that one is refused, the others are run again", async () => {
    const workerUrl = new URL("../fixtures/tables/dying-worker.mjs", import.meta.url);
    const dying = createTableReader({ workerUrl });
    const call = (offset: number) =>
      dying.readParquet(opening(memorySource(bytes)), { offset, limit: 1 }, freshCall());
    const outcomes = await Promise.allSettled([call(1), call(666), call(2)]);
    expect(outcomes).toMatchObject([
      { status: "fulfilled", value: { totalRows: 1 } },
      { status: "rejected", reason: { code: "UNREADABLE_ANSWER" } },
      { status: "fulfilled", value: { totalRows: 2 } },
    ]);
    expect(await call(3)).toMatchObject({ totalRows: 3 });
    await dying.close();
  });

  test("rejects what is under way when it is closed", async () => {
    const closing = createTableReader();
    const call = closing.readParquet(opening(stalled().source), REQUEST, freshCall());
    const outcome = expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await closing.close();
    await outcome;
  });
});
