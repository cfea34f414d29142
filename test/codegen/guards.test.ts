import { describe, expect, test } from "vitest";
import {
  CELLS,
  manifestWith,
  planManifest,
  problemsOfManifest,
  WORDS,
} from "../helpers/manifest-project.ts";

/** One tool in one line: line 17 of the manifest. */
const tool = (rest: string, name = "get_cell") => manifestWith(`${name}: { ${WORDS}, ${rest} }\n`);

/** The manifest without its marks `^`, and the places where they stood, `line:column`. */
function readMarks(marked: string): { manifest: string; places: string[] } {
  const places = marked.split("\n").flatMap((line, index) => {
    const parts = line.split("^");
    return parts
      .slice(0, -1)
      .map((_, mark) => `${index + 1}:${parts.slice(0, mark + 1).join("").length + 1}`);
  });
  return { manifest: marked.replaceAll("^", ""), places };
}

/** A problem's place `@` is where the manifest is marked `^`. */
const CASES: readonly [what: string, manifest: string, problem: string][] = [
  [
    "a hidden operation",
    tool("^operation: get_secret, arguments: { cell_id: {} }"),
    `tools.manifest.yaml:@  operation "get_secret" is not public: x-hidden is true, not false
  hint: take it out of the manifest; only who owns the API can make it public`,
  ],
  [
    "an operation that writes",
    tool("^operation: create_cell"),
    `tools.manifest.yaml:@  operation "create_cell" is a POST, not a read
  hint: only GET and HEAD become tools`,
  ],
  [
    "an operation that does not exist, with the nearest name",
    tool("^operation: get_cel, arguments: { cell_id: {} }"),
    `tools.manifest.yaml:@  operation "get_cel" does not exist in cells.yaml
  hint: did you mean "get_cell"?`,
  ],
  [
    "a path that does not exist, with the nearest one",
    tool('^operation: "GET /cell/{cell_id}"'),
    `tools.manifest.yaml:@  operation "GET /cell/{cell_id}" does not exist in cells.yaml
  hint: did you mean "GET /cells/{cell_id}"?`,
  ],
  [
    "a method that a path does not have",
    tool('^operation: "HEAD /cells"'),
    `tools.manifest.yaml:@  /cells has no HEAD in cells.yaml
  hint: it has GET, POST`,
  ],
  [
    "an operationId that stands for 2 operations",
    tool("^operation: twice"),
    `tools.manifest.yaml:@  operationId "twice" stands for 2 operations of cells.yaml
  hint: write "GET /twice/a" or "GET /twice/b"`,
  ],
  [
    "a required path parameter that nobody supplies",
    tool("^operation: get_cell"),
    `tools.manifest.yaml:@  parameter "cell_id" (path) of GET /cells/{cell_id} is required, and nothing supplies it
  hint: list it under arguments, or give it a value under fixed`,
  ],
  [
    "a required query parameter that nobody supplies",
    tool("^operation: list_cells"),
    `tools.manifest.yaml:@  parameter "project_id" (query) of GET /cells is required, and nothing supplies it
  hint: list it under arguments, or give it a value under fixed`,
  ],
  [
    "a name of 49 characters",
    tool("operation: get_cell, arguments: { cell_id: {} }", "g".repeat(49)),
    `tools.manifest.yaml:17:7  the name "${"g".repeat(49)}" must be 3 to 48 of a-z, 0-9 and _, a letter first`,
  ],
  [
    "a name with a capital",
    tool("operation: get_cell, arguments: { cell_id: {} }", "getCell"),
    `tools.manifest.yaml:17:7  the name "getCell" must be 3 to 48 of a-z, 0-9 and _, a letter first`,
  ],
  [
    "two tools with one name",
    manifestWith(
      `get_cell: { ${WORDS}, operation: get_cell, arguments: { cell_id: {} } }\nget_cell: { ${WORDS}, operation: get_cell, arguments: { cell_id: {} } }\n`,
    ),
    `tools.manifest.yaml:18:7  the name "get_cell" stands twice
  hint: names are unique; give one of them another name`,
  ],
  [
    "two arguments with one name",
    manifestWith(
      `get_cell:\n  ${WORDS.replace(", ", "\n  ")}\n  operation: get_cell\n  arguments:\n    cell_id: {}\n    cell_id: {}\n`,
    ),
    `tools.manifest.yaml:23:11  the name "cell_id" stands twice
  hint: names are unique; give one of them another name`,
  ],
  [
    "two arguments for one parameter",
    tool("operation: get_cell, arguments: { cell_id: {}, ^id: { parameter: cell_id } }"),
    `tools.manifest.yaml:@  "id" and "cell_id" both supply the parameter "cell_id"`,
  ],
  [
    "an argument for a parameter that does not exist",
    tool("operation: list_cells, fixed: { project_id: p }, arguments: { ^nam: {} }"),
    `tools.manifest.yaml:@  the operation has no parameter "nam"
  hint: did you mean "name"?`,
  ],
  [
    "an argument whose parameter has two types",
    tool("operation: list_cells, fixed: { project_id: p }, arguments: { ^near: {} }"),
    `tools.manifest.yaml:@  parameter "near" (query) may be string or integer, and an argument has one type
  hint: leave it out, or give it a value under fixed`,
  ],
  [
    "a fixed value outside the document's choice",
    tool("operation: list_cells, fixed: { project_id: p, ^shape: round }"),
    `tools.manifest.yaml:@  "round" is not a value of parameter "shape" (query)`,
  ],
  [
    "an argument that the page adds itself",
    tool(
      "operation: list_cells, fixed: { project_id: p }, result: { kind: page, items: /items }, arguments: { ^limit: {} }",
    ),
    `tools.manifest.yaml:@  the argument name "limit" is taken: the result kind adds an argument of that name
  hint: leave it out, or give it another name with parameter`,
  ],
  [
    "a place that the answer does not have",
    tool(
      "operation: list_cells, fixed: { project_id: p }, result: { kind: page, ^items: /item, total: /total }",
    ),
    `tools.manifest.yaml:@  the answer has no member "item"
  hint: did you mean "items"?`,
  ],
  [
    "a fallback variable that is not described",
    tool("operation: list_cells, arguments: { project_id: { ^fallback: CELLS_PROJECTS } }"),
    `tools.manifest.yaml:@  variable CELLS_PROJECTS is not described under variables
  hint: did you mean "CELLS_PROJECT"?`,
  ],
  [
    "an explanation that quotes what is not there",
    tool(
      "operation: get_cell, arguments: { cell_id: {} }, explain: { on: [NOT_FOUND], operation: get_cell, rules: [{ ^at: /stat, in: [gone], code: NOT_FOUND, ^message: 'Cell {cel_id} is gone', hint: None }] }",
    ),
    `tools.manifest.yaml:@  the answer has no member "stat"
  hint: did you mean "state"?
tools.manifest.yaml:@  the tool has no argument "cel_id" to quote
  hint: did you mean "cell_id"?`,
  ],
  [
    "an unknown key, with the nearest one",
    tool("operation: get_cell, arguments: { cell_id: {} }, ^hint: { NOT_FOUND: Look }"),
    `tools.manifest.yaml:@  unknown key "hint"
  hint: did you mean "hints"?`,
  ],
  [
    "an unknown key of a result kind",
    tool(
      "operation: list_cells, fixed: { project_id: p }, result: { kind: page, items: /items, ^totals: /total }",
    ),
    `tools.manifest.yaml:@  unknown key "totals"
  hint: did you mean "total"?`,
  ],
  [
    "an unknown result kind",
    tool("operation: get_cell, arguments: { cell_id: {} }, result: { ^kind: recrod }"),
    `tools.manifest.yaml:@  "kind" cannot be "recrod"
  hint: did you mean "record"?`,
  ],
  [
    "a security scheme that does not exist",
    tool("operation: get_cell, arguments: { cell_id: {} }").replace("scheme: Key", "scheme: Kay"),
    `tools.manifest.yaml:11:13  security scheme "Kay" does not exist in cells.yaml
  hint: did you mean "Key"?`,
  ],
  [
    "a security scheme that cannot be sent",
    tool("operation: get_cell, arguments: { cell_id: {} }").replace("scheme: Key", "scheme: Login"),
    `tools.manifest.yaml:11:13  security scheme "Login" (http basic) is not supported
  hint: apiKey and bearer tokens are`,
  ],
];

describe("planProject refuses", () => {
  test.each(CASES)("%s", async (_, marked, problem) => {
    const { manifest, places } = readMarks(marked);
    const expected = problem.replace(/@/g, () => places.shift() ?? "no mark is left");
    expect(await problemsOfManifest(manifest)).toBe(expected);
  });

  test("a list of 3 tools over a budget of 1024 bytes, at the budget", async () => {
    const tools = ["get_a", "get_b", "get_c"]
      .map((name) => `${name}: { ${WORDS}, operation: get_cell, arguments: { cell_id: {} } }\n`)
      .join("");
    const manifest = manifestWith(tools).replace(
      "    upstream:",
      "    budget: 1024\n    upstream:",
    );
    expect(await problemsOfManifest(manifest)).toMatch(
      /^tools\.manifest\.yaml:8:5 {2}the tool list is 1\d\d\d bytes, over the budget of 1024\n {2}hint: /,
    );
  });

  test("6 mistakes of one manifest in one run, in the order of their places", async () => {
    const { manifest, places } = readMarks(
      manifestWith(
        [
          `get_cell: { ${WORDS}, ^operation: get_cel, arguments: { cell_id: {} } }`,
          `^Bad: { ${WORDS}, ^operation: get_secret, arguments: { cell_id: {} } }`,
          `get_more: { ${WORDS}, ^operation: create_cell, ^colour: red }`,
          `get_less: { title: Less, ^description: short, operation: get_cell }`,
          "",
        ].join("\n"),
      ),
    );
    const lines = (await problemsOfManifest(manifest)).split("\n");
    expect(lines.filter((line) => !line.startsWith("  hint"))).toEqual([
      `tools.manifest.yaml:${places[0]}  operation "get_cel" does not exist in cells.yaml`,
      `tools.manifest.yaml:${places[1]}  the name "Bad" must be 3 to 48 of a-z, 0-9 and _, a letter first`,
      `tools.manifest.yaml:${places[2]}  operation "get_secret" is not public: x-hidden is true, not false`,
      `tools.manifest.yaml:${places[3]}  operation "create_cell" is a POST, not a read`,
      `tools.manifest.yaml:${places[4]}  unknown key "colour"`,
      `tools.manifest.yaml:${places[5]}  "description" must have at least 40 characters, not 5`,
    ]);
  });

  test("a manifest that breaks off, at the place where it does", async () => {
    const message = await problemsOfManifest("servers:\n  cells: [1\n");
    expect(message).toMatch(/^tools\.manifest\.yaml:3:1 {2}the manifest cannot be parsed: /);
  });

  test("nothing where nothing is wrong", async () => {
    const manifest = tool("operation: get_cell, arguments: { cell_id: {} }");
    const { servers, warnings } = await planManifest(manifest);
    expect(servers[0]?.plan.tools).toHaveLength(1);
    expect(warnings).toEqual([]);
  });
});

describe("planProject and the flaws of a document", () => {
  const manifest = tool("operation: get_cell, arguments: { cell_id: {} }");

  test("warns of 3 flaws that no tool reaches, each with its place and JSON pointer", async () => {
    const document = `${CELLS}    Broken: { $ref: "#/components/schemas/Nowhere" }
    Tuple: [1, 2]
    Loop: { $ref: "#/components/schemas/Loop" }
`;
    const { warnings } = await planManifest(manifest, document);
    const lineOf = (text: string) => document.slice(0, document.indexOf(text)).split("\n").length;
    expect(warnings.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
      `${lineOf("Broken:")}:5 the reference "#/components/schemas/Nowhere" leads nowhere (#/components/schemas/Broken)`,
      `${lineOf("Tuple:")}:5 a schema must be an object, not a list (#/components/schemas/Tuple)`,
      `${lineOf("Loop:")}:5 the reference "#/components/schemas/Loop" leads back to itself (#/components/schemas/Loop)`,
    ]);
  });

  test("refuses a flaw that a tool reaches, and names the tool", async () => {
    const document = CELLS.replace(
      'parent: { $ref: "#/components/schemas/Cell" }',
      'parent: { $ref: "other.yaml#/Cell" }',
    );
    const before = document.slice(0, document.indexOf("parent:")).split("\n");
    expect(await problemsOfManifest(manifest, document)).toBe(
      `cells.yaml:${before.length}:${(before.at(-1)?.length ?? 0) + 1}  the reference "other.yaml#/Cell" leads to another document (#/components/schemas/Cell/properties/parent)
  hint: the tool get_cell needs this part of the document`,
    );
  });
});
