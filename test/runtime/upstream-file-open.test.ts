import { describe, expect, test } from "vitest";
import { freshCall } from "../helpers/call-context.ts";
import { fault } from "../helpers/fault-server.ts";
import {
  age,
  api,
  asked,
  call,
  check,
  download,
  fileOf,
  LARGE,
  MEBIBYTE,
  open,
  ranges,
  restart,
  serve,
  start,
  store,
  TAIL,
} from "../helpers/file-store.ts";
import type { Behaviour } from "../helpers/serve-file.ts";
import { upstreamAt } from "../helpers/upstream-under-test.ts";

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
    await restart();
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
