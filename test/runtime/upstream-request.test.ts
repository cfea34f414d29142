import { describe, expect, test } from "vitest";
import type { ParameterBinding } from "../../src/contract.ts";
import { writeParameter } from "../../src/upstream/parameter-style.ts";
import { buildRequest } from "../../src/upstream/request.ts";
import { operation, parameter } from "../helpers/upstream-under-test.ts";

const ARRAY = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

/** The table "Style Examples" of the OpenAPI Specification 3.1.1: style, explode, empty, string, array, object. */
const STYLES: [ParameterBinding["in"], ParameterBinding["style"], boolean, ...(string | null)[]][] =
  [
    [
      "path",
      "matrix",
      false,
      ";color",
      ";color=blue",
      ";color=blue,black,brown",
      ";color=R,100,G,200,B,150",
    ],
    [
      "path",
      "matrix",
      true,
      ";color",
      ";color=blue",
      ";color=blue;color=black;color=brown",
      ";R=100;G=200;B=150",
    ],
    ["path", "label", false, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
    ["path", "label", true, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
    ["path", "simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"],
    ["path", "simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"],
    ["header", "simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"],
    ["header", "simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"],
    [
      "query",
      "form",
      false,
      "color=",
      "color=blue",
      "color=blue,black,brown",
      "color=R,100,G,200,B,150",
    ],
    [
      "query",
      "form",
      true,
      "color=",
      "color=blue",
      "color=blue&color=black&color=brown",
      "R=100&G=200&B=150",
    ],
    [
      "cookie",
      "form",
      false,
      "color=",
      "color=blue",
      "color=blue,black,brown",
      "color=R,100,G,200,B,150",
    ],
    [
      "cookie",
      "form",
      true,
      "color=",
      "color=blue",
      "color=blue; color=black; color=brown",
      "R=100; G=200; B=150",
    ],
    [
      "query",
      "spaceDelimited",
      false,
      null,
      null,
      "color=blue%20black%20brown",
      "color=R%20100%20G%20200%20B%20150",
    ],
    [
      "query",
      "pipeDelimited",
      false,
      null,
      null,
      "color=blue%7Cblack%7Cbrown",
      "color=R%7C100%7CG%7C200%7CB%7C150",
    ],
    [
      "query",
      "deepObject",
      true,
      null,
      null,
      null,
      "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
    ],
  ];

describe("writeParameter", () => {
  for (const [place, style, explode, ...wanted] of STYLES) {
    test(`writes ${place} ${style}, explode ${explode}, as the specification's table does`, () => {
      const binding = parameter("color", place, { style, explode });
      ["", "blue", ARRAY, OBJECT].forEach((value, index) => {
        if (wanted[index] !== null) {
          expect(writeParameter(binding, value)).toBe(wanted[index]);
        }
      });
    });
  }

  test("encodes everything but unreserved characters in a query", () => {
    const text = "a b/ü&=?#%+'()*!~-._";
    expect(writeParameter(parameter("q", "query"), text)).toBe(
      "q=a%20b%2F%C3%BC%26%3D%3F%23%25%2B%27%28%29%2A%21~-._",
    );
  });

  test("leaves reserved characters under allowReserved, but none that could end the value", () => {
    const binding = parameter("q", "query", { allowReserved: true });
    expect(writeParameter(binding, "a/b:c?d,e;f@g&h#i+j%2F")).toBe(
      "q=a/b:c?d,e;f@g%26h%23i%2Bj%252F",
    );
  });

  test("writes numbers, booleans and big integers as JSON would", () => {
    const written = [1.5, -0.1, true, 9007199254740993n].map((value) =>
      writeParameter(parameter("q", "query"), value),
    );
    expect(written).toEqual(["q=1.5", "q=-0.1", "q=true", "q=9007199254740993"]);
  });

  test.each([[Number.NaN], [{ a: { b: 1 } }], [[null]], ["\ud800"], [() => 1]])(
    "refuses %s, which has no written form, naming the argument",
    (value) => {
      const binding = parameter("limit", "query", { argument: "rows" });
      expect(() => writeParameter(binding, value)).toThrow(/^rows /);
    },
  );
});

describe("buildRequest", () => {
  const none = () => undefined;
  const cell = operation("/cells/{cell_id}/cycles", [
    parameter("cell_id", "path"),
    parameter("limit", "query"),
  ]);

  test("puts path and query together", () => {
    const { path, query } = buildRequest(cell, { cell_id: "c 1", limit: 5 }, none);
    expect([path, query]).toEqual(["/cells/c%201/cycles", "limit=5"]);
  });

  test.each([[undefined], [null]])("does not send a query value that is %s", (limit) => {
    expect(buildRequest(cell, { cell_id: "c", limit }, none).query).toBe("");
  });

  test("does not send an empty list", () => {
    const tags = operation("/cells", [parameter("tags", "query")]);
    expect(buildRequest(tags, { tags: [] }, none).query).toBe("");
  });

  test.each([
    [""],
    ["."],
    [".."],
    ["a/b"],
    ["a\\b"],
    ["a\0b"],
    ["a\nb"],
    ["\u007f"],
    [["ok", ".."]],
    [[]],
  ])("refuses %j as a path value with INVALID_ARGUMENT that names the argument", (cell_id) => {
    expect(() => buildRequest(cell, { cell_id }, none)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("cell_id"),
      }),
    );
  });

  test.each([
    ["%2e%2e", "%252e%252e"],
    ["...", "..."],
    ["a?b#c;d", "a%3Fb%23c%3Bd"],
    ["{limit}", "%7Blimit%7D"],
    ["$&", "%24%26"],
  ])("sends %j as one path segment", (cell_id, segment) => {
    expect(buildRequest(cell, { cell_id }, none).path).toBe(`/cells/${segment}/cycles`);
  });

  test("fills wire templates, LIKE wildcards taken literally", () => {
    const list = operation("/cells", [
      parameter("name", "query", { wire: "ilike.%{like}%" }),
      parameter("kind", "query", { wire: "eq.{value}" }),
    ]);
    const { query } = buildRequest(list, { name: "50%_\\x", kind: "50%" }, none);
    expect(new URLSearchParams(query).get("name")).toBe("ilike.%50\\%\\_\\\\x%");
    expect(new URLSearchParams(query).get("kind")).toBe("eq.50%");
  });

  test("sends fixed values whatever the arguments say", () => {
    const fixed = operation("/cells", [parameter("full", "query", { fixed: true })]);
    expect(buildRequest(fixed, { full: false }, none).query).toBe("full=true");
  });

  describe("with a fallback variable", () => {
    const materials = operation("/materials", [
      parameter("project_id", "query", {
        required: true,
        fallback: "TEST_PROJECT_ID",
        fallbackHint: "list_cell_specs shows a project's id",
      }),
    ]);

    test("uses the variable where the argument is absent", () => {
      expect(buildRequest(materials, {}, (name) => `of ${name}`).query).toBe(
        "project_id=of%20TEST_PROJECT_ID",
      );
    });

    test("prefers the argument", () => {
      expect(buildRequest(materials, { project_id: "p-1" }, () => "p-2").query).toBe(
        "project_id=p-1",
      );
    });

    test.each([[undefined], [""]])("says which of the two to give when it is %j", (value) => {
      expect(() => buildRequest(materials, {}, () => value)).toThrow(
        expect.objectContaining({
          code: "INVALID_ARGUMENT",
          message:
            "GET /materials needs the argument project_id or the variable TEST_PROJECT_ID, and none was given",
          hint: "list_cell_specs shows a project's id",
        }),
      );
    });
  });

  test.each([["a\r\nX-Evil: 1"], ["a\nb"], ["a\0"], ["日本"]])(
    "refuses %j in a header",
    (value) => {
      const traced = operation("/cells", [parameter("X-Trace", "header", { argument: "trace" })]);
      expect(() => buildRequest(traced, { trace: value }, none)).toThrow(
        /^trace holds a character/,
      );
    },
  );

  test("joins cookies into one header, each value encoded", () => {
    const two = operation("/cells", [parameter("a", "cookie"), parameter("b", "cookie")]);
    expect(buildRequest(two, { a: "1; c=2", b: "3" }, none).headers).toEqual({
      cookie: "a=1%3B%20c%3D2; b=3",
    });
  });
});
