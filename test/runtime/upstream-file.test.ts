import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type ByteRange, type ByteSource, FileChanged } from "../../src/byte-source.ts";
import type { CallContext } from "../../src/contract.ts";
import type { UpstreamOptions } from "../../src/upstream/upstream.ts";
import { freshCall } from "../helpers/call-context.ts";
import {
  type Behaviour,
  type FaultServer,
  type FileOptions,
  fault,
  startFaultServer,
} from "../helpers/fault-server.ts";
import {
  operation,
  parameter,
  type UnderTest,
  upstreamAt,
} from "../helpers/upstream-under-test.ts";

const MEBIBYTE = 1024 * 1024;
const TAIL = 128 * 1024;
const download = operation("/files/{id}", [parameter("id", "path")], { accept: [] });

/** Bytes of which any two stretches differ (xorshift). */
function fileOf(length: number, seed = 1): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  let word = seed;
  for (let index = 0; index < words.length; index++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    words[index] = word;
  }
  return new Uint8Array(words.buffer, 0, length);
}

const LARGE = fileOf(3 * MEBIBYTE);

let api: FaultServer;
let store: FaultServer;
let under: UnderTest;
let call: CallContext;

/** An API whose every file lies behind a link with a number that grows. */
async function start(
  file: Behaviour | readonly Behaviour[],
  options: Partial<UpstreamOptions> = {},
): Promise<void> {
  store = await startFaultServer({ "/f": file });
  api = await startFaultServer({
    "*": fault.redirect((_, hit) => `${store.url}/f?link=${hit}`),
  });
  under = upstreamAt(api.url, options);
  call = freshCall();
}

const serve = (bytes: Uint8Array, more: FileOptions = {}) =>
  fault.file(bytes, { etag: '"v1"', ...more });

const open = (context = call, id = "f-1") => under.upstream.openFile(download, { id }, context);

async function read(source: ByteSource, ranges: readonly ByteRange[]): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  await source.read(ranges, (index, bytes) => {
    expect(parts[index]).toBeUndefined();
    parts[index] = bytes;
  });
  return parts;
}

/** Reads ranges and compares each with the file. */
async function check(source: ByteSource, bytes: Uint8Array, ranges: ByteRange[]): Promise<void> {
  const parts = await read(source, ranges);
  expect(parts).toHaveLength(ranges.length);
  ranges.forEach(({ start, end }, index) => {
    expect(Buffer.compare(parts[index] as Uint8Array, bytes.subarray(start, end))).toBe(0);
  });
}

const ranges = (...pairs: [number, number][]): ByteRange[] =>
  pairs.map(([start, end]) => ({ start, end }));
const asked = () => store.log.map(({ headers }) => headers.range);

/** From now on it is 61 s later. */
function age(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 61_000);
}

afterEach(async () => {
  vi.restoreAllMocks();
  await under.upstream.close();
  await api.close();
  await store.close();
});

describe("openFile", () => {
  test("opens with 2 requests and the last 128 KiB", async () => {
    await start(serve(LARGE));
    const source = await open();
    expect([source.size, source.tailStart]).toEqual([LARGE.length, LARGE.length - TAIL]);
    expect(Buffer.compare(source.tail, LARGE.subarray(-TAIL))).toBe(0);
    expect(call.cost).toEqual({ requests: 2, bytes: TAIL });
    expect(asked()).toEqual(["bytes=-131072"]);
    expect(store.log[0]?.headers["accept-encoding"]).toBe("identity");
    expect(store.log.map(({ method }) => method)).toEqual(["GET"]);
  });

  test("has all of a file of 100 kB after opening", async () => {
    const small = fileOf(100_000);
    await start(serve(small));
    const source = await open();
    await check(source, small, ranges([0, 100_000], [5, 5], [99_999, 100_000]));
    expect([source.tailStart, call.cost.requests]).toEqual([0, 2]);
  });

  test("opens an empty file with a third request after 416", async () => {
    await start(serve(new Uint8Array(0)));
    const source = await open();
    expect([source.size, source.tail.length, call.cost.requests]).toEqual([0, 0, 3]);
    expect(asked()).toEqual(["bytes=-131072", undefined]);
  });

  test("remembers a file: opening again costs 0 requests", async () => {
    await start(serve(LARGE));
    const first = await open();
    const again = freshCall();
    const second = await open(again);
    expect(second.version).toBe(first.version);
    expect([again.cost.requests, api.count(), store.count()]).toEqual([0, 1, 1]);
  });

  test("shares the requests of 5 who open at once; who began bears the cost", async () => {
    await start(serve(LARGE));
    const calls = Array.from({ length: 5 }, () => freshCall());
    await Promise.all(calls.map((each) => open(each)));
    expect([api.count(), store.count()]).toEqual([1, 1]);
    expect(calls.map(({ cost }) => cost.requests)).toEqual([2, 0, 0, 0, 0]);
  });

  test("goes on for others when the one who began is cancelled", async () => {
    await start(serve(LARGE));
    const { routes } = api;
    let release: () => void = () => undefined;
    const held = new Promise<void>((done) => {
      release = done;
    });
    api.routes = {
      "*": async (request, response, hit) => {
        await held;
        await (routes["*"] as Behaviour)(request, response, hit);
      },
    };
    const controller = new AbortController();
    const first = open(freshCall(controller));
    const second = open();
    await api.until(() => api.count() === 1);
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: "CANCELLED" });
    release();
    expect((await second).size).toBe(LARGE.length);
    expect([api.count(), api.log[0]?.aborted]).toEqual([1, false]);
  });

  test("is aborted when the last who waits is cancelled, and can be opened anew", async () => {
    await start(serve(LARGE));
    const { routes } = api;
    api.routes = { "*": fault.stall() };
    const controller = new AbortController();
    const both = [open(freshCall(controller)), open(freshCall(controller))];
    await api.until(() => api.count() === 1);
    controller.abort();
    for (const each of both) {
      await expect(each).rejects.toMatchObject({ code: "CANCELLED" });
    }
    await api.until(() => api.log[0]?.aborted === true);
    api.routes = routes;
    expect((await open()).size).toBe(LARGE.length);
  });

  test("gives another version to another tag, length, argument and credential", async () => {
    await start(serve(LARGE));
    const versionOf = async (file: Behaviour, id: string, options = {}): Promise<string> => {
      store.routes = { "/f": file };
      const { upstream } = upstreamAt(api.url, options);
      const { version } = await upstream.openFile(download, { id }, freshCall());
      await upstream.close();
      return version;
    };
    const versions = [
      await versionOf(serve(LARGE), "f-1"),
      await versionOf(serve(LARGE, { etag: '"v2"' }), "f-1"),
      await versionOf(serve(LARGE.subarray(1)), "f-1"),
      await versionOf(serve(LARGE), "f-2"),
      await versionOf(serve(LARGE), "f-1", { headers: {} }),
    ];
    expect(new Set(versions).size).toBe(5);
    expect(await versionOf(serve(LARGE), "f-1")).toBe(versions[0]);
  });

  test("tells versions apart by the file's end where the store says nothing", async () => {
    await start([fault.file(fileOf(1000, 1)), fault.file(fileOf(1000, 2))]);
    const first = await open();
    await under.upstream.close();
    under = upstreamAt(api.url);
    expect((await open()).version).not.toBe(first.version);
  });

  test("keeps 32 files in mind and forgets the oldest", async () => {
    await start(serve(fileOf(10)));
    for (let index = 0; index < 33; index++) {
      await open(call, `f-${index}`);
    }
    const kept = freshCall();
    await open(kept, "f-32");
    await open(kept, "f-1");
    const gone = freshCall();
    await open(gone, "f-0");
    expect([kept.cost.requests, gone.cost.requests]).toEqual([0, 2]);
  });

  test.each([
    ["wrong", "bytes \\d+ to \\d+ came"],
    ["long", "more than the 131072 bytes"],
    ["unsaid", "does not say which bytes"],
    ["encoded", "must not be compressed"],
  ] as const)("says UNREADABLE_ANSWER for a range that is %s", async (range, why) => {
    await start(serve(LARGE, { range }));
    await expect(open()).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: expect.stringMatching(why),
    });
    expect(store.count()).toBe(1);
  });

  test("tries 4 times where a range is one byte short, and shows nothing of the link", async () => {
    await start(serve(LARGE, { range: "short" }));
    const error = await open().catch((refused: Error) => refused);
    expect(error).toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message:
        "The answer to the file behind GET /files/f-1 ended after 131071 of 131072 bytes (tried 4 times)",
    });
    expect(store.count()).toBe(4);
  });

  test("says UNREADABLE_ANSWER with the title for an HTML page", async () => {
    await start(fault.html("Maintenance"));
    await expect(open()).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: expect.stringContaining('an HTML page titled "Maintenance"'),
    });
  });

  test.each([
    [400, "UPSTREAM_REFUSED"],
    [401, "UPSTREAM_REFUSED"],
    [403, "UPSTREAM_REFUSED"],
    [404, "NOT_FOUND"],
    [410, "UPSTREAM_REFUSED"],
  ] as const)("makes %i for a new link %s, with 2 requests", async (status, code) => {
    await start(fault.linkExpired(status));
    await expect(open()).rejects.toMatchObject({
      code,
      message: expect.stringContaining("jwt expired"),
    });
    expect([api.count(), store.count()]).toEqual([1, 1]);
  });

  test("hands on what the API says instead of a link", async () => {
    await start(serve(LARGE));
    api.routes = { "*": fault.status(409, "still processing") };
    await expect(open()).rejects.toMatchObject({
      code: "UPSTREAM_REFUSED",
      message: 'GET /files/f-1 was answered with 409; the upstream says: "FAULT: still processing"',
    });
    expect(store.count()).toBe(0);
  });
});

describe("read", () => {
  test("reads 3 ranges with 3 requests and not a byte more", async () => {
    await start(serve(LARGE));
    const source = await open();
    const opened = call.cost.bytes;
    await check(source, LARGE, ranges([2e6, 2.1e6], [0, 1e5], [1e6, 1.2e6]));
    expect(call.cost).toEqual({ requests: 5, bytes: opened + 4e5 });
    expect(asked().slice(1).sort()).toEqual([
      "bytes=0-99999",
      "bytes=1000000-1199999",
      "bytes=2000000-2099999",
    ]);
    expect(store.log.slice(1).map(({ headers }) => headers["if-match"])).toEqual(
      Array(3).fill('"v1"'),
    );
  });

  test("joins ranges 16 KiB apart or less into 1 request, and hands each out in its own buffer", async () => {
    await start(serve(LARGE));
    const source = await open();
    const near = ranges([1e6, 1e6 + 10], [1e6 + 10 + 16384, 1e6 + 20_000], [1e6 + 5, 1e6 + 8]);
    await check(source, LARGE, near);
    expect(asked()).toEqual(["bytes=-131072", "bytes=1000000-1019999"]);
    const parts = await read(source, near);
    expect(new Set(parts.map(({ buffer }) => buffer)).size).toBe(3);
    expect(parts.map(({ buffer }) => buffer.byteLength)).toEqual([10, 3606, 3]);
  });

  test("takes what lies in the tail from there", async () => {
    await start(serve(LARGE));
    const source = await open();
    const at = source.tailStart;
    await check(source, LARGE, ranges([at, at + 10], [at - 10, at + 10], [0, 5]));
    expect(asked().slice(1).sort()).toEqual(["bytes=0-4", `bytes=${at - 10}-${at - 1}`]);
  });

  test("hands out each range as soon as it is there", async () => {
    await start(serve(LARGE));
    const source = await open();
    let release: () => void = () => undefined;
    const held = new Promise<void>((done) => {
      release = done;
    });
    store.routes = {
      "/f": async (request, response, hit) => {
        if (request.headers.range === "bytes=0-9") {
          await held;
        }
        await serve(LARGE)(request, response, hit);
      },
    };
    const seen: number[] = [];
    await source.read(
      ranges([0, 10], [2e6, 2e6 + 10], [3 * MEBIBYTE - 5, 3 * MEBIBYTE]),
      (index) => {
        seen.push(index);
        if (index === 1) {
          release();
        }
      },
    );
    expect(seen).toEqual([2, 1, 0]);
  });

  test("splits 20 MiB into 3 requests of at most 8 MiB", async () => {
    const file = fileOf(21 * MEBIBYTE);
    await start(serve(file));
    await check(await open(), file, ranges([0, 20 * MEBIBYTE]));
    expect(store.count()).toBe(4);
  });

  test("reads a file of up to 1 MiB whole with its first range: 3 requests in all", async () => {
    const small = fileOf(MEBIBYTE);
    await start(serve(small));
    const source = await open();
    await check(source, small, ranges([0, 10], [500_000, 500_010]));
    await check(source, small, ranges([700_000, 800_000]));
    expect(call.cost).toEqual({ requests: 3, bytes: MEBIBYTE });
    expect(source.tailStart).toBe(0);
  });

  test("keeps 4 of 12 requests in flight", async () => {
    await start(serve(LARGE));
    const source = await open();
    await check(
      source,
      LARGE,
      Array.from({ length: 12 }, (_, index) => ({ start: index * 2e5, end: index * 2e5 + 1e5 })),
    );
    expect([store.count(), store.peak <= 4]).toEqual([13, true]);
  });

  test("asks again for a range whose connection drops, and hands it out once", async () => {
    const partial = { "content-range": `bytes 0-99999/${LARGE.length}`, etag: '"v1"' };
    await start([serve(LARGE), fault.dropMidBody(500, 1e5, partial, 206), serve(LARGE)]);
    await check(await open(), LARGE, ranges([0, 1e5]));
    expect([store.count(), under.waits.length]).toEqual([3, 1]);
  });

  test("says UNREADABLE_ANSWER for another range than was asked", async () => {
    await start([serve(LARGE), serve(LARGE, { range: "wrong" })]);
    const source = await open();
    await expect(read(source, ranges([1e6, 2e6]))).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
    });
  });

  test("refuses a range outside the file with 0 requests", async () => {
    await start(serve(LARGE));
    const source = await open();
    await expect(read(source, ranges([0, LARGE.length + 1]))).rejects.toThrow(RangeError);
    expect(store.count()).toBe(1);
  });

  test("ends its other requests when one fails", async () => {
    await start(serve(LARGE));
    const source = await open();
    store.routes = {
      "/f": (request, response, hit) =>
        request.headers.range === "bytes=0-9"
          ? fault.status(418)(request, response, hit)
          : fault.stall()(request, response, hit),
    };
    await expect(read(source, ranges([1e6, 1e6 + 10], [0, 10]))).rejects.toMatchObject({
      code: "UPSTREAM_REFUSED",
    });
    await store.until(() => store.log.filter(({ aborted }) => aborted).length === 1);
  });

  test("is cancelled with its call", async () => {
    const controller = new AbortController();
    await start(serve(LARGE));
    const source = await open(freshCall(controller));
    store.routes = { "/f": fault.stall() };
    const reading = read(source, ranges([0, 10], [1e6, 1e6 + 10]));
    await store.until(() => store.count() === 3);
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: "CANCELLED" });
    await store.until(() => store.log.filter(({ aborted }) => aborted).length === 2);
  });

  test("sends nothing for a call that was cancelled after opening", async () => {
    const controller = new AbortController();
    await start(serve(LARGE));
    const source = await open(freshCall(controller));
    controller.abort();
    await expect(read(source, ranges([0, 10]))).rejects.toMatchObject({ code: "CANCELLED" });
    expect(store.count()).toBe(1);
  });

  test("says TIMED_OUT when the call's time is over", async () => {
    await start(serve(LARGE), { totalMs: 150 });
    const source = await open();
    store.routes = { "/f": fault.stall() };
    await expect(read(source, ranges([0, 10], [1e6, 1e6 + 10]))).rejects.toMatchObject({
      code: "TIMED_OUT",
    });
  });
});

describe("a file that changes", () => {
  test.each([
    ["another tag", serve(LARGE, { etag: '"v2"' })],
    [
      "another tag where the store knows no If-Match",
      fault.answer(
        206,
        { "content-range": `bytes 0-9/${LARGE.length}`, etag: '"v2"' },
        "0123456789",
      ),
    ],
    [
      "another length",
      fault.answer(206, { "content-range": "bytes 0-9/77777777", etag: '"v1"' }, "0123456789"),
    ],
    ["an end before the range", fault.answer(416, { "content-range": "bytes */5" })],
  ])("throws FileChanged for %s, and is opened anew", async (_, second) => {
    await start([serve(LARGE), second, serve(LARGE, { etag: '"v2"' })]);
    const source = await open();
    await expect(read(source, ranges([0, 10]))).rejects.toBeInstanceOf(FileChanged);
    const again = await open();
    expect(again.version).not.toBe(source.version);
    await check(again, LARGE, ranges([0, 10]));
  });

  test("is guarded by its date where it has a weak tag or none", async () => {
    const lastModified = "Thu, 01 Jan 2026 00:00:00 GMT";
    const plain = fault.file(LARGE, { lastModified });
    const newer = fault.file(LARGE, { lastModified: "Fri, 02 Jan 2026 00:00:00 GMT" });
    await start([plain, plain, newer]);
    const source = await open();
    await check(source, LARGE, ranges([0, 10]));
    expect(store.log[1]?.headers).toMatchObject({ "if-unmodified-since": lastModified });
    expect(store.log[1]?.headers).not.toHaveProperty("if-match");
    await expect(read(source, ranges([0, 10]))).rejects.toBeInstanceOf(FileChanged);
  });
});

describe("a link that expires", () => {
  test.each([[400], [401], [403], [404], [410]] as const)(
    "is asked for again once on %i, for 4 ranges together",
    async (status) => {
      await start(serve(LARGE));
      const source = await open();
      store.routes = {
        "/f": (request, response, hit) =>
          request.url?.endsWith("link=0")
            ? fault.linkExpired(status)(request, response, hit)
            : serve(LARGE)(request, response, hit),
      };
      await check(
        source,
        LARGE,
        ranges([0, 10], [5e5, 5e5 + 10], [1e6, 1e6 + 10], [2e6, 2e6 + 10]),
      );
      expect(api.count()).toBe(2);
      expect(store.log.filter(({ query }) => query === "?link=1")).toHaveLength(4);
    },
  );

  test("gives up when the new link is refused too", async () => {
    await start([serve(LARGE), fault.linkExpired(403)]);
    const source = await open();
    await expect(read(source, ranges([0, 10]))).rejects.toMatchObject({ code: "UPSTREAM_REFUSED" });
    expect([api.count(), store.count()]).toEqual([2, 3]);
  });

  test("says what the API says when it gives no new link", async () => {
    await start([serve(LARGE), fault.linkExpired(403)]);
    const source = await open();
    api.routes = { "*": fault.status(404, "gone") };
    await expect(read(source, ranges([0, 10]))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("is kept past further redirects: later ranges go straight to the end", async () => {
    await start(serve(LARGE));
    store.routes = { "/f": fault.redirect("/end"), "/end": serve(LARGE) };
    const source = await open();
    await check(source, LARGE, ranges([0, 10]));
    await check(source, LARGE, ranges([1e6, 1e6 + 10]));
    expect([api.count(), store.count("/f"), store.count("/end")]).toEqual([1, 1, 3]);
  });
});

describe("a file older than 60 s", () => {
  test("is confirmed by 304 with 2 requests and 0 bytes, under a new link", async () => {
    await start(serve(LARGE));
    const before = await open();
    age();
    const again = freshCall();
    const source = await open(again);
    expect(source.version).toBe(before.version);
    expect(again.cost).toEqual({ requests: 2, bytes: 0 });
    await check(source, LARGE, ranges([0, 10]));
    expect(store.log.at(-1)?.query).toBe("?link=1");
  });

  test("is replaced when it changed", async () => {
    await start([serve(LARGE), serve(fileOf(2 * MEBIBYTE), { etag: '"v2"' })]);
    const before = await open();
    age();
    const source = await open(freshCall());
    expect(source.version).not.toBe(before.version);
    expect(source.size).toBe(2 * MEBIBYTE);
  });

  test("is confirmed on the API itself where it came inline: 1 request, 0 bytes", async () => {
    await start(serve(LARGE));
    api.routes = { "*": serve(LARGE) };
    await open();
    age();
    const again = freshCall();
    await check(await open(again), LARGE, ranges([0, 10]));
    expect(again.cost).toEqual({ requests: 1, bytes: 0 });
  });
});

describe("a store without ranges", () => {
  test.each([[false], [true]])("is read once into memory, chunked %s", async (chunked) => {
    await start(serve(LARGE, { range: "ignore", chunked }));
    const source = await open();
    await check(source, LARGE, ranges([0, LARGE.length], [7, 9]));
    expect(source.tailStart).toBe(0);
    expect(call.cost).toEqual({ requests: 2, bytes: LARGE.length });
  });

  test("over 16 MiB goes to a temporary file without a name, read by 1 request", async () => {
    const file = fileOf(20 * MEBIBYTE);
    await start(serve(file, { range: "ignore", chunked: true }));
    const source = await open();
    expect(source.tail.length).toBe(TAIL);
    await check(
      source,
      file,
      ranges([0, 10], [17 * MEBIBYTE, 18 * MEBIBYTE], [file.length - 200_000, file.length]),
    );
    expect([source.size, call.cost.requests]).toEqual([file.length, 2]);
    expect(
      (await readdir(tmpdir())).filter((name) => /^vitrine-[0-9a-f-]{36}$/.test(name)),
    ).toEqual([]);
    await under.upstream.close();
    await expect(read(source, ranges([0, 10]))).rejects.toBeInstanceOf(FileChanged);
  });

  test.each([[false], [true]])("over the cap is TOO_LARGE, chunked %s", async (chunked) => {
    await start(serve(LARGE, { range: "ignore", chunked }), { maxFileBytes: MEBIBYTE });
    await expect(open()).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(call.cost.bytes).toBeLessThanOrEqual(MEBIBYTE + 128 * 1024);
    expect(store.count()).toBe(1);
  });

  test("is noticed half way: the file is read whole, by 1 request for 3 ranges", async () => {
    await start([serve(LARGE), serve(LARGE, { range: "ignore" })]);
    const source = await open();
    await check(source, LARGE, ranges([0, 10], [1e6, 1e6 + 10], [2e6, 2e6 + 10]));
    expect(asked().filter((range) => range === undefined)).toHaveLength(1);
    await check(source, LARGE, ranges([5e5, 6e5]));
    expect(store.count()).toBe(5);
  });

  test("is noticed by two holders of one version at once, and both read right", async () => {
    const lastModified = "Thu, 01 Jan 2026 00:00:00 GMT";
    await start(fault.file(LARGE, { lastModified }), { totalMs: 200_000 });
    const first = await open();
    age();
    const second = await open();
    expect([second.version, store.count()]).toEqual([first.version, 2]);
    store.routes = { "/f": fault.file(LARGE, { lastModified, range: "ignore" }) };
    await Promise.all([
      check(first, LARGE, ranges([0, 10])),
      check(second, LARGE, ranges([1e6, 1e6 + 10])),
    ]);
  });

  test("gives disk space back when another file needs it, and can be opened anew", async () => {
    const file = fileOf(17 * MEBIBYTE);
    await start(serve(file, { range: "ignore" }), { maxFileBytes: 30 * MEBIBYTE });
    const source = await open();
    await open(call, "f-2");
    await expect(read(source, ranges([0, 10]))).rejects.toBeInstanceOf(FileChanged);
    await check(await open(), file, ranges([0, 10]));
    expect(call.cost.requests).toBe(6);
  });

  test("is TOO_LARGE where there is no temporary folder", async () => {
    vi.stubEnv("TMPDIR", "/no/such/folder");
    await start(serve(fileOf(17 * MEBIBYTE), { range: "ignore" }));
    await expect(open()).rejects.toMatchObject({
      code: "TOO_LARGE",
      message:
        "The file is too large for memory, and the temporary folder does not take it (ENOENT)",
    });
    vi.unstubAllEnvs();
  });

  test("may be the API itself, answering without a redirect", async () => {
    await start(serve(LARGE));
    api.routes = { "*": serve(LARGE) };
    const source = await open();
    await check(source, LARGE, ranges([0, LARGE.length]));
    expect([call.cost.requests, store.count()]).toEqual([1, 0]);
  });
});
