import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../../demo/edi/faults.ts";
import { type Archive, openArchive, sha1 } from "../helpers/edi-demo.ts";

let archive: Archive;
beforeAll(async () => {
  archive = await openArchive();
});
afterEach(() => archive.faults.clear());
afterAll(() => archive.close());

const EML = "/package/metadata/eml/knb-lter-hbr/9014/4";
const WHOLE = 14_671;
const FLOW =
  "https://pasta.lternet.edu/package/data/eml/knb-lter-hbr/9014/2/908a24b01a46053a7b39d7e828fdf8b1";
const STAGE = /packageId="knb-lter-hbr\.9014\.4"/;

describe("FaultPlan", () => {
  test("meets 2 requests of one path and then is over", async () => {
    archive.faults.add({
      origin: "pasta",
      path: "/package/eml",
      kind: "status",
      status: 503,
      times: 2,
    });
    const statuses = [];
    for (const path of ["/package/eml", EML, "/package/eml/edi", "/package/eml"]) {
      statuses.push((await archive.get(path)).status);
    }
    expect(statuses).toEqual([503, 200, 503, 200]);
  });

  test("tells how long to wait only where it is said", async () => {
    const fault: Fault = { origin: "pasta", kind: "status", status: 429, times: 1 };
    archive.faults.add({ ...fault, retryAfterS: 7 });
    archive.faults.add(fault);
    const first = await archive.get(EML);
    const second = await archive.get(EML);
    expect([first.status, first.headers.get("retry-after")]).toEqual([429, "7"]);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, null]);
  });

  test("words a 401 as PASTA does", async () => {
    archive.faults.add({ origin: "pasta", kind: "status", status: 401 });
    const answer = await archive.get(EML);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm/);
    expect(answer.headers.get("content-type")).toBe("text/plain");
  });

  test.each([
    ["auth", "/auth/v1/ping", "application/json"],
    ["cite", "/cite/knb-lter-hbr.9014.4", "text/html"],
    ["cn", "/cn/v2/query/solr/?q=*:*", "text/xml"],
    ["mn", `/mn/v2/object/${encodeURIComponent(FLOW)}`, "text/xml"],
    ["storage", "/dataserver/data", "text/plain"],
  ] as const)("breaks %s in its own words", async (origin, path, type) => {
    archive.faults.add({ origin, kind: "status", status: 500 });
    const answer = await fetch(archive[`${origin}Url`] + path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([500, type]);
  });

  test("puts the gateway's page in the place of an answer", async () => {
    archive.faults.add({ origin: "pasta", kind: "gateway-page", status: 403 });
    const answer = await archive.get(EML);
    expect([answer.status, (await answer.text()).length]).toEqual([403, 162]);
  });

  test("puts the page into a member node's 200 under the true length and checksum", async () => {
    archive.faults.add({ origin: "mn", kind: "gateway-page", status: 200 });
    const answer = await fetch(`${archive.mnUrl}/mn/v2/object/${encodeURIComponent(FLOW)}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, bytes.length]).toEqual([200, 158]);
    expect(bytes.toString()).toMatch(/^<html>/);
    expect(answer.headers.get("dataone-checksum")).not.toBe(`SHA-1,${sha1(bytes)}`);
    const long = FLOW.replace(/data(.*)\/[0-9a-f]+$/, "metadata$1");
    const broken = await fetch(`${archive.mnUrl}/mn/v2/object/${encodeURIComponent(long)}`);
    expect(broken.status).toBe(200);
    await expect(broken.arrayBuffer()).rejects.toThrow();
  });

  test("cuts the connection in the middle of a body", async () => {
    archive.faults.add({ origin: "pasta", kind: "cut-body" });
    const answer = await archive.get(EML);
    expect(answer.headers.get("content-length")).toBe(String(WHOLE));
    await expect(answer.text()).rejects.toThrow();
  });

  test("cuts a document whose message is complete", async () => {
    archive.faults.add({ origin: "pasta", kind: "cut-document" });
    const text = await (await archive.get(EML)).text();
    expect(text).toHaveLength(Math.floor(WHOLE / 2));
    expect(text).toMatch(STAGE);
    expect(text).not.toContain("</eml:eml>");
  });

  test("pads a body to 3 MB and slows one down without changing it", async () => {
    archive.faults.add({ origin: "pasta", kind: "oversize", sizeBytes: 3_000_000, times: 1 });
    archive.faults.add({ origin: "pasta", kind: "slow", delayMs: 5, times: 1 });
    const padded = await (await archive.get(EML)).text();
    const slow = await (await archive.get(EML)).text();
    expect([padded.length, padded.trimEnd().length + 1, slow.length]).toEqual([
      3_000_000,
      WHOLE,
      WHOLE,
    ]);
    expect(padded.startsWith(slow)).toBe(true);
  });

  test("closes the connection without an answer", async () => {
    archive.faults.add({ origin: "cn", kind: "drop", times: 1 });
    await expect(fetch(`${archive.cnUrl}/cn/v2/query/solr/?q=*:*`)).rejects.toThrow();
    expect(archive.requests.at(-1)).toMatchObject({ origin: "cn", status: 0, bytes: 0 });
  });
});

describe("serve", () => {
  test("records requests with how their credential came, and never its value", async () => {
    await archive.get(EML, { range: "bytes=0-1" });
    await fetch(`${archive.pastaUrl}/package/eml?key=${archive.key}`);
    await fetch(`${archive.citeUrl}/cite`, {
      headers: { authorization: "Bearer x" },
      redirect: "manual",
    });
    const [cookie, key, header] = archive.requests.slice(-3);
    expect(cookie).toMatchObject({ origin: "pasta", credential: "cookie", range: "bytes=0-1" });
    expect(key).toMatchObject({ credential: "key", url: "/package/eml?key=***", status: 200 });
    expect(header).toMatchObject({ origin: "cite", credential: "header", status: 301 });
    expect(JSON.stringify(archive.requests)).not.toContain(archive.key);
  });

  test("counts the body bytes of an answer, none for HEAD", async () => {
    await (await archive.get(EML)).text();
    expect(archive.requests.at(-1)?.bytes).toBe(WHOLE);
    await fetch(`${archive.pastaUrl}${EML}?key=${archive.key}`, { method: "HEAD" });
    expect(archive.requests.at(-1)).toMatchObject({ method: "HEAD", status: 200, bytes: 0 });
  });

  test("labels every answer as synthetic", async () => {
    for (const url of [
      archive.pastaUrl,
      archive.authUrl,
      archive.citeUrl,
      archive.cnUrl,
      archive.mnUrl,
      archive.storageUrl,
    ]) {
      expect((await fetch(`${url}/`)).headers.get("x-demo")).toContain("synthetic");
    }
  });
});
