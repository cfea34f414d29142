import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BigTable, bigTable } from "../../demo/edi/big-table.ts";
import { buildCorpus, type Corpus, type PlacedEntity } from "../../demo/edi/build-corpus.ts";
import { allSeries } from "../../demo/edi/corpus/all-series.ts";
import type { TextLayout } from "../../demo/edi/model.ts";
import { writeZip } from "../../demo/edi/zip.ts";
import { md5, sha1 } from "../helpers/edi-demo.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-edi-"));
let table: BigTable;
let corpus: Corpus;
beforeAll(async () => {
  table = await bigTable(1000, folder);
  corpus = buildCorpus(allSeries(table), {});
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function entity(packageId: string, name: string): PlacedEntity {
  const found = corpus.packages
    .find((one) => one.id === packageId)
    ?.entities.find((one) => one.description.name === name);
  if (found === undefined) {
    throw new Error(`${packageId} has no ${name}`);
  }
  return found;
}

function bytesOf({ content }: PlacedEntity): Buffer {
  return "bytes" in content ? content.bytes : readFileSync(content.path);
}

const DELIMITERS: Record<string, string> = { "#x09": "\t", "#x20": " " };

/** Records of a delimited file read character by character; the test's own reading of a layout. */
function records(text: string, layout: TextLayout): string[][] {
  const lines = text.split(/(?<=\n)/);
  const body = lines
    .slice(layout.headerLines ?? 0, lines.length - (layout.footerLines ?? 0))
    .join("");
  const delimiter = DELIMITERS[layout.fieldDelimiter ?? ","] ?? layout.fieldDelimiter ?? ",";
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < body.length; at += 1) {
    const character = body[at] as string;
    if (character === layout.quote) {
      if (quoted && body[at + 1] === character) {
        field += character;
        at += 1;
      } else {
        quoted = !quoted;
      }
    } else if (!quoted && character === delimiter) {
      row.push(field);
      field = "";
    } else if (!quoted && character === "\n") {
      row.push(field.replace(/\r$/, ""));
      rows.push(layout.collapseDelimiters === "yes" ? row.filter((one) => one !== "") : row);
      row = [];
      field = "";
    } else {
      field += character;
    }
  }
  return rows;
}

describe("buildCorpus", () => {
  test("gives the same bytes twice", () => {
    const again = buildCorpus(allSeries(table), {});
    const prints = (one: Corpus) =>
      one.packages.map((p) => [p.id, p.doi, sha1(p.eml), p.entities.map((e) => e.sha1)]);
    expect(prints(again)).toEqual(prints(corpus));
  });

  test("says in every document and every title that the data are invented", () => {
    for (const one of corpus.packages) {
      expect([one.id, /synthetic/i.test(one.eml.toString())]).toEqual([one.id, true]);
      expect(one.description.dataset.title).toMatch(/^Demonstration /);
    }
  });

  test("holds the series of the documented corpus with their revisions here and on DataONE", () => {
    const revisions = (id: string) =>
      corpus.packages
        .filter((one) => one.id.startsWith(`${id}.`))
        .map((one) => [one.description.revision, one.description.replicated !== undefined]);
    expect(revisions("knb-lter-hbr.9014")).toEqual([
      [1, true],
      [2, true],
      [4, false],
    ]);
    expect(revisions("knb-lter-hbr.9013")).toEqual([[1, true]]);
    expect(revisions("knb-lter-jrn.990000001")).toEqual([[5, true]]);
    expect(revisions("edi.99001")).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(revisions("ecotrends.90001")).toEqual([[1, true]]);
    expect(revisions("cos-spu.90001")).toEqual([[1, false]]);
  });

  test("describes each of the delimited tables as its bytes are: records and columns", () => {
    let tables = 0;
    for (const one of corpus.packages) {
      for (const placed of one.entities) {
        const { layout, attributes, records: count, encoding, name } = placed.description;
        if (
          layout === undefined ||
          layout.widths ||
          layout.orientation === "row" ||
          count === undefined
        ) {
          continue;
        }
        const text = bytesOf(placed).toString(encoding === "ISO-8859-1" ? "latin1" : "utf8");
        const rows = records(text, layout);
        const widths = new Set(rows.map((row) => row.length));
        // The table that has one column too many says so in its description.
        const columns = (attributes?.length ?? 0) + (name === "Counts by species" ? 1 : 0);
        expect([one.id, name, rows.length, [...widths]]).toEqual([one.id, name, count, [columns]]);
        tables += 1;
      }
    }
    expect(tables).toBe(333);
  });

  test("has references that all lead to an id of the same document", () => {
    let references = 0;
    for (const one of corpus.packages) {
      const text = one.eml.toString();
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
      for (const [, id] of text.matchAll(/<references>([^<]+)</g)) {
        expect([one.id, id, ids.has(id)]).toEqual([one.id, id, true]);
        references += 1;
      }
    }
    expect(references).toBeGreaterThan(8);
  });

  test("carries a document type declaration only with its quirk", () => {
    expect(corpus.packages.some((one) => one.eml.includes("<!DOCTYPE"))).toBe(false);
    const odd = buildCorpus(allSeries(table), { dtd: "ecotrends.90001.1" });
    const with_ = odd.packages.filter((one) => one.eml.includes("<!DOCTYPE eml:eml [<!ENTITY"));
    expect(with_.map((one) => one.id)).toEqual(["ecotrends.90001.1"]);
  });

  test("leaves the entity ids out of the oldest document and has them in the next", () => {
    const [first, second] = corpus.packages.filter((one) => one.id.startsWith("edi.99001."));
    const id = md5("Canopy height grids, 1 m");
    expect(first?.eml.includes(`id="${id}"`)).toBe(false);
    expect(first?.eml.includes(`/${id}</url>`)).toBe(true);
    expect(second?.eml.includes(`id="${id}"`)).toBe(true);
  });

  test("has a document of 4 MB with 240 tables, 150 creators and 80 boxes", () => {
    const text = corpus.packages.find((one) => one.id === "edi.99004.1")?.eml.toString() ?? "";
    const count = (tag: string) => text.split(`<${tag}>`).length - 1;
    expect(text.length).toBeGreaterThan(4_000_000);
    expect([count("entityName"), count("creator"), count("geographicCoverage")]).toEqual([
      240, 150, 80,
    ]);
  });
});

describe("the awkward tables", () => {
  test("are Latin-1 with semicolons, two header lines and line breaks inside quotes", () => {
    const bytes = bytesOf(
      entity("edi.99002.1", "Lake samples, with field notes, one row per bottle"),
    );
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toThrow();
    const text = bytes.toString("latin1");
    // 2 header lines, 6 records, 3 line breaks inside quotes.
    expect(text.split("\r\n")).toHaveLength(2 + 6 + 3 + 1);
    const rows = records(text, { headerLines: 2, fieldDelimiter: ";", quote: '"' });
    expect(rows[1]).toEqual([
      "04.06.2022",
      "Sjöbod",
      "-9999",
      "2.9",
      "probe lost\r\nfound again at 14:10",
    ]);
    expect(rows[2]?.slice(1)).toEqual(['Göl "Lilla"', "15.0", "NA", 'said "enough"']);
  });

  test("have a byte order mark, integers beyond 2^53 and infinities", () => {
    expect(bytesOf(entity("edi.99002.1", "Counts by species")).subarray(0, 3).toString("hex")).toBe(
      "efbbbf",
    );
    const forms = bytesOf(entity("edi.99002.1", "Numbers and dates of many forms")).toString();
    expect(forms).toContain("9007199254740993");
    expect(forms).toMatch(/,Inf,.*,-Inf,/s);
  });
});

describe("bigTable", () => {
  test("has 1,000 rows of the same bytes on every machine", () => {
    const bytes = readFileSync(table.path);
    expect(bytes.toString().trimEnd().split("\n")).toHaveLength(1001);
    expect([bytes.length, sha1(bytes), md5(bytes.toString())]).toEqual([
      table.sizeBytes,
      table.sha1,
      table.md5,
    ]);
    expect(table.sha1).toBe("0320e94aa01888c550c9f2b54455c4b9618f2dd6");
  });

  test("is made once where 4 callers want it at once, and leaves nothing else behind", async () => {
    const cache = mkdtempSync(join(tmpdir(), "vitrine-edi-"));
    const made = await Promise.all([1, 2, 3, 4].map(() => bigTable(500, cache)));
    expect(new Set(made.map((one) => `${one.path} ${one.sha1}`)).size).toBe(1);
    expect(readdirSync(cache)).toHaveLength(1);
    expect(readdirSync(join(cache, readdirSync(cache)[0] as string)).sort()).toEqual([
      "buoy.csv",
      "facts.json",
    ]);
    rmSync(cache, { recursive: true });
  });
});

describe("writeZip", () => {
  test("gives back 2 files through its directory, with their checksums", () => {
    const files = [
      { name: "ä.txt", bytes: Buffer.from("one") },
      { name: "b/c.bin", bytes: Buffer.alloc(300, 7) },
    ];
    const zip = writeZip(files);
    const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
    let at = zip.readUInt32LE(end + 16);
    for (const { name, bytes } of files) {
      const [nameLength, local] = [zip.readUInt16LE(at + 28), zip.readUInt32LE(at + 42)];
      expect(zip.subarray(at + 46, at + 46 + nameLength).toString()).toBe(name);
      expect(zip.readUInt32LE(at + 16)).toBe(crc32(bytes));
      expect(zip.readUInt32LE(local)).toBe(0x04034b50);
      const start = local + 30 + zip.readUInt16LE(local + 26);
      expect(zip.subarray(start, start + zip.readUInt32LE(at + 24)).equals(bytes)).toBe(true);
      at += 46 + nameLength;
    }
    expect(zip.readUInt16LE(end + 10)).toBe(2);
  });
});
