import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallContext } from "../../src/contract.ts";
import { isLoopback, redirectTarget } from "../../src/upstream/redirect.ts";
import { freshCall } from "../helpers/call-context.ts";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { API_KEY, operation, type UnderTest, upstreamAt } from "../helpers/upstream-under-test.ts";

const download = operation("/download");
const ANSWER = { ok: true };

let api: FaultServer;
let store: FaultServer;
let under: UnderTest;
let call: CallContext;

beforeEach(async () => {
  api = await startFaultServer({});
  store = await startFaultServer({ "*": fault.json(ANSWER) });
  under = upstreamAt(api.url);
  call = freshCall();
});

afterEach(async () => {
  await under.upstream.close();
  await api.close();
  await store.close();
});

const send = () => under.upstream.send(download, {}, call);

describe("redirects", () => {
  test.each([[301], [302], [303], [307], [308]])("follows %i with 2 requests", async (status) => {
    api.routes = { "/download": fault.redirect(`${store.url}/file?token=t`, status, "moved") };
    await send();
    expect([api.count(), store.count(), call.cost.requests]).toEqual([1, 1, 2]);
    expect(store.log[0]).toMatchObject({ path: "/file", query: "?token=t" });
  });

  test("tell another origin neither key nor organization nor cookie", async () => {
    api.routes = { "/download": fault.redirect(`${store.url}/file`) };
    const bearer = upstreamAt(api.url, {
      headers: {
        Authorization: `Bearer ${API_KEY}`,
        Cookie: `session=${API_KEY}`,
        "X-Organization-Id": "organization-7",
      },
    });
    await bearer.upstream.send(download, {}, call);
    await bearer.upstream.openFile(download, {}, freshCall());
    expect(api.mentioning(API_KEY)).toHaveLength(2);
    expect(store.count()).toBe(2);
    expect(store.mentioning(API_KEY)).toEqual([]);
    expect(store.mentioning("organization-7")).toEqual([]);
    for (const { headers } of store.log) {
      expect(Object.keys(headers)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(x-|authorization|cookie|referer)/)]),
      );
    }
    await bearer.upstream.close();
  });

  test("do not bring the key back to the API once its origin was left", async () => {
    api.routes = {
      "/download": fault.redirect(`${store.url}/bounce`),
      "/back": fault.json(ANSWER),
    };
    store.routes = { "/bounce": fault.redirect(`${api.url}/back`) };
    await send();
    expect(api.log.map(({ path, headers }) => [path, headers["x-api-key"]])).toEqual([
      ["/download", API_KEY],
      ["/back", undefined],
    ]);
  });

  test("keep the key within the API's own origin, and understand relative targets", async () => {
    api.routes = { "/download": fault.redirect("download/"), "/download/": fault.json(ANSWER) };
    await send();
    expect(api.log[1]).toMatchObject({
      path: "/download/",
      headers: expect.objectContaining({ "x-api-key": API_KEY }),
    });
  });

  test("end a loop with NOT_ALLOWED after 6 requests", async () => {
    api.routes = { "/download": fault.redirectLoop() };
    await expect(send()).rejects.toMatchObject({
      code: "NOT_ALLOWED",
      message: expect.stringContaining("more than 5 times"),
    });
    expect(api.count()).toBe(6);
  });

  test("are followed 5 times", async () => {
    api.routes = { "/download": fault.redirect("/1") };
    for (const hop of [1, 2, 3, 4]) {
      api.routes[`/${hop}`] = fault.redirect(`/${hop + 1}`);
    }
    api.routes["/5"] = fault.json(ANSWER);
    expect((await send()).status).toBe(200);
    expect(api.count()).toBe(6);
  });

  test("without a target are NOT_ALLOWED", async () => {
    api.routes = { "/download": fault.redirectNowhere() };
    await expect(send()).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    expect(api.count()).toBe(1);
  });

  test("to a host that is not listed are NOT_ALLOWED, without a request there", async () => {
    api.routes = { "/download": fault.redirect("https://files.example.com/f?token=secret") };
    const listed = upstreamAt(api.url, { redirectHosts: ["*.example.org"] });
    const refused = await listed.upstream.send(download, {}, call).catch((error: Error) => error);
    expect(refused).toMatchObject({
      code: "NOT_ALLOWED",
      message:
        "The redirect of GET /download was not followed: files.example.com is not among the hosts that redirects may lead to",
    });
    await listed.upstream.close();
  });

  test("to plain http elsewhere are NOT_ALLOWED", async () => {
    api.routes = { "/download": fault.redirect("http://files.example.org/f?token=secret") };
    const refused = await send().catch((error: Error) => error);
    expect(refused).toMatchObject({ code: "NOT_ALLOWED" });
    expect(JSON.stringify(refused) + (refused as Error).message).not.toContain("secret");
  });

  test("are counted where the target is tried again", async () => {
    api.routes = { "/download": fault.redirect(`${store.url}/file`) };
    store.routes = { "/file": [fault.status(503), fault.json(ANSWER)] };
    await send();
    expect([api.count(), store.count(), call.cost.requests]).toEqual([1, 2, 3]);
  });
});

describe("redirectTarget", () => {
  const target = (from: string, to: string | undefined, hosts?: string[]) =>
    redirectTarget(new URL(from), to, hosts, "GET /x").href;

  test.each([
    ["https://api.org/a/b", "https://files.org/f#part", "https://files.org/f"],
    ["https://api.org/a/b", "../c?d=1", "https://api.org/c?d=1"],
    ["https://api.org/a", "//files.org/f", "https://files.org/f"],
    ["http://127.0.0.1:1/a", "http://127.3.2.1:2/f", "http://127.3.2.1:2/f"],
    ["http://localhost:1/a", "http://[::1]:2/f", "http://[::1]:2/f"],
    ["http://127.0.0.1:1/a", "https://files.org/f", "https://files.org/f"],
  ])("leads from %s by %s to %s", (from, to, wanted) => {
    expect(target(from, to)).toBe(wanted);
  });

  test.each([
    ["https://api.org/a", undefined, "names no target"],
    ["https://api.org/a", "https://", "no URL"],
    ["https://api.org/a", "http://api.org/a", "plain http"],
    ["https://api.org/a", "http://127.0.0.1/a", "plain http"],
    ["http://127.0.0.1/a", "http://10.0.0.1/a", "plain http"],
    ["http://127.0.0.1/a", "http://127.0.0.1.evil.example/a", "plain http"],
    ["https://api.org/a", "https://user:word@files.org/f", "user name"],
    ["https://api.org/a", "file:///etc/passwd", "file:"],
    ["https://api.org/a", "data:text/plain,x", "data:"],
    ["https://api.org/a", "javascript:1", "javascript:"],
  ])("refuses the way from %s by %s", (from, to, why) => {
    expect(() => target(from, to)).toThrow(
      expect.objectContaining({ code: "NOT_ALLOWED", message: expect.stringContaining(why) }),
    );
  });

  test.each([
    ["https://a.example.org/f", true],
    ["https://a.b.example.org/f", true],
    ["https://files.net/f", true],
    ["https://api.org/f", true],
    ["https://example.org/f", false],
    ["https://evilexample.org/f", false],
    ["https://example.org.evil.net/f", false],
    ["https://files.net.evil.net/f", false],
  ])("with a list of *.example.org and Files.net allows %s: %s", (to, allowed) => {
    const go = () => target("https://api.org/a", to, ["*.example.org", "Files.net"]);
    allowed ? expect(go()).toBe(to) : expect(go).toThrow(/not among the hosts/);
  });
});

describe("isLoopback", () => {
  test.each([
    ["http://127.1/", true],
    ["http://2130706433/", true],
    ["http://[::1]/", true],
    ["http://localhost/", true],
    ["http://localhost.evil.example/", false],
    ["http://0.0.0.0/", false],
    ["http://128.0.0.1/", false],
  ])("says of %s: %s", (url, loopback) => {
    expect(isLoopback(new URL(url))).toBe(loopback);
  });
});
