import { utimesSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Demo, startDemo } from "../helpers/ionworks-demo.ts";

let demo: Demo;
let id: string;
let whole: Uint8Array;
beforeAll(async () => {
  demo = await startDemo();
  id = await demo.measurement("NMC-217-A01", "HPPC begin of life");
  whole = new Uint8Array(await (await fetch(await demo.link(id))).arrayBuffer());
});
afterAll(() => demo.close());

async function read(headers: Record<string, string>, link?: string) {
  const response = await fetch(link ?? (await demo.link(id)), { headers });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

describe("download", () => {
  test("answers 307 to another origin, with a signed link and no body", async () => {
    const reply = await demo.get(`/cell_measurements/${id}/time_series/download`);
    expect([reply.status, reply.text]).toEqual([307, ""]);
    const link = new URL(reply.headers.get("location") ?? "");
    expect(link.origin).toBe(demo.storageUrl);
    expect(link.origin).not.toBe(demo.url);
    expect(link.pathname).toBe(`/storage/v1/object/sign/measurements/${id}/time_series.parquet`);
    expect(link.searchParams.get("token")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test("makes a file once, however many ask for it at the same time", async () => {
    const other = await demo.measurement("LFP-PR50-01", "Pseudo-OCV C/25");
    const links = await Promise.all(Array.from({ length: 8 }, () => demo.link(other)));
    const all = await Promise.all(links.map((link) => read({}, link)));
    expect(new Set(all.map(({ response }) => response.headers.get("etag"))).size).toBe(1);
    const [folder = ""] = await readdir(demo.cacheFolder);
    const made = await readdir(join(demo.cacheFolder, folder));
    expect(made.filter((name) => name.startsWith("."))).toEqual([]);
  });
});

describe("one cache folder", () => {
  test("serves two starts that make the same file at the same time", async () => {
    const other = await startDemo({ cacheFolder: demo.cacheFolder });
    const test = await demo.measurement("LFP-PR50-02", "HPPC begin of life");
    const [a, b] = await Promise.all([demo.frame(test), other.frame(test)]);
    await other.close();
    expect(Buffer.compare(a.bytes, b.bytes)).toBe(0);
    const [version = ""] = await readdir(demo.cacheFolder);
    const names = await readdir(join(demo.cacheFolder, version));
    expect(names.filter((name) => name.startsWith("."))).toEqual([]);
  });
});

describe("the object store", () => {
  test("needs no credential and ignores headers that it does not know", async () => {
    const { response } = await read({ "x-api-key": "x", "x-organization-id": "y", accept: "a/b" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("accept-ranges")).toBe("bytes");
  });

  test.each([
    ["bytes=0-3", [0, 4]],
    ["bytes=100-", [100, 0]],
    ["bytes=-8", [-8, 0]],
    ["bytes=-99999999", [0, 0]],
    ["bytes=4-99999999", [4, 0]],
  ])("serves %s with 206 and the true size", async (range, [start = 0, end = 0]) => {
    const { response, bytes } = await read({ range });
    const expected = whole.slice(start, end === 0 ? undefined : end);
    expect(response.status).toBe(206);
    expect(Buffer.compare(bytes, expected)).toBe(0);
    const first = start < 0 ? whole.length + start : start;
    expect(response.headers.get("content-range")).toBe(
      `bytes ${first}-${first + expected.length - 1}/${whole.length}`,
    );
  });

  test("answers 416 behind the end, with the size", async () => {
    const { response } = await read({ range: `bytes=${whole.length}-` });
    expect(response.status).toBe(416);
    expect(response.headers.get("content-range")).toBe(`bytes */${whole.length}`);
  });

  test("answers 412 to another If-Match and 304 to its own If-None-Match", async () => {
    const etag = (await read({})).response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f-]+"$/);
    expect((await read({ "if-match": '"other"' })).response.status).toBe(412);
    expect((await read({ "if-match": `"other", ${etag}` })).response.status).toBe(200);
    const same = await read({ "if-none-match": etag });
    expect([same.response.status, same.bytes.length]).toEqual([304, 0]);
  });

  test("gives a file that was written anew another tag", async () => {
    const before = (await read({})).response.headers.get("etag") ?? "";
    const [version = ""] = await readdir(demo.cacheFolder);
    const base = join(demo.cacheFolder, version);
    for (const name of await readdir(base)) {
      utimesSync(join(base, name, "time_series.parquet"), new Date(), new Date(1e12));
    }
    expect((await read({ "if-match": before })).response.status).toBe(412);
  });

  test("answers 400 with its own JSON to a link that has expired", async () => {
    demo.faults.linkLifetimeMs = 20;
    const link = await demo.link(id);
    demo.faults.linkLifetimeMs = 300_000;
    await after(40);
    const response = await fetch(link);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      statusCode: "400",
      error: "InvalidJWT",
      message: '"exp" claim timestamp check failed',
    });
  });

  test.each([
    ["no token", (link: URL) => link.searchParams.delete("token"), "InvalidJWT"],
    [
      "a longer life",
      (link: URL) => {
        const [head, claims = "", mark] = (link.searchParams.get("token") ?? "").split(".");
        const longer = JSON.parse(Buffer.from(claims, "base64url").toString());
        longer.exp += 1e6;
        const text = Buffer.from(JSON.stringify(longer)).toString("base64url");
        link.searchParams.set("token", `${head}.${text}.${mark}`);
      },
      "InvalidJWT",
    ],
    [
      "another object",
      (link: URL) => {
        link.pathname = link.pathname.replace("time_series", "steps");
      },
      "InvalidSignature",
    ],
  ])("answers 400 to a link with %s", async (_, spoil, error) => {
    const link = new URL(await demo.link(id));
    spoil(link);
    const response = await fetch(link);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error });
  });

  test("does not take the links of another start", async () => {
    const other = await startDemo({ cacheFolder: demo.cacheFolder });
    const link = (await other.link(id)).replace(other.storageUrl, demo.storageUrl);
    await other.close();
    expect((await fetch(link)).status).toBe(400);
  });

  test("counts requests and bytes that were sent", async () => {
    const link = await demo.link(id);
    const before = { ...demo.traffic.bytes, requests: demo.traffic.requests.storage };
    await read({ range: "bytes=0-99" }, link);
    expect(demo.traffic.bytes.storage - before.storage).toBe(100);
    expect(demo.traffic.requests.storage - before.requests).toBe(1);
  });
});
