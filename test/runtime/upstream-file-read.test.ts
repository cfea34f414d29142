import { describe, expect, test } from "vitest";
import { FileChanged } from "../../src/byte-source.ts";
import { freshCall } from "../helpers/call-context.ts";
import { fault } from "../helpers/fault-server.ts";
import {
  api,
  asked,
  call,
  check,
  fileOf,
  LARGE,
  MEBIBYTE,
  open,
  ranges,
  read,
  serve,
  start,
  store,
  under,
} from "../helpers/file-store.ts";

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
    await start(serve(LARGE), { totalMs: 400 });
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
