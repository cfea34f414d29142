import { describe, expect, test } from "vitest";
import { createUpstream } from "../../src/upstream/upstream.ts";
import { Secret } from "../../src/secret.ts";
import { fault } from "../helpers/fault-server.ts";
import { ANSWER, call, cells, send, server, start, under } from "../helpers/one-server.ts";
import { API_KEY, operation, parameter, upstreamAt } from "../helpers/upstream-under-test.ts";

describe("send", () => {
  test("gives the body and its media type, and counts 1 request and its bytes", async () => {
    const body = JSON.stringify(ANSWER);
    await start({
      "/cells": fault.answer(200, { "content-type": 'Application/JSON; Charset="UTF-8"' }, body),
    });
    const answer = await send(cells, { limit: 3 });
    expect(answer).toMatchObject({
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
        secret: new Secret(API_KEY),
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

  test("cannot be led to another host whose name begins with its own", async () => {
    await start({});
    const { upstream } = upstreamAt("http://localhost");
    await expect(upstream.send(operation(".invalid/x"), {}, call)).rejects.toMatchObject({
      code: "NOT_ALLOWED",
    });
    await upstream.close();
  });

  test("sends a HEAD and gives an empty body", async () => {
    await start({ "/cells": fault.json(ANSWER) });
    const answer = await send({ ...cells, method: "HEAD" });
    expect([answer.status, answer.bytes.length, server.log[0]?.method]).toEqual([200, 0, "HEAD"]);
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
