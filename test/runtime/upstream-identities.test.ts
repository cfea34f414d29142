import { describe, expect, test } from "vitest";
import type { CallContext, CredentialScheme } from "../../src/contract.ts";
import { Secret } from "../../src/secret.ts";
import type { Caller } from "../../src/upstream/credential.ts";
import { freshCall } from "../helpers/call-context.ts";
import { fault } from "../helpers/fault-server.ts";
import { cells, server, start, under } from "../helpers/one-server.ts";
import { API_KEY, operation } from "../helpers/upstream-under-test.ts";

const SCHEME: CredentialScheme = {
  name: "ApiKey",
  variable: "TEST_API_KEY",
  in: "header",
  parameter: "X-API-Key",
};
const QUERY_SCHEME: CredentialScheme = { ...SCHEME, in: "query", parameter: "api_key" };

const caller = (key: string, scheme = SCHEME): Caller => ({
  credential: { scheme, secret: new Secret(key), header: "X-Lab-Key" },
});

const FILE = operation("/file");
const BYTES = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 251);

const keysAsked = (path: string) =>
  server.log.filter((entry) => entry.path === path).map(({ headers }) => headers["x-api-key"]);

async function readAll(who: Caller, context: CallContext = freshCall()): Promise<Uint8Array> {
  const source = await under.upstream.as(who).openFile(FILE, {}, context);
  const bytes = new Uint8Array(source.size);
  await source.read([{ start: 0, end: source.size }], (_, part) => bytes.set(part));
  return bytes;
}

describe("Upstream.as", () => {
  test("sends the caller's key instead of the operator's", async () => {
    await start({ "/cells": fault.json({}) });
    await under.upstream.as(caller("key-of-a")).send(cells, {}, freshCall());
    await under.upstream.send(cells, {}, freshCall());
    expect(keysAsked("/cells")).toEqual(["key-of-a", API_KEY]);
  });

  test("names the header of a key that was refused, and quotes the key nowhere", async () => {
    await start({ "/cells": fault.status(401, "no such key: key-of-a") });
    const sent = under.upstream.as(caller("key-of-a")).send(cells, {}, freshCall());
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CREDENTIAL_REFUSED" });
    expect(String((error as { hint: string }).hint)).toContain("X-Lab-Key");
    expect(JSON.stringify([String(error), error])).not.toContain("key-of-a");
  });

  test("keeps identities apart in keys for caches, and knows the same key again", async () => {
    await start({});
    const keyOf = (who: Caller) => under.upstream.as(who).identityKey(cells, {});
    const keys = [caller("a"), caller("b")].map(keyOf);
    expect(new Set([...keys, under.upstream.identityKey(cells, {})]).size).toBe(3);
    expect(keyOf(caller("a"))).toBe(keys[0]);
    expect(under.upstream.as(caller(API_KEY)).identityKey(cells, {})).toBe(
      under.upstream.identityKey(cells, {}),
    );
  });

  test("opens a file once for each of 2 identities that ask 3 times each at once", async () => {
    await start({
      "/file": fault.redirect((request) => `/store/${request.headers["x-api-key"]}`),
      "/store/a": fault.file(BYTES),
      "/store/b": fault.file(BYTES.slice(0, 2_000_000)),
    });
    const sizes = await Promise.all(
      ["a", "b", "a", "b", "a", "b"].map(async (key) => (await readAll(caller(key))).length),
    );
    expect(sizes).toEqual([3_000_000, 2_000_000, 3_000_000, 2_000_000, 3_000_000, 2_000_000]);
    expect(server.count("/file")).toBe(2);
  });

  test("reads a kept file on the API's own origin with the key of the call that reads it", async () => {
    await start({
      "/file": fault.redirect("/inside"),
      "/inside": fault.file(BYTES, { etag: '"1"' }),
    });
    expect(Buffer.compare(await readAll(caller("a")), BYTES)).toBe(0);
    const before = server.count("/inside");
    expect(Buffer.compare(await readAll(caller("a")), BYTES)).toBe(0);
    expect(server.count("/inside")).toBeGreaterThan(before);
    expect(new Set(keysAsked("/inside"))).toEqual(new Set(["a"]));
    expect(server.count("/file")).toBe(1);
  });

  test("sends a key that travels in the query with the operation, not after a redirect", async () => {
    await start({ "/file": fault.redirect("/inside"), "/inside": fault.file(BYTES) });
    await readAll(caller("a", QUERY_SCHEME));
    expect(server.mentioning("api_key=a").map(({ path }) => path)).toEqual(["/file"]);
  });

  test("sends a call's own headers to the API's origin alone, and they are no identity", async () => {
    await start({
      "/file": fault.redirect(() => `${other.url}/store`),
    });
    const { startFaultServer } = await import("../helpers/fault-server.ts");
    const other = await startFaultServer({ "/store": fault.file(BYTES) });
    const traced = { ...caller("a"), headers: { traceparent: "00-1-2-01" } };
    await readAll(traced);
    expect(server.log.map(({ headers }) => headers.traceparent)).toEqual(["00-1-2-01"]);
    expect(other.mentioning("00-1-2-01")).toHaveLength(0);
    expect(under.upstream.as(traced).identityKey(cells, {})).toBe(
      under.upstream.as(caller("a")).identityKey(cells, {}),
    );
    await other.close();
  });

  test("serves one identity's call after at most 1 of 30 that another has waiting", async () => {
    const order: string[] = [];
    await start(
      {
        "/cells": (request, response) => {
          order.push(String(request.headers["x-api-key"]));
          setTimeout(() => fault.json({})(request, response, 0), 5);
        },
      },
      { concurrency: 1 },
    );
    const ask = (key: string) => under.upstream.as(caller(key)).send(cells, {}, freshCall());
    const many = Array.from({ length: 30 }, () => ask("many"));
    await server.until(() => order.length === 1);
    await ask("one");
    const place = order.indexOf("one");
    expect(place).toBeGreaterThan(0);
    expect(place).toBeLessThanOrEqual(2);
    await Promise.all(many);
    expect(order).toHaveLength(31);
  });
});
