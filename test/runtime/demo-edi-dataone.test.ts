import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Archive, haveSamples, md5, openArchive, sample, sha1 } from "../helpers/edi-demo.ts";

let archive: Archive;
beforeAll(async () => {
  archive = await openArchive();
});
afterAll(() => archive.close());

const PASTA = "https://pasta.lternet.edu/package";
const eml = (path: string) => `${PASTA}/metadata/eml/${path}`;
const FLOW = `${PASTA}/data/eml/knb-lter-hbr/9014/2/908a24b01a46053a7b39d7e828fdf8b1`;
const HIDDEN = `${PASTA}/data/eml/knb-lter-jrn/990000001/5/${md5("Rodent captures with exact locations")}`;
const escaped = (prefix: string) => prefix.replace(/[:/]/g, "\\$&");

interface Docs {
  responseHeader: { status: number; params: Record<string, unknown> };
  response: { numFound: number; start: number; docs: Record<string, unknown>[] };
}

async function solr(query: Record<string, string | string[]>, from = archive): Promise<Docs> {
  const parameters = new URLSearchParams({ wt: "json" });
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      parameters.append(name, one);
    }
  }
  const answer = await fetch(`${from.cnUrl}/cn/v2/query/solr/?${parameters}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
  return (await answer.json()) as Docs;
}

const node = (url: string, call: string, pid: string, init?: RequestInit) =>
  fetch(`${url}/${call}/${encodeURIComponent(pid)}`, { redirect: "manual", ...init });

describe("answerSolr", () => {
  test("finds 68 current documents: one a replicated series, none of cos-spu", async () => {
    const { response } = await solr({
      q: "formatType:METADATA",
      fq: ['datasource:("urn:node:LTER" OR "urn:node:EDI")', "-obsoletedBy:*"],
      fl: "id",
      sort: "id asc",
      rows: "100",
    });
    const ids = response.docs.map((doc) => String(doc.id));
    expect([response.numFound, ids.length]).toEqual([68, 68]);
    expect(ids).toEqual([...ids].sort());
    expect(ids.some((id) => id.includes("cos-spu"))).toBe(false);
    expect(ids).toContain(eml("knb-lter-hbr/9014/2"));
  });

  test("gives 10 documents where rows is left out", async () => {
    const { response } = await solr({ q: "*:*" });
    expect(response.docs).toHaveLength(10);
  });

  test.each([
    ["-id:https\\:\\/\\/pasta.lternet.edu\\/package\\/metadata\\/eml\\/ecotrends\\/*", 67],
    [`id:${escaped(eml("knb-lter-hbr/"))}*`, 2],
    ["originText:lindqvist", 9],
    ["authorLastName:lindqvist", 0],
    ["authorLastName:Lindqvist", 9],
    ["beginDate:[* TO 1990-12-31T23:59:59Z]", 1],
    [
      "westBoundCoord:[* TO -71.70] AND eastBoundCoord:[-71.74 TO *] AND southBoundCoord:[* TO 43.97] AND northBoundCoord:[43.9 TO *]",
      1,
    ],
  ])("filters current documents by %s", async (fq, total) => {
    const { response } = await solr({
      q: "formatType:METADATA",
      fq: [fq, "-obsoletedBy:*"],
      rows: "0",
    });
    expect([response.numFound, response.docs.length]).toEqual([total, 0]);
  });

  test("keeps only the first box of a document", async () => {
    const { response } = await solr({ q: `id:"${eml("knb-lter-hbr/9014/2")}"` });
    expect(response.docs[0]).toMatchObject({ westBoundCoord: -71.726, eastBoundCoord: -71.717 });
  });

  test("finds the package of a DOI, and its entities without the restricted one", async () => {
    const [doc] = (await solr({ q: `id:"${eml("knb-lter-jrn/990000001/5")}"`, fl: "resourceMap" }))
      .response.docs;
    const [doi] = (doc?.resourceMap ?? []) as string[];
    const found = await solr({ q: `resourceMap:"${doi}"`, fq: "formatType:METADATA", fl: "id" });
    expect(found.response.docs).toEqual([{ id: eml("knb-lter-jrn/990000001/5") }]);
    const entities = await solr({
      q: `isDocumentedBy:"${eml("knb-lter-jrn/990000001/5")}"`,
      fq: "formatType:DATA",
      fl: "id",
    });
    const ids = entities.response.docs.map((one) => String(one.id));
    expect([ids.length, ids.includes(HIDDEN)]).toEqual([6, false]);
    expect(ids.filter((id) => id.includes("/report/eml/"))).toHaveLength(1);
  });

  test("answers in XML unless JSON is asked for", async () => {
    const answer = await fetch(`${archive.cnUrl}/cn/v2/query/solr?q=*:*&rows=1&fl=id`);
    expect(answer.headers.get("content-type")).toBe("application/xml");
    expect(await answer.text()).toMatch(/<doc>\s*<str name="id">[^<]+<\/str>\s*<\/doc>/);
  });

  test.each([
    "q=(a",
    "q=*:*&sort=pubDate%20desc",
    "q=*:*&sort=id,asc",
    "q=*:*&rows=-1",
    "q=nofield:a",
  ])("answers 400 to %s", async (query) => {
    const answer = await fetch(`${archive.cnUrl}/cn/v2/query/solr/?wt=json&${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toHaveProperty("error.msg");
  });

  test("loses revisions with lag and links with stale chains", async () => {
    const odd = await openArchive({ quirks: { lag: 1, staleChains: true } });
    const query = { fq: `id:${escaped(eml("edi/99101/"))}*`, q: "*:*", fl: "id,obsoletedBy" };
    expect((await solr(query)).response.docs).toEqual([
      { id: eml("edi/99101/1"), obsoletedBy: eml("edi/99101/2") },
      { id: eml("edi/99101/2") },
    ]);
    expect((await solr(query, odd)).response.docs).toEqual([{ id: eml("edi/99101/1") }]);
    await odd.close();
  });
});

describe("memberNode", () => {
  test("ignores Range: 200, all 158 bytes, nothing said of ranges", async () => {
    const answer = await node(archive.mnUrl, "mn/v2/object", FLOW, {
      headers: { range: "bytes=0-9" },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, bytes.length, answer.headers.get("accept-ranges")]).toEqual([
      200,
      158,
      null,
    ]);
    expect(answer.headers.get("dataone-checksum")).toBe(`SHA-1,${sha1(bytes)}`);
    expect(answer.headers.get("dataone-proxy")).toBe(FLOW);
  });

  test("describes with HEAD, and puts a failure into headers", async () => {
    const good = await node(archive.mnUrl, "mn/v2/object", FLOW, { method: "HEAD" });
    expect([good.status, good.headers.get("content-length")]).toEqual([200, "158"]);
    const bad = await node(archive.mnUrl, "mn/v2/object", "nothing", { method: "HEAD" });
    expect(bad.status).toBe(404);
    expect(bad.headers.get("dataone-exception-name")).toBe("NotFound");
    expect(bad.headers.get("dataone-exception-pid")).toBe("nothing");
  });

  test("names the revisions before and after a document", async () => {
    const answer = await node(archive.mnUrl, "mn/v2/object", eml("knb-lter-hbr/9014/2"), {
      method: "HEAD",
    });
    expect(answer.headers.get("dataone-obsoletes")).toBe(eml("knb-lter-hbr/9014/1"));
    expect(answer.headers.get("dataone-obsoletedby")).toBeNull();
    expect(answer.headers.get("content-type")).toBe("text/xml");
  });

  test("does not have revision 4, which PASTA has", async () => {
    const answer = await node(archive.mnUrl, "mn/v2/object", eml("knb-lter-hbr/9014/4"));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/xml"]);
  });

  test("refuses the restricted entity with 401", async () => {
    const answer = await node(archive.mnUrl, "mn/v2/object", HIDDEN);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('name="NotAuthorized"');
  });

  test("has only its own objects when the nodes are split", async () => {
    const split = await openArchive({ splitMemberNodes: true });
    const pid = eml("edi/99001/2");
    expect((await node(split.mnUrl, "mn/v2/object", pid)).status).toBe(404);
    expect((await node(split.mnEdiUrl, "mn/v2/object", pid)).status).toBe(200);
    const resolved = await node(split.cnUrl, "cn/v2/resolve", pid);
    expect(resolved.headers.get("location")?.startsWith(split.mnEdiUrl)).toBe(true);
    await split.close();
  });
});

describe("coordinatingNode", () => {
  test("keeps documents, not data", async () => {
    const document = await node(archive.cnUrl, "cn/v2/object", eml("knb-lter-hbr/9014/2"));
    expect(document.status).toBe(200);
    expect(await document.text()).toContain('packageId="knb-lter-hbr.9014.2"');
    expect((await node(archive.cnUrl, "cn/v2/object", FLOW)).status).toBe(404);
    expect((await node(archive.cnUrl, "cn/v2/meta", FLOW)).status).toBe(200);
  });

  test("resolves with 303 to a place that has the bytes", async () => {
    const answer = await node(archive.cnUrl, "cn/v2/resolve", FLOW);
    expect(answer.status).toBe(303);
    const file = await fetch(answer.headers.get("location") as string);
    expect((await file.arrayBuffer()).byteLength).toBe(158);
  });

  test("gives a checksum as XML", async () => {
    const answer = await node(archive.cnUrl, "cn/v2/checksum", FLOW);
    expect(await answer.text()).toContain(
      '<checksum algorithm="SHA-1">13d9802d38f90f8260a239dc99ce7c4e3cea6b7c</checksum>',
    );
  });
});

describe.skipIf(!haveSamples)("the documented answers of DataONE", () => {
  /** Members that follow from bytes: the samples took them from other bytes. */
  const BYTE_MEMBERS = new Set(["size", "checksum"]);
  const plain = (doc: Record<string, unknown> | undefined, ...more: string[]) =>
    Object.fromEntries(
      Object.entries(doc ?? {}).filter(([name]) => !BYTE_MEMBERS.has(name) && !more.includes(name)),
    );
  const docsOf = (name: string) => (JSON.parse(sample(name)) as Docs).response.docs;

  test("have every member of the package document with its value", async () => {
    const { response } = await solr({ q: `id:"${eml("knb-lter-hbr/9014/2")}"` });
    const wanted = plain(docsOf("dataone/solr.packages.json")[0]);
    expect(response.docs[0]).toMatchObject(wanted);
    expect(response.docs[0]).toMatchObject({
      size: expect.any(Number),
      checksum: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  test("list 2 revisions with the links between them", async () => {
    const { response } = await solr({
      q: `id:${escaped(eml("knb-lter-hbr/9014/"))}*`,
      fl: "id,dateUploaded,obsoletes,obsoletedBy",
      rows: "500",
    });
    expect(response.docs).toEqual(docsOf("dataone/solr.revisions.json"));
  });

  test("list 2 entities and the report", async () => {
    const { response } = await solr({
      q: `isDocumentedBy:"${eml("knb-lter-hbr/9014/2")}"`,
      fq: "formatType:DATA",
      fl: "id,formatId,formatType,fileName,size,checksum,checksumAlgorithm",
    });
    const wanted = docsOf("dataone/solr.entities.json");
    expect(response.docs.slice(0, 2)).toEqual(wanted.slice(0, 2));
    expect(plain(response.docs[2])).toEqual(plain(wanted[2]));
  });

  test("describe a data object with the documented headers", async () => {
    const answer = await node(archive.mnUrl, "mn/v2/object", FLOW, { method: "HEAD" });
    for (const line of sample("dataone/head.data.txt").trim().split(/\r?\n/).slice(1)) {
      const [name = "", value] = line.split(/: (.*)/);
      expect([name, answer.headers.get(name)]).toEqual([name, value]);
    }
  });

  test("give system metadata, the place and the failure byte for byte", async () => {
    const meta = await (await node(archive.mnUrl, "mn/v2/meta", FLOW)).text();
    expect(meta).toBe(sample("dataone/meta.data.xml"));
    const place = await (await node(archive.cnUrl, "cn/v2/resolve", FLOW)).text();
    expect(place.replaceAll(archive.mnUrl, "https://gmn.lternet.edu")).toBe(
      sample("dataone/resolve.data.xml"),
    );
    const failure = await node(archive.cnUrl, "cn/v2/object", eml("knb-lter-hbr/9014/99"));
    expect(await failure.text()).toBe(sample("dataone/error.notfound.xml"));
  });
});
