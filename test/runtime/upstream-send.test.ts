import { afterEach, describe, expect, test } from "vitest";
import type { CallContext } from "../../src/contract.ts";
import { createUpstream, type UpstreamOptions } from "../../src/upstream/upstream.ts";
import { freshCall } from "../helpers/call-context.ts";
import { type FaultServer, fault, type Routes, startFaultServer } from "../helpers/fault-server.ts";
import {
  API_KEY,
  operation,
  parameter,
  type UnderTest,
  upstreamAt,
} from "../helpers/upstream-under-test.ts";

const cells = operation("/cells", [parameter("limit", "query")]);
const ANSWER = { items: [1, 2, 3] };

let server: FaultServer;
let under: UnderTest;
let call: CallContext;

async function start(routes: Routes, options: Partial<UpstreamOptions> = {}): Promise<void> {
  server = await startFaultServer(routes);
  under = upstreamAt(server.url, options);
  call = freshCall();
}

const send = (target = cells, args: Record<string, unknown> = {}) =>
  under.upstream.send(target, args, call);

afterEach(async () => {
  await under.upstream.close();
  await server.close();
});

describe("send", () => {
  test("gives the body and its media type, and counts 1 request and its bytes", async () => {
    const body = JSON.stringify(ANSWER);
    await start({
      "/cells": fault.answer(200, { "content-type": 'Application/JSON; Charset="UTF-8"' }, body),
    });
    const answer = await send(cells, { limit: 3 });
    expect(answer).toEqual({
      status: 200,
      mediaType: "application/json",
      bytes: new TextEncoder().encode(body),
    });
    expect(call.cost).toEqual({ requests: 1, bytes: body.length });
    expect(server.log[0]).toMatchObject({ method: "GET", path: "/cells", query: "?limit=3" });
  });

  test("sends credential, configured headers, Accept and user agent", async () => {
    await start({ "/cells": fault.json(ANSWER) });
    await send();
    expect(server.log[0]?.headers).toMatchObject({
      "x-api-key": API_KEY,
      "x-organization-id": "organization-7",
      accept: "application/json",
      "user-agent": "vitrine-test/1",
    });
  });

  test("keeps one connection for 10 calls in a row", async () => {
    await start({ "/cells": fault.json(ANSWER) });
    for (let index = 0; index < 10; index++) {
      await send();
    }
    expect([server.count(), server.connections]).toEqual([10, 1]);
  });

  test.each([
    ["query", undefined, { query: `?limit=1&key=${API_KEY}` }],
    ["cookie", undefined, { headers: expect.objectContaining({ cookie: `key=${API_KEY}` }) }],
    ["header", "Bearer ", { headers: expect.objectContaining({ key: `Bearer ${API_KEY}` }) }],
  ] as const)("puts a credential into the %s", async (place, prefix, seen) => {
    await start({ "/cells": fault.json(ANSWER) });
    const { upstream } = upstreamAt(server.url, {
      credential: {
        scheme: {
          name: "Key",
          variable: "TEST_API_KEY",
          in: place,
          parameter: "key",
          ...(prefix === undefined ? {} : { prefix }),
        },
        secret: new (await import("../../src/secret.ts")).Secret(API_KEY),
      },
    });
    await upstream.send(cells, { limit: 1 }, call);
    expect(server.log[0]).toMatchObject(seen);
    await upstream.close();
  });

  test("keeps a path in the base URL, with or without its last slash", async () => {
    await start({ "/api/v1/cells": fault.json(ANSWER) });
    for (const base of [`${server.url}/api/v1`, `${server.url}/api/v1/`]) {
      const { upstream } = upstreamAt(base);
      await upstream.send(cells, {}, call);
      await upstream.close();
    }
    expect(server.count("/api/v1/cells")).toBe(2);
  });

  test("refuses a bad path value with 0 requests", async () => {
    await start({});
    const cell = operation("/cells/{cell_id}", [parameter("cell_id", "path")]);
    await expect(send(cell, { cell_id: ".." })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect([server.count(), call.cost.requests]).toEqual([0, 0]);
  });

  test("sends nothing but GET and HEAD, even for a binding that says otherwise", async () => {
    await start({ "*": fault.json(ANSWER) });
    const remove = { ...cells, method: "DELETE" as "GET" };
    await expect(send(remove)).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    expect(server.count()).toBe(0);
  });

  test("cannot be led out of its origin by a binding's path", async () => {
    await start({ "*": fault.json(ANSWER) });
    const { upstream } = upstreamAt(`${server.url}/api`);
    for (const path of ["/../secret", "@127.0.0.1:1/x", ".evil.example/x"]) {
      await expect(upstream.send(operation(path), {}, call)).rejects.toBeInstanceOf(Error);
    }
    expect(server.count()).toBe(0);
    await upstream.close();
  });

  test("sends a HEAD and gives an empty body", async () => {
    await start({ "/cells": fault.json(ANSWER) });
    const answer = await send({ ...cells, method: "HEAD" });
    expect([answer.status, answer.bytes.length, server.log[0]?.method]).toEqual([200, 0, "HEAD"]);
  });
});

describe("tries", () => {
  test.each([[500], [502], [503], [504], [429]])(
    "answers after one %i with 2 requests",
    async (status) => {
      await start({ "/cells": [fault.status(status), fault.json(ANSWER)] });
      await send();
      expect([server.count(), call.cost.requests, under.waits]).toEqual([2, 2, [150]]);
    },
  );

  test("waits 150, 300, 600 ms where half is drawn, and gives up after 4 tries", async () => {
    await start({ "/cells": fault.status(503, "maintenance") });
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message:
        'GET /cells was answered with 503; the upstream says: "FAULT: maintenance" (tried 4 times)',
    });
    expect([server.count(), under.waits]).toEqual([4, [150, 300, 600]]);
  });

  test.each([[400], [404], [501], [409]])("does not try again after %i", async (status) => {
    await start({ "/cells": fault.status(status) });
    await expect(send()).rejects.toBeInstanceOf(Error);
    expect(server.count()).toBe(1);
  });

  test("waits as long as Retry-After says in seconds", async () => {
    await start({ "/cells": [fault.rateLimit(7), fault.json(ANSWER)] });
    await send();
    expect(under.waits).toEqual([7000]);
  });

  test("waits as long as Retry-After says as a date", async () => {
    await start({ "/cells": [fault.rateLimit(new Date(Date.now() + 9000)), fault.json(ANSWER)] });
    await send();
    expect(under.waits).toHaveLength(1);
    expect(under.waits[0]).toBeGreaterThan(5000);
    expect(under.waits[0]).toBeLessThanOrEqual(9000);
  });

  test("falls back on its own wait where Retry-After makes no sense", async () => {
    await start({ "/cells": [fault.rateLimit("soon"), fault.json(ANSWER)] });
    await send();
    expect(under.waits).toEqual([150]);
  });

  test("gives up at once on 503 too, and says how long to wait", async () => {
    await start({ "/cells": fault.status(503, "maintenance", { "retry-after": "300" }) });
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      hint: "Wait 300 s before the next call",
    });
    expect(server.count()).toBe(1);
  });

  test("gives up at once with RATE_LIMITED when Retry-After is beyond the deadline", async () => {
    await start({ "/cells": fault.rateLimit(120) });
    await expect(send()).rejects.toMatchObject({
      code: "RATE_LIMITED",
      hint: "Wait 120 s before the next call",
    });
    expect([server.count(), under.waits]).toEqual([1, []]);
  });

  test.each([
    ["before the answer's head", fault.dropBeforeHeaders()],
    ["in the middle of the body", fault.dropMidBody()],
    ["in good order after half the body", fault.truncated(JSON.stringify(ANSWER))],
  ])("asks again when the connection is dropped %s", async (_, drop) => {
    await start({ "/cells": [drop, fault.json(ANSWER)] });
    await send();
    expect([server.count(), call.cost.requests]).toEqual([2, 2]);
  });

  test("says UPSTREAM_UNAVAILABLE after 4 dropped connections", async () => {
    await start({ "/cells": fault.dropBeforeHeaders() });
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringMatching(/^GET \/cells got no answer: .* dropped .*\(tried 4 times\)$/),
    });
    expect(server.count()).toBe(4);
  });

  test("asks again at once, without a wait, when a kept connection had gone stale", async () => {
    await start({ "/cells": [fault.json(ANSWER), fault.dropBeforeHeaders(), fault.json(ANSWER)] });
    await send();
    await send();
    expect([server.count(), under.waits]).toEqual([3, []]);
  });

  test("counts 0 requests where connections are refused, and tries 4 times", async () => {
    await start({});
    await server.close();
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringContaining("refuses connections (tried 4 times)"),
    });
    expect([call.cost.requests, under.waits.length]).toEqual([0, 3]);
  });

  test("says UPSTREAM_UNAVAILABLE for a name without an address", async () => {
    await start({});
    const { upstream } = upstreamAt("http://no-such-host.invalid");
    await expect(upstream.send(cells, {}, call)).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringContaining("no-such-host.invalid"),
    });
    await upstream.close();
  });

  test("says that TLS failed, without another try", async () => {
    await start({});
    const { upstream, waits } = upstreamAt(server.url.replace("http:", "https:"));
    await expect(upstream.send(cells, {}, call)).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringContaining("TLS"),
    });
    expect([server.count(), waits]).toEqual([0, []]);
    await upstream.close();
  });
});

describe("time", () => {
  test("gives up a try that stalls and says TIMED_OUT after 4 of them", async () => {
    await start({ "/cells": fault.stall() }, { tryMs: 40 });
    await expect(send()).rejects.toMatchObject({
      code: "TIMED_OUT",
      message: "GET /cells got no answer for 0.04 s (tried 4 times)",
    });
    expect(server.count()).toBe(4);
    await server.until(() => server.log.every(({ aborted }) => aborted));
  });

  test("gives up a try whose body stalls and succeeds with the next", async () => {
    await start({ "/cells": [fault.stallMidBody(), fault.json(ANSWER)] }, { tryMs: 40 });
    await send();
    expect(server.count()).toBe(2);
  });

  test("lets a body drip for longer than one try may stay silent", async () => {
    const text = JSON.stringify(ANSWER);
    await start({ "/cells": fault.drip(text, 10) }, { tryMs: 120 });
    expect((await send()).bytes).toHaveLength(text.length);
    expect(server.count()).toBe(1);
  });

  test("ends a drip at the deadline with TIMED_OUT and what was being done", async () => {
    await start({ "/cells": fault.drip("x".repeat(1000), 10) }, { totalMs: 150 });
    await expect(send()).rejects.toMatchObject({
      code: "TIMED_OUT",
      message:
        "The 0.15 s that one call may take were over while waiting for the answer to GET /cells",
    });
    expect(server.count()).toBe(1);
  });

  test("counts the deadline from a call's first request, not from each", async () => {
    await start({ "/cells": fault.json(ANSWER) }, { totalMs: 100 });
    await send();
    await new Promise((done) => setTimeout(done, 120));
    await expect(send()).rejects.toMatchObject({ code: "TIMED_OUT" });
    expect(server.count()).toBe(1);
  });

  test("gives up before a backoff that would end after the deadline", async () => {
    await start({ "/cells": fault.status(503) }, { totalMs: 200, random: () => 1 });
    await expect(send()).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
    expect(server.count()).toBe(1);
  });
});

describe("cancel", () => {
  test("aborts the request at the upstream and says CANCELLED", async () => {
    await start({ "/cells": fault.stall() });
    const controller = new AbortController();
    call = freshCall(controller);
    const answer = send();
    await server.until(() => server.count() === 1);
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: "CANCELLED" });
    await server.until(() => server.log[0]?.aborted === true);
    expect(server.count()).toBe(1);
  });

  test("ends a wait between tries", async () => {
    const controller = new AbortController();
    await start(
      { "/cells": fault.status(503) },
      {
        sleep: () => {
          controller.abort();
          return () => undefined;
        },
      },
    );
    call = freshCall(controller);
    await expect(send()).rejects.toMatchObject({ code: "CANCELLED" });
    expect(server.count()).toBe(1);
  });

  test("sends nothing for a call that is cancelled already", async () => {
    await start({ "/cells": fault.json(ANSWER) });
    const controller = new AbortController();
    controller.abort();
    call = freshCall(controller);
    await expect(send()).rejects.toMatchObject({ code: "CANCELLED" });
    expect(server.count()).toBe(0);
  });
});

describe("concurrency", () => {
  test("keeps 4 of 20 requests in flight", async () => {
    await start({ "/cells": fault.drip("[1,2]", 2) });
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect([server.count(), server.peak]).toEqual([20, 4]);
  });

  test("serves a second call before the rest of a first that asks for 8", async () => {
    await start({ "*": fault.drip("[1,2]", 2) }, { concurrency: 1 });
    const first = Array.from({ length: 8 }, () => send());
    const second = under.upstream.send(operation("/other"), {}, freshCall());
    await Promise.all([...first, second]);
    expect(server.log.map(({ path }) => path).indexOf("/other")).toBe(2);
  });

  test("lets a call that waits for its turn be cancelled, and serves those behind it", async () => {
    await start({ "*": fault.drip("[1,2]", 5) }, { concurrency: 1 });
    const controller = new AbortController();
    const running = send();
    const waiting = under.upstream.send(operation("/never"), {}, freshCall(controller));
    const behind = under.upstream.send(operation("/behind"), {}, freshCall());
    controller.abort();
    await expect(waiting).rejects.toMatchObject({
      code: "CANCELLED",
      message: "The call was cancelled while waiting for GET /never behind 1 other requests",
    });
    await Promise.all([running, behind]);
    expect(server.log.map(({ path }) => path)).toEqual(["/cells", "/behind"]);
  });
});

describe("bodies", () => {
  test("counts a gzip body as it travelled and gives it unpacked", async () => {
    const list = Array.from({ length: 1000 }, () => "same");
    await start({ "/cells": fault.gzip(list) });
    const answer = await send();
    expect(JSON.parse(new TextDecoder().decode(answer.bytes))).toEqual(list);
    expect(call.cost.bytes).toBeLessThan(200);
  });

  test("ends a gzip bomb of 256 MiB at a cap of 4 MiB, before half of its bytes came", async () => {
    await start({ "/cells": fault.gzipBomb(256) }, { maxBodyBytes: 4 * 1024 * 1024 });
    await expect(send()).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(call.cost.bytes).toBeLessThan(128 * 1024);
    expect(server.count()).toBe(1);
  });

  test("does not begin to read a 20 MB answer that says it is over the cap", async () => {
    await start({ "/cells": fault.huge(20) }, { maxBodyBytes: 1024 * 1024 });
    await expect(send()).rejects.toMatchObject({
      code: "TOO_LARGE",
      message: expect.stringContaining("1048576 bytes"),
    });
    expect(call.cost.bytes).toBe(0);
  });

  test("reads a 20 MB answer under the default cap", async () => {
    await start({ "/cells": fault.huge(20) });
    expect((await send()).bytes.length).toBeGreaterThan(20e6);
  });

  test("asks again when a gzip body breaks off", async () => {
    const { gzipSync } = await import("node:zlib");
    const half = gzipSync(JSON.stringify(ANSWER)).subarray(0, 15);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    await start({ "/cells": [fault.answer(200, headers, half), fault.json(ANSWER)] });
    await send();
    expect(server.count()).toBe(2);
  });

  test.each([
    ["gzip", "this is no gzip at all"],
    ["br", "this is no brotli at all"],
    ["zstd", "never asked for"],
  ])("says UNREADABLE_ANSWER for a broken %s body, without another try", async (encoding, body) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    await start({ "/cells": fault.answer(200, headers, body) });
    await expect(send()).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
    expect(server.count()).toBe(1);
  });

  test.each([[200], [204]])("says UNREADABLE_ANSWER for %i without a body", async (status) => {
    await start({ "/cells": fault.empty(status) });
    await expect(send()).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: `GET /cells was answered with ${status} and no body`,
    });
  });

  test("says UNREADABLE_ANSWER with the title for HTML where JSON was asked", async () => {
    await start({ "/cells": fault.html("Sign in") });
    await expect(send()).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: 'GET /cells was answered with an HTML page titled "Sign in" instead of data',
    });
  });

  test("hands a wrong media type on for the caller to judge", async () => {
    await start({ "/cells": fault.wrongType(ANSWER, "text/plain; charset=latin1") });
    expect(await send()).toMatchObject({ mediaType: "text/plain" });
  });

  test.each([
    ["latin1", Buffer.from('"50 \u00b5m"', "latin1")],
    ["utf-16le", Buffer.from('"50 \u00b5m"', "utf16le")],
    ["UTF-8", Buffer.from('"50 \u00b5m"')],
  ])("gives text in %s as UTF-8", async (charset, body) => {
    const type = `application/json; charset=${charset}`;
    await start({ "/cells": fault.answer(200, { "content-type": type }, body) });
    expect(new TextDecoder().decode((await send()).bytes)).toBe('"50 \u00b5m"');
  });

  test.each([["klingon"], ["utf-16be"]])(
    "says UNREADABLE_ANSWER for what is not text in %s",
    async (charset) => {
      const type = `application/json; charset=${charset}`;
      await start({ "/cells": fault.answer(200, { "content-type": type }, "odd") });
      await expect(send()).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
    },
  );

  test("says UNREADABLE_ANSWER for what is not HTTP", async () => {
    await start({ "/cells": (request) => void request.socket.end("SSH-2.0-server\r\n") });
    await expect(send()).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
    expect(server.count()).toBe(1);
  });
});

describe("identityKey", () => {
  test("differs by arguments, operation, credential and headers, and names none of them", async () => {
    await start({});
    const other = operation("/cells", [parameter("limit", "query")], { operationId: "other" });
    const keys = [
      under.upstream.identityKey(cells, { limit: 1 }),
      under.upstream.identityKey(cells, { limit: 2 }),
      under.upstream.identityKey(other, { limit: 1 }),
      upstreamAt(server.url, { headers: {} }).upstream.identityKey(cells, { limit: 1 }),
      createUpstream({
        baseUrl: server.url,
        headers: { "X-Organization-Id": "organization-7" },
        variable: () => undefined,
        userAgent: "x",
      }).identityKey(cells, { limit: 1 }),
    ];
    expect(new Set(keys).size).toBe(5);
    expect(keys.join()).not.toContain(API_KEY);
    expect(under.upstream.identityKey(cells, { limit: 1 })).toBe(keys[0]);
  });
});
