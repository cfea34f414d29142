import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Archive, md5, openArchive, ROWS, sha1 } from "../helpers/edi-demo.ts";

let archive: Archive;
let time = Date.UTC(2026, 11, 1, 12);
beforeAll(async () => {
  archive = await openArchive({ now: () => time, tokenLifetimeS: 600 });
});
afterAll(() => archive.close());

const BUOY = `/package/data/eml/edi/99003/1/${md5("Buoy profiles by the minute")}`;
const GRIDS = `/package/data/eml/edi/99001/2/${md5("Canopy height grids, 1 m")}`;

const exchange = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${archive.authUrl}/auth/v1/key`, { method: "POST", body, headers });

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

const ask = (token: string | undefined, query = "") =>
  fetch(`${archive.pastaUrl}/package/eml${query}`, {
    headers: token === undefined ? {} : { cookie: `other=1; edi-token=${token}` },
  });

describe("auth", () => {
  test("gives a token for the key whatever the media type, with a life of 600 s", async () => {
    const answer = await exchange(JSON.stringify({ key: archive.key }), {
      "content-type": "text/plain",
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    const body = (await answer.json()) as Record<string, string>;
    expect(Object.keys(body)).toEqual(["msg", "edi-token", "pasta-token", "method"]);
    const claims = claimsOf(body["edi-token"] ?? "");
    expect(claims.exp - claims.iat).toBe(600);
    expect(Object.keys(claims).sort()).toEqual([
      "cn",
      "email",
      "exp",
      "iat",
      "iss",
      "nbf",
      "principals",
      "sub",
    ]);
  });

  test("answers in XML where that is accepted, and 400 to other types", async () => {
    const key = JSON.stringify({ key: archive.key });
    const answer = await exchange(key, { accept: "application/xml" });
    expect(answer.headers.get("content-type")).toBe("application/xml");
    expect(await answer.text()).toContain("<edi-token>");
    expect((await exchange(key, { accept: "image/png" })).status).toBe(400);
  });

  test.each([
    ['{"key":"wrong"}', 401],
    ["{}", 400],
    ["key=x", 400],
    ["[]", 400],
  ])("answers %s with a message and status %i", async (body, status) => {
    const answer = await exchange(body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ msg: expect.any(String), method: "getTokenByKey" });
  });

  test("says what is wrong with an unknown key", async () => {
    const answer = await exchange('{"key":"wrong"}');
    expect(await answer.json()).toEqual({ msg: "Invalid API key", method: "getTokenByKey" });
  });

  test("refreshes a pair of tokens", async () => {
    const pair = await (await exchange(JSON.stringify({ key: archive.key }))).text();
    const answer = await fetch(`${archive.authUrl}/auth/v1/token/refresh`, {
      method: "POST",
      body: pair,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toHaveProperty("edi-token");
    expect(await (await fetch(`${archive.authUrl}/auth/v1/ping`)).text()).toBe("pong");
  });
});

describe("pasta", () => {
  test("names the method that an anonymous caller may not execute", async () => {
    const answer = await ask(undefined);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "text/plain"]);
    expect(await answer.text()).toBe(
      "User 'EDI-078e6e3cee4f7f2812f150701da9351acb51e089 (Public Access)' is not authorized to execute service method 'listDataPackageScopes'. (2026-12-01 12:00:00)",
    );
    const reads = await fetch(`${archive.pastaUrl}/audit/reads/knb-lter-hbr/9014`);
    expect(await reads.text()).toContain("'getSeriesReads'");
    const search = await fetch(`${archive.pastaUrl}/package/search/eml?q=*:*`);
    expect(await search.text()).toContain("'searchDataPackages'");
  });

  test("takes the cookie or the key in the query, and sets the cookie again", async () => {
    const token = await archive.token();
    const answer = await ask(token);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("set-cookie")).toContain(`edi-token=${token};`);
    const byKey = await ask(undefined, `?key=${archive.key}`);
    expect([byKey.status, byKey.headers.get("set-cookie")]).toEqual([200, null]);
    expect((await ask(undefined, "?key=wrong")).status).toBe(401);
  });

  test("refuses an expired, a foreign and a revoked token with 401", async () => {
    const token = await archive.token();
    time += 601_000;
    const expired = await ask(token);
    expect([expired.status, expired.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="https://pasta.lternet.edu"',
    ]);
    expect((await ask("a.b.c")).status).toBe(401);
    const fresh = await archive.token();
    expect((await ask(fresh)).status).toBe(200);
    archive.revokeTokens();
    expect((await ask(fresh)).status).toBe(401);
  });

  test.each(["Googlebot/2.1", "my-crawler", "SpiderMonkey"])(
    "answers the agent %s with the gateway's page of 162 bytes",
    async (agent) => {
      const answer = await fetch(`${archive.pastaUrl}/package/eml?key=${archive.key}`, {
        headers: { "user-agent": agent },
      });
      const page = await answer.text();
      expect([answer.status, answer.headers.get("content-type"), page.length]).toEqual([
        403,
        "text/html",
        162,
      ]);
    },
  );

  test("is read only", async () => {
    const answer = await fetch(`${archive.pastaUrl}/package/eml?key=${archive.key}`, {
      method: "POST",
    });
    expect(answer.status).toBe(405);
  });
});

describe("storage", () => {
  const location = async (path: string) => {
    const answer = await fetch(`${archive.pastaUrl}${path}?key=${archive.key}`, {
      redirect: "manual",
    });
    expect(answer.status).toBe(307);
    return answer.headers.get("location") as string;
  };

  test("hands out a file of 1.7 MB once, on another origin, without a credential", async () => {
    const url = await location(GRIDS);
    expect(url).toMatch(
      new RegExp(
        `^${archive.storageUrl}/dataserver/data\\?dataToken=\\d+-[0-9a-f]{32}&size=1666734&objectName=demo_canopy_grids.zip$`,
      ),
    );
    const answer = await fetch(url);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="demo_canopy_grids.zip"',
    );
    const checksum = await fetch(
      `${archive.pastaUrl}${GRIDS.replace("/data/eml", "/data/checksum/eml")}?key=${archive.key}`,
    );
    expect(sha1(bytes)).toBe(await checksum.text());
    expect((await fetch(url)).status).toBe(404);
  });

  test("forgets a link after an hour", async () => {
    const url = await location(BUOY);
    time += 3_600_001;
    expect((await fetch(url)).status).toBe(404);
  });

  test.each([
    ["bytes=0-9", 206, 10],
    ["bytes=-5", 206, 5],
    ["bytes=0-1,4-5", 200, undefined],
    ["bytes=99999999-", 416, 0],
  ])("answers Range %s with %i", async (range, status, length) => {
    const answer = await fetch(await location(BUOY), { headers: { range } });
    const bytes = await answer.arrayBuffer();
    expect(answer.status).toBe(status);
    expect(bytes.byteLength).toBe(length ?? Number(answer.headers.get("content-length")));
  });

  test("has the large table of 40,000 rows in ranges that join to the whole", async () => {
    const whole = Buffer.from(await (await fetch(await location(BUOY))).arrayBuffer());
    expect(whole.toString().trimEnd().split("\n")).toHaveLength(ROWS + 1);
    const parts: Buffer[] = [];
    for (let start = 0; start < whole.length; start += 700_000) {
      const range = `bytes=${start}-${start + 699_999}`;
      const answer = await fetch(await location(BUOY), { headers: { range } });
      parts.push(Buffer.from(await answer.arrayBuffer()));
    }
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  test("stops sending a file of 1.4 MB when the client goes away after its first piece", async () => {
    archive.faults.add({ origin: "storage", kind: "slow", delayMs: 20, times: 1 });
    const answer = await fetch(await location(BUOY));
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const record = archive.requests.at(-1);
    expect(record).toMatchObject({ origin: "storage", status: 200, credential: undefined });
    await setTimeout(100);
    const sent = record?.bytes;
    await setTimeout(100);
    expect(record?.bytes).toBe(sent);
    expect(sent).toBeLessThan(Number(answer.headers.get("content-length")));
  });
});

describe("sendAnswer", () => {
  const path = "/package/data/eml/knb-lter-hbr/9014/4/908a24b01a46053a7b39d7e828fdf8b1";
  const tag = '"13d9802d38f90f8260a239dc99ce7c4e3cea6b7c"';
  const get = (headers: Record<string, string>, from = archive) =>
    fetch(`${from.pastaUrl}${path}?key=${from.key}`, { headers });

  test("answers a range of a small entity with 206, its place and its tag", async () => {
    const answer = await get({ range: "bytes=24-44" });
    expect([
      answer.status,
      answer.headers.get("content-range"),
      answer.headers.get("etag"),
    ]).toEqual([206, "bytes 24-44/158", tag]);
    expect(await answer.text()).toBe("2021-10-01,WS3,0.412,");
  });

  test("gives the whole where the tag of If-Range is another, 412 where that of If-Match is", async () => {
    expect((await get({ range: "bytes=0-1", "if-range": tag })).status).toBe(206);
    expect((await get({ range: "bytes=0-1", "if-range": '"old"' })).status).toBe(200);
    expect((await get({ range: "bytes=0-1", "if-match": '"old"' })).status).toBe(412);
    expect((await get({ range: "bytes=0-1", "if-match": tag })).status).toBe(206);
  });

  test("ignores ranges where they are switched off", async () => {
    const plain = await openArchive({ ranges: false });
    const answer = await get({ range: "bytes=0-1" }, plain);
    expect([answer.status, answer.headers.get("accept-ranges")]).toEqual([200, null]);
    expect((await answer.arrayBuffer()).byteLength).toBe(158);
    await plain.close();
  });
});
