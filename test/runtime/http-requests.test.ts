import { describe, expect, test } from "vitest";
import { startFixture } from "../helpers/http-fixture.ts";
import {
  ask,
  askMcp,
  type Era,
  JSON_HEADERS,
  messageOf,
  messagesOf,
} from "../helpers/http-request.ts";

const ERAS: Era[] = ["2025-11-25", "2026-07-28"];
const LIST = messageOf("2026-07-28", "tools/list");
const MEBIBYTE = 1024 * 1024;

const post = (url: string, headers: Record<string, string>, body: string | Uint8Array) =>
  ask(url, { method: "POST", headers, body });

/** A call of `echo` whose whole body has this length [bytes]. */
function callOfLength(bytes: number): ReturnType<typeof messageOf> {
  const padded = (length: number) =>
    messageOf("2026-07-28", "tools/call", {
      name: "echo",
      arguments: { text: "x".repeat(length) },
    });
  return padded(bytes - padded(0).body.length);
}

describe("routes", () => {
  test.each([
    ["/healthz", 200],
    ["/readyz", 200],
    ["/", 404],
    ["/mcp/", 404],
    ["/metrics", 404],
    ["/.well-known/oauth-protected-resource", 404],
    ["//mcp", 404],
  ])("%s answers %i", async (path, status) => {
    const { base } = await startFixture();
    expect((await ask(`${base}${path}`)).status).toBe(status);
  });

  test("/readyz answers 503 until the server is ready, /healthz 200", async () => {
    let ready = false;
    const { base } = await startFixture({ ready: () => ready });
    expect((await ask(`${base}/readyz`)).status).toBe(503);
    expect((await ask(`${base}/healthz`)).status).toBe(200);
    ready = true;
    expect((await ask(`${base}/readyz`)).status).toBe(200);
  });

  test("/healthz and /readyz answer under any host name: probes come by address", async () => {
    const { base } = await startFixture();
    for (const path of ["/healthz", "/readyz"]) {
      expect((await ask(`${base}${path}`, { headers: { host: "10.1.2.3:8080" } })).status).toBe(
        200,
      );
    }
  });

  test.each(["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])(
    "%s of /mcp answers 405 with Allow: POST",
    async (method) => {
      const { url, calls } = await startFixture();
      const { status, headers } = await ask(url, { method, headers: { ...JSON_HEADERS } });
      expect(status).toBe(405);
      expect(headers.allow).toBe("POST");
      expect(calls).toHaveLength(0);
    },
  );
});

describe("guards", () => {
  test("a foreign Host is refused with 403 and a JSON-RPC error", async () => {
    const { url } = await startFixture();
    const received = await post(url, { ...LIST.headers, host: "evil.example" }, LIST.body);
    expect(received.status).toBe(403);
    expect(messagesOf(received)).toMatchObject([
      { jsonrpc: "2.0", id: null, error: { code: -32000 } },
    ]);
  });

  test.each(["https://evil.example", "null"])("Origin %s is refused with 403", async (origin) => {
    const { url } = await startFixture();
    expect((await post(url, { ...LIST.headers, origin }, LIST.body)).status).toBe(403);
  });

  test("a page of this machine may call, but its browser is not told that it may read", async () => {
    const { url } = await startFixture();
    const origin = "http://localhost:6274";
    const { status, headers } = await post(url, { ...LIST.headers, origin }, LIST.body);
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("a page of an allowed origin may ask first, call and read", async () => {
    const { url } = await startFixture();
    const origin = "https://app.example.org";
    const first = await ask(url, { method: "OPTIONS", headers: { origin } });
    expect(first.status).toBe(204);
    expect(first.headers["access-control-allow-headers"]).toContain("x-lab-key");
    for (const { headers } of [first, await post(url, { ...LIST.headers, origin }, LIST.body)]) {
      expect(headers["access-control-allow-origin"]).toBe(origin);
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
      expect(headers.vary).toBe("origin");
    }
  });
});

describe("bodies", () => {
  test.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/json-patch+json", 415],
    ["", 415],
    ["application/json; charset=utf-8", 200],
    ["Application/JSON", 200],
  ])("of type %j are answered with %i", async (type, status) => {
    const { url } = await startFixture();
    expect((await post(url, { ...LIST.headers, "content-type": type }, LIST.body)).status).toBe(
      status,
    );
  });

  test("that are compressed are refused with 415", async () => {
    const { url } = await startFixture();
    const headers = { ...LIST.headers, "content-encoding": "gzip" };
    expect((await post(url, headers, LIST.body)).status).toBe(415);
  });

  test("of exactly 1 MiB are served", async () => {
    const { url, calls } = await startFixture();
    const message = callOfLength(MEBIBYTE);
    expect(Buffer.byteLength(message.body)).toBe(MEBIBYTE);
    expect((await post(url, message.headers, message.body)).status).toBe(200);
    expect(calls).toHaveLength(1);
  });

  test.each([
    ["that say so", {}],
    ["that do not", { "transfer-encoding": "chunked" }],
  ] as const)("of 1 MiB and a byte are refused with 413 (%s)", async (_, extra) => {
    const { url, calls } = await startFixture();
    const message = callOfLength(MEBIBYTE + 1);
    const received = await post(url, { ...message.headers, ...extra }, message.body);
    expect(received.status).toBe(413);
    expect(received.headers.connection).toBe("close");
    expect(calls).toHaveLength(0);
  });

  test.each([
    ["", 400],
    ["{", 400],
    ["null", 400],
    ["7", 400],
    ["{}", 400],
    [Uint8Array.of(0x22, 0xff, 0x22), 400],
  ])("%j gives a JSON-RPC error with status %i", async (body, status) => {
    const { url } = await startFixture();
    const received = await post(url, { ...JSON_HEADERS }, body);
    expect(received.status).toBe(status);
    expect(messagesOf(received)[0].error.code).toBeLessThan(-32_000 + 1);
  });

  test("of 1 MiB of nested brackets are answered, and so is the next request", async () => {
    const { url } = await startFixture();
    const nested = `${"[".repeat(MEBIBYTE / 2)}${"]".repeat(MEBIBYTE / 2)}`;
    const { headers } = messageOf("2026-07-28", "tools/call", { name: "echo" });
    const first = await post(url, headers, nested);
    expect(first.status).toBeGreaterThanOrEqual(400);
    expect((await post(url, LIST.headers, LIST.body)).status).toBe(200);
  });
});

describe.each(ERAS)("revision %s", (era) => {
  test("lists and calls without a session or a handshake", async () => {
    const { url, calls } = await startFixture();
    const { result } = await askMcp(url, era, "tools/list");
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(["echo", "wait"]);
    const called = await askMcp(url, era, "tools/call", { name: "echo", arguments: { a: 1 } });
    expect(called.result.structuredContent).toEqual({ tool: "echo", said: "whole" });
    expect(calls.map(({ args }) => args)).toEqual([{ a: 1 }]);
  });

  test("answers an unknown tool with -32602 that names the nearest", async () => {
    const { url } = await startFixture();
    const { error } = await askMcp(url, era, "tools/call", { name: "ecko" });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("echo") });
  });

  test("hands traceparent on from the header", async () => {
    const { url, calls } = await startFixture();
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    await askMcp(url, era, "tools/call", { name: "echo" }, { traceparent, tracestate: "v=1" });
    expect(calls[0]?.options.caller?.headers).toEqual({ traceparent, tracestate: "v=1" });
  });

  test("hands traceparent on from _meta, which wins over the header", async () => {
    const { url, calls } = await startFixture();
    const [header, meta] = ["c", "d"].map((digit) => `00-${digit.repeat(32)}-${"b".repeat(16)}-01`);
    const params = { name: "echo", _meta: { traceparent: meta } };
    await askMcp(url, era, "tools/call", params, { traceparent: header ?? "" });
    expect(calls[0]?.options.caller?.headers).toEqual({ traceparent: meta });
  });

  test("hands on no traceparent that is none", async () => {
    const { url, calls } = await startFixture();
    await askMcp(url, era, "tools/call", { name: "echo" }, { traceparent: "x\tevil" });
    expect(calls[0]?.options.caller).toEqual({});
  });

  test("hands a caller's key to the call alone: no log line of any level shows it", async () => {
    const { url, calls, lines } = await startFixture();
    const key = "iwk_of_caller_9";
    await askMcp(url, era, "tools/call", { name: "echo" }, { "x-lab-key": key });
    await askMcp(url, era, "no/such", { key }, { authorization: `Bearer ${key}` });
    await ask(`${url}?key=${key}`, { headers: { "x-lab-key": key } });
    expect(calls[0]?.options.caller?.credential?.secret.reveal()).toBe(key);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.join("")).not.toContain(key);
  });

  test("refuses a key that came through a proxy nobody told of, and names --trust-proxy", async () => {
    const { url, calls } = await startFixture();
    const message = messageOf(era, "tools/call", { name: "echo" });
    const headers = { ...message.headers, "x-lab-key": "k", "x-forwarded-for": "10.0.0.9" };
    const received = await post(url, headers, message.body);
    expect(received.status).toBe(403);
    expect(received.text).toContain("--trust-proxy");
    expect(calls).toHaveLength(0);
  });
});

describe("headers of revision 2026-07-28", () => {
  const call = messageOf("2026-07-28", "tools/call", { name: "echo", arguments: {} });

  test.each([
    [{ "mcp-method": "tools/list" }, -32020],
    [{ "mcp-name": "wait" }, -32020],
    [{ "mcp-protocol-version": "2099-01-01" }, -32020],
  ])("that contradict the body (%j) are refused with 400 and %i", async (headers, code) => {
    const { url, calls } = await startFixture();
    const received = await post(url, { ...call.headers, ...headers }, call.body);
    expect(received.status).toBe(400);
    expect(messagesOf(received)[0].error.code).toBe(code);
    expect(calls).toHaveLength(0);
  });

  test.each(["mcp-method", "mcp-name", "mcp-protocol-version"])(
    "without %s is refused with 400",
    async (name) => {
      const { url, calls } = await startFixture();
      const { [name]: _, ...headers } = call.headers;
      expect((await post(url, headers, call.body)).status).toBe(400);
      expect(calls).toHaveLength(0);
    },
  );

  test("an unknown revision is refused with 400, -32022 and the known one", async () => {
    const { url } = await startFixture();
    const version = "2099-01-01";
    const _meta = { "io.modelcontextprotocol/protocolVersion": version };
    const message = messageOf("2026-07-28", "tools/list", { _meta });
    const headers = { ...message.headers, "mcp-protocol-version": version };
    const received = await post(url, headers, message.body);
    expect(received.status).toBe(400);
    expect(messagesOf(received)[0].error).toMatchObject({
      code: -32022,
      data: { supported: ["2026-07-28"], requested: version },
    });
  });

  test("an unknown method is answered with 404 and -32601", async () => {
    const { url } = await startFixture();
    const message = messageOf("2026-07-28", "no/such");
    const received = await post(url, message.headers, message.body);
    expect(received.status).toBe(404);
    expect(messagesOf(received)[0].error.code).toBe(-32601);
  });
});
