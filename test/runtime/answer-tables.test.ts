import { describe, expect, test } from "vitest";
import type { ResultPlan, TableFormat } from "../../src/contract.ts";
import { call, failure, far, result, useAnswers } from "../helpers/answers-under-test.ts";
import { fault } from "../helpers/fault-server.ts";

useAnswers();

type Table = Extract<ResultPlan, { kind: "table" }>;

const table = (format: TableFormat, more: Partial<Table> = {}): Table => ({
  kind: "table",
  format,
  units: { from: "none" },
  ...more,
});

const TYPES: Partial<Record<TableFormat, string>> = {
  "json-rows": "application/json",
  geojson: "application/geo+json",
  "json-api": "application/vnd.api+json",
  "json-lines": "application/x-ndjson",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  xml: "application/xml",
  "arrow-ipc": "application/vnd.apache.arrow.file",
};

const answer = (format: TableFormat, body: string | Uint8Array) =>
  fault.answer(200, { "content-type": TYPES[format] ?? "" }, body);

const read = (plan: Table, body: string | Uint8Array, args: Record<string, unknown> = {}) => {
  far.routes = { "/data": answer(plan.format, body) };
  return result(call(plan, args));
};

/** The same two rows in every text format. */
const SAME: readonly (readonly [TableFormat, string, Partial<Table>?])[] = [
  ["json-rows", '[{"a":1,"b":"x"},{"a":2,"b":null}]'],
  ["json-rows", '{"data":{"rows":[{"a":1,"b":"x"},{"a":2}]}}', { at: "/data/rows" }],
  [
    "geojson",
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1,"b":"x"},"geometry":null},{"type":"Feature","properties":{"a":2,"b":null},"geometry":null}]}',
    { geometry: "drop" },
  ],
  ["json-lines", '{"a":1,"b":"x"}\n\n{"a":2}\n'],
  ["csv", "a,b\n1,x\n2,\n"],
  ["csv", "a;b\r\n1;x\r\n2;\r\n"],
  ["tsv", "a\tb\n1\tx\n2\tNA"],
  ["xml", "<r><row><a>1</a><b>x</b></row><row><a>2</a><b/></row></r>"],
  [
    "xml",
    '<n:r xmlns:n="u"><list><n:row><a>1</a><n:b>x</n:b></n:row><n:row><a>2</a></n:row></list></n:r>',
    { at: "/r/list/row" },
  ],
];

describe("tables out of any answer", () => {
  for (const [format, body, more] of SAME) {
    test(`reads 2 rows of ${format} ${JSON.stringify(body.slice(0, 25))} as what they are`, async () => {
      expect(await read(table(format, more), body)).toMatchObject({
        columns: ["a", "b"],
        dtypes: { a: "int64", b: "string" },
        rows: [
          { a: 1, b: "x" },
          { a: 2, b: null },
        ],
        total_rows: 2,
        truncated: false,
      });
    });

    test(`finds out that ${JSON.stringify(body.slice(0, 25))} is ${format}`, async () => {
      far.routes = { "/data": answer(format, body) };
      const plan = table("auto", format === "csv" || more?.at === undefined ? { ...more } : more);
      expect(await result(call(plan))).toMatchObject({ columns: ["a", "b"], total_rows: 2 });
    });
  }

  test("gives the same window arguments to all: where, columns, stats, layout", async () => {
    const body = `k,v\n${Array.from({ length: 1000 }, (_, k) => `${k},${k * 0.5}`).join("\n")}\n`;
    const window = await read(table("csv"), body, {
      where: [{ column: "k", op: ">=", value: 990 }],
      columns: ["v"],
      stats: true,
      layout: "columns",
      limit: 3,
    });
    expect(window).toMatchObject({
      data: { v: [495, 495.5, 496] },
      matched_rows: 10,
      total_rows: 1000,
      next_offset: 3,
      stats: { v: { count: 10, min: 495, max: 499.5, mean: 497.25 } },
    });
  });

  test("reads each of 3,000 rows once when next_offset is followed, in 5,000 bytes", async () => {
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, t: "x".repeat(id % 50) }));
    far.routes = { "/data": fault.json(rows) };
    const seen: unknown[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const window = await result(
        call(table("json-rows"), { offset, limit: 900 }, { maxResultBytes: 5000 }),
      );
      seen.push(...(window.rows as { id: number }[]).map(({ id }) => id));
      offset = window.next_offset as number | undefined;
    }
    expect(seen).toEqual(rows.map(({ id }) => id));
  });

  test("reads 20 MB of JSON rows", async () => {
    const note = "x".repeat(180);
    const rows = Array.from({ length: 95_000 }, (_, id) => ({ id, note }));
    const window = await read(table("json-rows"), JSON.stringify(rows), { offset: 94_999 });
    expect(window).toMatchObject({ rows: [{ id: 94_999, note }], total_rows: 95_000 });
  });

  test("reads 20 MB of CSV", async () => {
    const note = "x".repeat(200);
    const lines = Array.from({ length: 96_000 }, (_, id) => `${id},${note}`);
    const window = await read(table("csv"), `id,note\n${lines.join("\n")}\n`, { offset: 95_999 });
    expect(window).toMatchObject({ rows: [{ id: 95_999, note }], total_rows: 96_000 });
  });

  test("says of a 204 that there are no rows", async () => {
    for (const format of ["csv", "json-rows", "xml", "auto"] as const) {
      far.routes = { "/data": fault.empty(204) };
      expect(await result(call(table(format)))).toMatchObject({
        columns: [],
        row_count: 0,
        total_rows: 0,
        note: "The answer is empty.",
      });
    }
  });
});

describe("json-rows", () => {
  test("takes the union of the keys in first-seen order, nested values as JSON text", async () => {
    const body = '[{"b":1,"a":{"x":[1,null]}},{"c":true,"a":[]},null,{"b":null,"__proto__":7}]';
    expect(await read(table("json-rows"), body)).toMatchObject({
      columns: ["b", "a", "c", "__proto__"],
      dtypes: { b: "float64", a: "string", c: "bool" },
      rows: [
        { b: 1, a: '{"x":[1,null]}', c: null },
        { b: null, a: "[]", c: true },
        { b: null, a: null },
        { b: null },
      ],
    });
  });

  test("keeps integers beyond 2^53 exact and floats floats", async () => {
    const body = '[{"id":9007199254740993,"t":20.0,"e":1e3},{"id":2,"t":21.0,"e":2e3}]';
    expect(await read(table("json-rows"), body)).toMatchObject({
      dtypes: { id: "int64", t: "float64", e: "float64" },
      rows: [
        { id: "9007199254740993", t: 20, e: 1000 },
        { id: "2", t: 21, e: 2000 },
      ],
    });
  });

  test("reads lists and single values as rows too", async () => {
    expect(await read(table("json-rows"), "[[1,2],[3,4]]")).toMatchObject({
      rows: [
        { 0: 1, 1: 2 },
        { 0: 3, 1: 4 },
      ],
    });
    expect(await read(table("json-rows"), '["a","b"]')).toMatchObject({
      rows: [{ value: "a" }, { value: "b" }],
    });
  });
});

describe("geojson", () => {
  const feature = (id: number) => ({
    type: "Feature",
    id,
    geometry: { type: "Point", coordinates: [7.5, 46 + id] },
    properties: { name: `s${id}`, id: "inner" },
  });
  const body = JSON.stringify({ type: "FeatureCollection", features: [feature(1), feature(2)] });

  test("gives id, the properties and the geometry as JSON text", async () => {
    const window = await read(table("geojson"), body);
    expect(window.columns).toEqual(["id", "name", "properties.id", "geometry"]);
    expect((window.rows as unknown[])[0]).toEqual({
      id: 1,
      name: "s1",
      "properties.id": "inner",
      geometry: '{"type":"Point","coordinates":[7.5,47]}',
    });
  });

  test("leaves the geometry out on request", async () => {
    const window = await read(table("geojson", { geometry: "drop" }), body);
    expect(window.columns).toEqual(["id", "name", "properties.id"]);
  });
});

describe("json-api", () => {
  test("gives id, type and the attributes, relationships as JSON text", async () => {
    const body = JSON.stringify({
      data: [
        { id: "1", type: "cells", attributes: { v: 3.7 }, relationships: { lab: { data: null } } },
        { id: "2", type: "cells", attributes: { v: null, type: "pouch" } },
      ],
    });
    expect(await read(table("json-api"), body)).toMatchObject({
      columns: ["id", "type", "v", "relationships", "attributes.type"],
      rows: [{ id: "1", type: "cells", v: 3.7, relationships: '{"lab":{"data":null}}' }, {}],
    });
  });
});

describe("xml", () => {
  test("gives attributes, repeated and nested children, CDATA and entities of XML's own", async () => {
    const body = `<?xml version="1.0"?><r><row id="7"><t>a &amp; b &#x20AC;</t><t><![CDATA[<c>]]></t><n><m k="1">x</m></n></row></r>`;
    expect(await read(table("xml"), body)).toMatchObject({
      columns: ["@id", "t", "n"],
      rows: [{ "@id": 7, t: '["a & b €","<c>"]', n: '{"m":{"@k":"1","text":"x"}}' }],
    });
  });

  test.each([
    ["a document type", '<!DOCTYPE r [<!ENTITY x "y">]><r><row>&x;</row></r>'],
    ["an unknown entity", "<r><row>&nbsp;</row></r>"],
    ["an unclosed element", "<r><row><a>1</a>"],
    ["text after the root", "<r/>x"],
    ["nesting 300 deep", `<r>${"<a>".repeat(300)}${"</a>".repeat(300)}</r>`],
  ])("refuses %s", async (_, body) => {
    far.routes = { "/data": answer("xml", body) };
    expect((await failure(call(table("xml")))).code).toBe("UNREADABLE_ANSWER");
  });
});

describe("answers that are not the table they should be", () => {
  const BROKEN: readonly (readonly [TableFormat, string])[] = [
    ["json-rows", '[{"a":1},{"a":'],
    ["json-lines", '{"a":1}\n{"a":'],
    ["geojson", '{"type":"FeatureCollection","features":[{'],
    ["json-api", '{"data":'],
    ["csv", 'a,b\n1,"x\n2,y\n'],
    ["xml", "<r><row><a>1</a></row>"],
    ["arrow-ipc", "ARROW1\0\0"],
    ["auto", '{"no":"rows"}'],
  ];
  test.each(BROKEN)(
    "says UNREADABLE_ANSWER of %s that breaks off or is none",
    async (format, body) => {
      far.routes = { "/data": answer(format, body) };
      expect((await failure(call(table(format)))).code).toBe("UNREADABLE_ANSWER");
    },
  );

  const ALL = [
    "json-rows",
    "json-lines",
    "geojson",
    "csv",
    "tsv",
    "xml",
    "arrow-ipc",
    "auto",
  ] as const;
  test.each(ALL)("says UNREADABLE_ANSWER of HTML where %s was promised", async (format) => {
    far.routes = { "/data": fault.html("Sign in") };
    const error = await failure(call(table(format), {}, { accept: [TYPES[format] ?? "*/*"] }));
    expect(error.code).toBe("UNREADABLE_ANSWER");
    expect(error.message).toContain('an HTML page titled "Sign in"');
  });

  test.each([
    ["csv", "application/json", '{"error":"no"}'],
    ["xml", "text/csv", "a,b\n"],
    ["json-rows", "text/csv", "a,b\n"],
    ["arrow-ipc", "application/json", "{}"],
    ["auto", "application/zip", "PK\u0003\u0004"],
  ] as const)("says of %s that is %s what it is", async (format, type, body) => {
    far.routes = { "/data": fault.answer(200, { "content-type": type }, body) };
    const error = await failure(call(table(format)));
    expect(error.code).toBe("UNREADABLE_ANSWER");
    expect(error.message).toContain(type);
  });

  test.each([["csv"], ["json-rows"], ["xml"]] as const)(
    "says UPSTREAM_UNAVAILABLE of %s whose connection breaks",
    async (format) => {
      far.routes = {
        "/data": fault.truncated("a,b\n1,2\n", { "content-type": TYPES[format] ?? "" }),
      };
      expect((await failure(call(table(format)))).code).toBe("UPSTREAM_UNAVAILABLE");
    },
  );

  test("says of HTML under the name of CSV that it is a page", async () => {
    far.routes = { "/data": answer("csv", "<!DOCTYPE html><html><title>x</title></html>") };
    expect((await failure(call(table("csv")))).message).toBe(
      "The answer is an HTML page instead of a table",
    );
  });
});
