import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Archive, haveSamples, md5, openArchive, sample, sha1 } from "../helpers/edi-demo.ts";

let archive: Archive;
beforeAll(async () => {
  archive = await openArchive();
});
afterAll(() => archive.close());

const HBR = "knb-lter-hbr/9014/4";
const FLOW = "908a24b01a46053a7b39d7e828fdf8b1";

describe("readRoutes", () => {
  test.each([
    ["/package/eml", "cos-spu\necotrends\nedi\nknb-lter-hbr\nknb-lter-jrn\n"],
    ["/package/eml/knb-lter-hbr", "9013\n9014"],
    ["/package/eml/knb-lter-jrn", "990000001"],
    ["/package/eml/deleted", "edi.99009\n"],
    ["/package/eml/knb-lter-hbr/9014", "1\n2\n4"],
    ["/package/eml/knb-lter-hbr/9014?filter=newest", "4"],
    ["/package/eml/knb-lter-hbr/9014?filter=oldest", "1"],
    ["/package/eml/knb-lter-hbr/9014?filter=middle", ""],
    ["/package/metadata/format/eml/edi/99001/2", "eml://ecoinformatics.org/eml-2.1.1"],
    [`/package/data/size/eml/${HBR}/${FLOW}`, "158"],
    [`/package/name/eml/${HBR}/${FLOW}`, "Daily streamflow, watersheds 3 and 6"],
  ])("answers %s as text", async (path, body) => {
    const answer = await archive.get(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain"]);
    expect(answer.headers.get("web-service")).toBe("DataPackageManager-1.0");
    expect(await answer.text()).toBe(body);
  });

  test.each([
    ["/package/eml/nowhere", 404, "No resources found for scope='nowhere' ("],
    ["/package/eml/edi/1", 404, "No resources found for scope='edi', identifier='1' ("],
    ["/package/eml/edi/x", 400, "identifier value 'x' must be a non-negative integer ("],
    [
      "/package/eml/edi/99001/9",
      404,
      "Attempting to read a data package that does not exist in PASTA: edi.99001.9 (",
    ],
    [
      "/package/metadata/eml/knb-lter-hbr/9014/3",
      404,
      "Attempting to read a data package that does not exist in PASTA: knb-lter-hbr.9014.3",
    ],
    ["/package/name/eml/edi/99001/9", 404, "Unknown data package: edi.99001.9 ("],
    [
      "/package/data/size/eml/edi/99001/newest",
      400,
      "revision value 'newest' must be a non-negative integer (",
    ],
    [
      "/package/metadata/eml/edi/99009/1",
      409,
      "Attempting to read a data package that was previously deleted from PASTA: edi.99009.1 (",
    ],
    [
      "/package/doi/eml/knb-lter-hbr/9013/1",
      404,
      "No DOI found for data package knb-lter-hbr.9013.1 (",
    ],
    [
      `/package/doi/doi:10.6073/pasta/${"0".repeat(32)}`,
      404,
      `No data package found for DOI doi:10.6073/pasta/${"0".repeat(32)} (`,
    ],
    [
      "/package/data/eml/edi/99001/2/nothing",
      404,
      "Unknown entity: nothing in data package edi.99001.2 (",
    ],
    ["/package/eml/%ff", 404, "The requested resource is not available ("],
  ])("refuses %s with %i", async (path, status, words) => {
    const answer = await archive.get(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/plain"]);
    const body = await answer.text();
    expect(body.startsWith(words)).toBe(true);
    // readMetadata alone leaves the time away.
    expect(/ \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)$/.test(body)).toBe(words.endsWith("("));
  });

  test("takes newest and oldest where the method is flexible", async () => {
    const id = async (revision: string) =>
      /packageId="([^"]+)"/.exec(
        await archive.text(`/package/metadata/eml/knb-lter-hbr/9014/${revision}`),
      )?.[1];
    expect(await id("newest")).toBe("knb-lter-hbr.9014.4");
    expect(await id("oldest")).toBe("knb-lter-hbr.9014.1");
  });

  test("finds a package by its DOI with and without the prefix", async () => {
    const doi = (await archive.text(`/package/doi/eml/${HBR}`)).slice("doi:".length);
    const map = await archive.text(`/package/eml/${HBR}`);
    expect(await archive.text(`/package/doi/${doi}`)).toBe(map);
    expect(await archive.text(`/package/doi/doi:${doi}`)).toBe(map);
  });

  test("gives the resource map as RDF where it is asked for", async () => {
    const answer = await archive.get(`/package/eml/${HBR}?ore`);
    expect(answer.headers.get("content-type")).toBe("application/rdf+xml");
    expect((await answer.text()).match(/<ore:aggregates /g)).toHaveLength(5);
  });

  test("serves the 158 bytes of an entity with name, type and length", async () => {
    const answer = await archive.get(`/package/data/eml/${HBR}/${FLOW}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv"]);
    expect(answer.headers.get("content-length")).toBe("158");
    expect(answer.headers.get("content-disposition")).toBe(
      'inline; filename="hbr_demo_streamflow_daily.csv"',
    );
    expect(sha1(bytes)).toBe("13d9802d38f90f8260a239dc99ce7c4e3cea6b7c");
  });

  test("lists 5 of 6 entities and refuses the bytes of the restricted one with 403", async () => {
    const path = "knb-lter-jrn/990000001/5";
    const ids = (await archive.text(`/package/data/eml/${path}`)).trim().split("\n");
    const sizes = (await archive.text(`/package/data/size/eml/${path}`)).trim().split("\n");
    const hidden = md5("Rodent captures with exact locations");
    expect([ids.length, sizes.length, ids.includes(hidden)]).toEqual([5, 6, false]);
    const answer = await archive.get(`/package/data/eml/${path}/${hidden}`);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("does not have permission to read this data entity");
  });

  test("agrees with itself: sizes, checksums and names of every entity of 4 packages", async () => {
    for (const path of [HBR, "knb-lter-hbr/9013/1", "edi/99001/1", "edi/99002/1"]) {
      for (const line of (await archive.text(`/package/data/size/eml/${path}`))
        .trim()
        .split("\n")) {
        const [id, size] = line.split(",") as [string, string];
        const name = await archive.text(`/package/name/eml/${path}/${id}`);
        const answer = await archive.get(`/package/data/eml/${path}/${id}`);
        const file =
          answer.status === 307 ? await fetch(answer.headers.get("location") as string) : answer;
        const bytes = Buffer.from(await file.arrayBuffer());
        expect([md5(name), bytes.length]).toEqual([id, Number(size)]);
        expect(await archive.text(`/package/data/checksum/eml/${path}/${id}`)).toBe(sha1(bytes));
        expect(await archive.text(`/package/data/rmd/eml/${path}/${id}`)).toContain(
          `<sha1Checksum>${sha1(bytes)}</sha1Checksum>`,
        );
      }
      const eml = await (await archive.get(`/package/metadata/eml/${path}`)).arrayBuffer();
      expect(await archive.text(`/package/metadata/checksum/eml/${path}`)).toBe(
        sha1(Buffer.from(eml)),
      );
    }
  });
});

describe("lineageRoutes", () => {
  test("gives the report as a page where text/html is accepted", async () => {
    const path = `/package/report/eml/${HBR}`;
    const page = await archive.get(path, { accept: "application/xml, text/html" });
    const report = await archive.get(path, { accept: "application/xml" });
    expect(page.headers.get("content-type")).toBe("text/html");
    expect(report.headers.get("content-type")).toBe("application/xml");
  });

  test("reports valid, info, warn and error checks on the awkward tables", async () => {
    const report = await archive.text("/package/report/eml/edi/99002/newest");
    const count = (status: string) => report.split(`<status>${status}</status>`).length - 1;
    expect([count("valid"), count("info"), count("warn"), count("error")]).toEqual([6, 6, 3, 1]);
  });

  test("writes the raw ampersand only with its quirk", async () => {
    const sources = await archive.text(`/package/sources/eml/${HBR}`);
    expect(sources).not.toContain("&b=2");
    const odd = await openArchive({ quirks: { rawAmpersand: true } });
    expect(await odd.text(`/package/sources/eml/${HBR}`)).toContain("?a=1&b=2</url>");
    await odd.close();
  });

  test("lists changes ascending between inclusive bounds, a deleted revision twice", async () => {
    const all = await archive.text("/package/changes/eml");
    expect(all.startsWith("<dataPackageChanges>\n  <dataPackage>\n")).toBe(true);
    const dates = [...all.matchAll(/<date>([^<]+)<\/date>/g)].map((match) => match[1]);
    expect(dates).toEqual([...dates].sort());
    expect(all.match(/<packageId>knb-lter-hbr\.9014\.3</g)).toHaveLength(2);
    expect(all.match(/<serviceMethod>deleteDataPackage</g)).toHaveLength(2);
    const one = await archive.text(
      "/package/changes/eml?fromDate=2024-05-17T14:02:11.204&toDate=2024-05-17T14:02:11.204",
    );
    expect(one.match(/<dataPackage>/g)).toHaveLength(1);
  });

  test.each([
    ["fromDate=yesterday", "Bad date parameter: yesterday"],
    ["scope=No_Scope", "Bad scope parameter: No_Scope"],
  ])("refuses changes?%s with 400", async (query, words) => {
    const answer = await archive.get(`/package/changes/eml?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(words);
  });

  test("lists 3 newest creations first", async () => {
    const uploads = await archive.text("/package/uploads/eml?type=insert&limit=3");
    expect([...uploads.matchAll(/<packageId>([^<]+)</g)].map((match) => match[1])).toEqual([
      "edi.99003.1",
      "edi.99004.1",
      "knb-lter-jrn.990000001.5",
    ]);
  });

  test("counts reads of a series over its 3 revisions", async () => {
    const reads = await archive.text("/audit/reads/knb-lter-hbr/9014");
    const revisions = [...reads.matchAll(/<revision>(\d)</g)].map((match) => match[1]);
    expect([...new Set(revisions)]).toEqual(["1", "2", "4"]);
    expect((await archive.get("/audit/reads/knb-lter-hbr/1")).status).toBe(404);
  });

  test("gives provenance and the articles that cite a revision", async () => {
    expect(await archive.text(`/package/provenance/eml/${HBR}`)).toContain("<methodStep>");
    const articles = await archive.text(`/package/citations/eml/${HBR}`);
    expect(articles.match(/<journalCitation>/g)).toHaveLength(1);
    expect(await archive.text("/package/citations/eml/edi/99001/1")).toContain(
      "<journalCitations/>",
    );
  });
});

describe.skipIf(!haveSamples)("the documented answers", () => {
  test.each([
    [`/package/eml`, "pasta/eml.txt"],
    [`/package/eml/knb-lter-hbr/9014`, "pasta/eml.knb-lter-hbr.9014.txt"],
    [`/package/eml/${HBR}`, "pasta/eml.knb-lter-hbr.9014.4.txt"],
    [`/package/data/eml/${HBR}`, "pasta/data.knb-lter-hbr.9014.4.txt"],
    [`/package/name/eml/${HBR}`, "pasta/name.knb-lter-hbr.9014.4.csv"],
    [`/package/data/size/eml/${HBR}`, "pasta/data-size.knb-lter-hbr.9014.4.csv"],
    [`/package/data/eml/${HBR}/${FLOW}`, "pasta/data/hbr_demo_streamflow_daily.csv"],
    [`/package/data/rmd/eml/${HBR}/${FLOW}`, `pasta/data-rmd.knb-lter-hbr.9014.4.${FLOW}.xml`],
    [
      `/package/data/checksum/eml/${HBR}/${FLOW}`,
      `pasta/data-checksum.knb-lter-hbr.9014.4.${FLOW}.txt`,
    ],
    [`/package/metadata/eml/${HBR}`, "pasta/metadata.knb-lter-hbr.9014.4.xml"],
    [`/package/metadata/checksum/eml/${HBR}`, "pasta/metadata-checksum.knb-lter-hbr.9014.4.txt"],
    [`/package/doi/eml/${HBR}`, "pasta/doi.knb-lter-hbr.9014.4.txt"],
    [`/package/rmd/eml/${HBR}`, "pasta/rmd.knb-lter-hbr.9014.4.xml"],
    [`/package/sources/eml/${HBR}`, "pasta/sources.knb-lter-hbr.9014.4.xml"],
    [`/package/descendants/eml/knb-lter-hbr/9013/1`, "pasta/descendants.knb-lter-hbr.9013.1.xml"],
    [`/audit/reads/${HBR}`, "pasta/audit-reads.knb-lter-hbr.9014.4.xml"],
  ])("are given byte for byte by %s", async (path, name) => {
    expect(await archive.text(path)).toBe(sample(name));
  });

  test("are given by the report, which here also covers the second entity", async () => {
    const report = await archive.text(`/package/report/eml/${HBR}`);
    const second = report.lastIndexOf("  <entityReport>");
    const end = report.indexOf("</qr:qualityReport>");
    expect(report.slice(0, second) + report.slice(end)).toBe(
      sample("pasta/report.knb-lter-hbr.9014.4.xml"),
    );
  });

  test("are given by the change feed, which here also has the upload of the deleted revision", async () => {
    const changes = await archive.text(
      "/package/changes/eml?scope=knb-lter-hbr&fromDate=2022-01-01T00:00:00",
    );
    const extra =
      / {2}<dataPackage>\n {4}<packageId>knb-lter-hbr\.9014\.3<\/packageId>.*?<\/dataPackage>\n/s;
    expect(changes.replace(extra, "")).toBe(sample("pasta/changes.xml"));
  });

  test("are given by the search", async () => {
    const found = await archive.text(
      "/package/search/eml?q=*:*&fq=scope:knb-lter-hbr&sort=packageid,desc&fl=packageid,title,doi,begindate,enddate,pubdate,scope,author,organization,keyword,singledate,coordinates",
    );
    expect(found).toBe(sample("pasta/search.xml"));
  });
});
