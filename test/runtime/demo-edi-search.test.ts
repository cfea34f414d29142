import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyse } from "../../demo/edi/solr/analyse.ts";
import { parseLenient, parseQuery, QuerySyntaxError } from "../../demo/edi/solr/parse-query.ts";
import { type Archive, openArchive } from "../helpers/edi-demo.ts";

let archive: Archive;
beforeAll(async () => {
  archive = await openArchive();
});
afterAll(() => archive.close());

async function found(query: Record<string, string | string[]>) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ fl: "packageid", ...query })) {
    for (const one of [value].flat()) {
      parameters.append(name, one);
    }
  }
  const body = await archive.text(`/package/search/eml?${parameters}`);
  return {
    body,
    total: Number(/numFound='(\d+)'/.exec(body)?.[1]),
    ids: [...body.matchAll(/<packageid>([^<]*)</g)].map((match) => match[1] ?? ""),
  };
}

const NOT_BULK = ["-scope:ecotrends", "-scope:lter-landsat*"];
const edismax = { defType: "edismax" };

describe("analyse", () => {
  test.each([
    ["The Forests' of a Forest's PLOTS", ["forest", "forest", "plot"]],
    ["Studies of grass and species", ["study", "grass", "specy"]],
    ["Åsa’s lakes, 2019-2021", ["åsa", "lake", "2019", "2021"]],
  ])("reduces %j to its words", (text, words) => {
    expect(analyse(text)).toEqual(words);
  });
});

describe("parseQuery", () => {
  test.each(['a "b', "(a", "a)", "a AND", "title:", "[1 TO", "http://example.org", "{!func}title"])(
    "refuses %s",
    (text) => {
      expect(() => parseQuery(text, "text")).toThrow(QuerySyntaxError);
    },
  );

  test("forgives what edismax forgives, but no local parameters", () => {
    expect(parseLenient('a "b', "text")).toEqual(parseQuery("a b", "text"));
    expect(() => parseLenient("{!func}title", "text")).toThrow(QuerySyntaxError);
  });
});

describe("answerSearch", () => {
  test("finds the 69 newest revisions, of a bulk scope only when it is not shut out", async () => {
    expect((await found({ q: "*:*" })).total).toBe(69);
    const { total, ids } = await found({ q: "*:*", fq: NOT_BULK, rows: "100" });
    expect([total, ids.length]).toEqual([68, 68]);
    expect(ids.filter((id) => id.startsWith("knb-lter-hbr.9014."))).toEqual([
      "knb-lter-hbr.9014.4",
    ]);
  });

  test.each([
    ["streamflow", ["knb-lter-hbr.9014.4"]],
    ["Streamflows", ["knb-lter-hbr.9014.4"]],
    ['"daily streamflow"', ["knb-lter-hbr.9014.4"]],
    ['"streamflow daily"', []],
    ["canopy AND lidar", ["edi.99001.2"]],
    ["canopy AND streamflow", []],
    ["canopy OR mesquite", ["edi.99001.2", "knb-lter-jrn.990000001.5"]],
    ["+canopy -mesquite", ["edi.99001.2"]],
    ["subject:(canopy lidar)", ["edi.99001.2"]],
    ["subject:mesquite", []],
    ["mesquite", ["knb-lter-jrn.990000001.5"]],
    ["strea* NOT nitrate", ["cos-spu.90001.1", "knb-lter-hbr.9014.4"]],
  ])("answers q=%s", async (q, ids) => {
    const answer = await found({ q, ...edismax, rows: "100", sort: "packageid,asc" });
    expect(answer.ids).toEqual(ids);
  });

  test.each([
    ["scope:knb-lter-hbr", 2],
    ['author:("lindqvist")', 9],
    ['author:("ACHTERBERG")', 21],
    ['coordinates:"Intersects(ENVELOPE(-71.72, -71.70, 43.96, 43.95))"', 1],
    ['coordinates:"IsWithin(ENVELOPE(-71.75, -71.70, 43.97, 43.94))"', 1],
    ['coordinates:"IsWithin(ENVELOPE(-71.72, -71.70, 43.96, 43.95))"', 0],
    [
      "(singledate:[2019-01-01T00:00:00Z TO 2019-12-31T23:59:59Z] OR (begindate:[* TO 2019-12-31T23:59:59Z] AND enddate:[2019-01-01T00:00:00Z TO *])) AND scope:knb-lter-hbr",
      2,
    ],
    ["begindate:[* TO 1990-12-31T23:59:59Z]", 1],
    ["id:edi.99001", 1],
  ])("filters by %s", async (fq, total) => {
    expect((await found({ q: "*:*", fq })).total).toBe(total);
  });

  test("reads each of 68 packages once over pages of 10, whatever the order", async () => {
    for (const sort of [
      ["score,desc", "packageid,asc"],
      ["pubdate,desc", "packageid,asc"],
    ]) {
      const ids: string[] = [];
      for (let start = 0; start < 68; start += 10) {
        ids.push(...(await found({ q: "*:*", fq: NOT_BULK, sort, start: String(start) })).ids);
      }
      expect(new Set(ids).size).toBe(68);
      expect(ids).toHaveLength(68);
    }
  });

  test("puts the package without a date first ascending and last descending", async () => {
    const order = async (sort: string) =>
      (await found({ q: "*:*", sort: [sort, "packageid,asc"], rows: "100" })).ids;
    expect((await order("pubdate,asc"))[0]).toBe("knb-lter-hbr.9013.1");
    expect((await order("pubdate,desc")).at(-1)).toBe("knb-lter-hbr.9013.1");
  });

  test("shows children in the order of fl, the year of pubdate, and nothing without fl", async () => {
    const { body } = await found({ q: "streamflow", fl: "pubdate,packageid,keyword,abstract" });
    expect([...body.matchAll(/^ {8}<(\w+)>/gm)].map((match) => match[1])).toEqual([
      "pubdate",
      "packageid",
      "keywords",
      "abstract",
    ]);
    expect(body).toContain("<pubdate>2024</pubdate>");
    const bare = await found({ q: "streamflow", fl: "" });
    expect(bare.body).toContain("    <document>\n    </document>\n");
  });

  test("lists 22 fields for fl=*", async () => {
    const { body } = await found({ q: "streamflow", fl: "*" });
    expect(body.match(/^ {8}<\w+>/gm)).toHaveLength(22);
  });

  test("ignores a sort that does not split in two and unreadable paging", async () => {
    const { total, ids } = await found({ q: "*:*", sort: "packageid", start: "x", rows: "many" });
    expect([total, ids.length]).toEqual([69, 10]);
  });

  test.each([
    ["q=a%20%22b", "Cannot parse"],
    ["q=*:*&fq=nofield:1", "undefined field nofield"],
    ["q=*:*&fq=begindate:[x%20TO%20*]", "Invalid date value: 'x'"],
    ["q=*:*&sort=keyword,asc", "can not sort on multivalued field"],
    ["q=*:*&fq=coordinates:%22Near(1)%22", "Unknown spatial operation"],
  ])("answers 500 to %s", async (query, words) => {
    const answer = await archive.get(`/package/search/eml?${query}`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain(words);
  });

  test("has a document with the title null and no dates only with its quirk", async () => {
    const odd = await openArchive({ quirks: { untitled: "knb-lter-hbr.9014.4" } });
    const body = await odd.text(
      "/package/search/eml?q=streamflow&fl=packageid,title,begindate,pubdate",
    );
    expect(body).toContain(
      "<title>null</title>\n        <begindate></begindate>\n        <pubdate></pubdate>",
    );
    await odd.close();
  });
});
