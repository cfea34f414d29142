import { describe, expect, test } from "vitest";
import type { ToolPlan } from "../../codegen/plan.ts";
import { CELLS, manifestWith, planManifest, WORDS } from "../helpers/manifest-project.ts";

async function planOf(rest: string, document = CELLS): Promise<ToolPlan> {
  const project = await planManifest(manifestWith(`a_tool: { ${WORDS}, ${rest} }\n`), document);
  const [tool] = project.servers[0]?.plan.tools ?? [];
  if (tool === undefined) {
    throw new Error("no tool was planned");
  }
  return tool;
}

describe("planProject", () => {
  test("renames, fixes, defaults, falls back and writes parameters as the manifest says", async () => {
    const { descriptor } = await planOf(
      "operation: list_cells, fixed: { shape: pouch }, arguments: { text: { parameter: name, wire: 'ilike.%{like}%' }, project: { parameter: project_id, fallback: CELLS_PROJECT, fallback_hint: Ask }, limit: { default: 20 } }",
    );
    const query = { in: "query", style: "form", explode: true, required: false };
    expect(descriptor.operation).toEqual({
      operationId: "list_cells",
      method: "GET",
      path: "/cells",
      parameters: [
        { ...query, name: "limit", argument: "limit", default: 20 },
        { ...query, name: "name", argument: "text", wire: "ilike.%{like}%" },
        {
          ...query,
          name: "project_id",
          required: true,
          argument: "project",
          fallback: "CELLS_PROJECT",
          fallbackHint: "Ask",
        },
        { ...query, name: "shape", fixed: "pouch" },
      ],
      accept: ["application/json"],
    });
    expect(descriptor.inputSchema).toEqual({
      type: "object",
      properties: {
        text: { type: "string", description: "Name of the cell." },
        project: { type: "string", description: "The query parameter project_id." },
        limit: { type: "integer", maximum: 200, description: "Default 20." },
      },
      additionalProperties: false,
    });
  });

  test("takes description, default, example and choice from the document", async () => {
    const { descriptor } = await planOf(
      "operation: list_cells, fixed: { project_id: p }, arguments: { name: {}, shape: {} }",
    );
    expect(descriptor.inputSchema.properties).toEqual({
      name: { type: "string", description: "Name of the cell. Example: eq.A1." },
      shape: { type: "string", enum: ["pouch", "coin"], description: "Default coin." },
    });
  });

  test("pages with the document's maximum of 200 items and its own limits of 50 and 1000", async () => {
    const { descriptor, operations } = await planOf(
      "operation: list_cells, fixed: { project_id: p }, result: { kind: page, items: /items, total: /total }",
    );
    expect(descriptor.result).toEqual({
      kind: "page",
      items: "/items",
      total: "/total",
      pagination: { scheme: "offset-limit", offset: "offset", limit: "limit", maximum: 200 },
      defaultLimit: 50,
      maximumLimit: 1000,
    });
    expect(Object.keys(descriptor.inputSchema.properties ?? {})).toEqual(["limit", "offset"]);
    expect(operations[0]?.answer).toEqual([
      { pointer: "/items", by: "result.items" },
      { pointer: "/total", by: "result.total" },
    ]);
  });

  test("finds an operation by its path as well", async () => {
    const { operations } = await planOf(
      'operation: "GET /cells/{cell_id}", arguments: { cell_id: {} }',
    );
    expect(operations[0]).toMatchObject({
      byPath: true,
      pointer: "/paths/~1cells~1{cell_id}/get",
      binding: { operationId: "get_cell", path: "/cells/{cell_id}" },
    });
  });

  test("asks a second operation with the tool's own argument, whatever its name there", async () => {
    const { descriptor, operations } = await planOf(
      "operation: get_cell, arguments: { id: { parameter: cell_id } }, explain: { on: [NOT_FOUND], operation: get_cell, rules: [{ at: /state, in: [gone], code: NOT_FOUND, message: 'Cell {id} is {/state}', hint: None }] }",
    );
    expect(descriptor.explain?.operation.parameters).toEqual([
      {
        name: "cell_id",
        in: "path",
        style: "simple",
        explode: false,
        required: true,
        argument: "id",
      },
    ]);
    expect(operations[1]).toMatchObject({
      role: "explain",
      answer: [
        { pointer: "/state", by: "explain.at", values: ["gone"] },
        { pointer: "/state", by: "explain.message" },
      ],
    });
  });

  test("reads the base URL from the document and the key's carriage from its security scheme", async () => {
    const project = await planManifest(
      manifestWith(`a_tool: { ${WORDS}, operation: get_cell, arguments: { cell_id: {} } }\n`),
    );
    const descriptor = project.servers[0]?.plan.descriptor;
    expect(descriptor?.upstream).toEqual({
      baseUrl: "https://cells.example.org/v1",
      baseUrlVariable: "CELLS_URL",
      credentials: [{ name: "Key", variable: "CELLS_KEY", in: "header", parameter: "X-Key" }],
      headers: [],
    });
    expect(descriptor?.variables.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      "CELLS_KEY",
    ]);
  });

  test.each([
    [
      "{ type: array, items: { type: integer, enum: [1, 2] }, maxItems: 3 }",
      { type: "array", items: { type: "integer", enum: [1, 2] }, maxItems: 3 },
    ],
    ["{ type: [string, 'null'], minLength: 2 }", { type: "string", minLength: 2 }],
    [
      "{ anyOf: [{ type: integer }, { type: 'null' }], minimum: 0 }",
      { type: "integer", minimum: 0 },
    ],
    [
      "{ allOf: [{ type: number, minimum: 1 }, { maximum: 5 }] }",
      { type: "number", minimum: 1, maximum: 5 },
    ],
    ["{ const: a }", { type: "string", enum: ["a"] }],
    ["{ type: integer, exclusiveMinimum: 0 }", { type: "integer", minimum: 1 }],
    ["{}", { type: "string" }],
  ])("makes one scalar type of %s", async (schema, expected) => {
    const document = CELLS.replace("schema: { type: [string, integer] }", `schema: ${schema}`);
    const { descriptor } = await planOf(
      "operation: list_cells, fixed: { project_id: p }, arguments: { near: { description: Near. } }",
      document,
    );
    expect(descriptor.inputSchema.properties).toEqual({
      near: { ...expected, description: "Near." },
    });
  });
});
