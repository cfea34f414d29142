import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { server } from "../../generated/ionworks/server.ts";
import type { Json, JsonObject, OperationBinding } from "../../src/contract.ts";

const { tools } = server;
const FOLDER = new URL("tools/", import.meta.url);

/** The tools and arguments that users and scripts rely on; `!` marks required ones, more optional ones may be there. */
const WINDOW = "columns limit offset sample where stats layout";
const FIXED: Readonly<Record<string, string>> = {
  discover_capabilities: "",
  list_cell_specs: "name form_factor include_components limit offset",
  get_cell_spec: "cell_spec_id!",
  list_cell_instances: "cell_spec_id! name limit offset",
  get_cell_instance: "cell_instance_id!",
  list_measurements: "cell_instance_id! name measurement_type limit offset",
  get_measurement: "measurement_id!",
  get_measurement_time_series: `measurement_id! ${WINDOW}`,
  get_measurement_steps: `measurement_id! ${WINDOW}`,
  get_measurement_cycles: `measurement_id! ${WINDOW}`,
  list_materials: "project_id limit offset",
  get_material: "material_id!",
  list_material_property_datasets: "material_id! project_id limit offset",
  get_material_property_dataset: "dataset_id!",
  get_material_property_data: `dataset_id! ${WINDOW}`,
};

const listing = tools.map(
  ({ name, title, description, inputSchema, outputSchema, annotations }) => ({
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
  }),
);

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every schema inside a schema, itself included, with its path. */
function schemasOf(schema: JsonObject, path: string): [string, JsonObject][] {
  const members = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const inner = [...members, ["items", schema.items] as const];
  return [
    [path, schema],
    ...inner.flatMap(([name, member]) =>
      isObject(member) ? schemasOf(member, `${path}.${name}`) : [],
    ),
  ];
}

const inputs = tools.flatMap(({ name, inputSchema }) => schemasOf(inputSchema, name));
const outputs = tools.flatMap(({ name, outputSchema }) => schemasOf(outputSchema, name));

/** Everything that is told to a model, by where it stands. */
const texts: [string, string][] = [
  ["instructions", server.instructions],
  ...tools.flatMap(
    ({ name, description, inputSchema, hints = {}, explain }): [string, string][] => [
      [name, description],
      [name, JSON.stringify(inputSchema)],
      ...Object.values(hints).map((hint): [string, string] => [name, hint]),
      ...(explain?.rules ?? []).map((rule): [string, string] => [
        name,
        `${rule.message} ${rule.hint}`,
      ]),
    ],
  ),
];

describe("the tools of ionworks-mcp", () => {
  test("are the 15 fixed ones, sorted, with their arguments and required ones", () => {
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(Object.keys(FIXED).sort());
    for (const { name, inputSchema } of tools) {
      const wanted = (FIXED[name] ?? "").split(" ").filter((argument) => argument !== "");
      const required = wanted.filter((argument) => argument.endsWith("!"));
      expect(Object.keys(inputSchema.properties as JsonObject), name).toEqual(
        expect.arrayContaining(wanted.map((argument) => argument.replace("!", ""))),
      );
      expect(inputSchema.required ?? [], name).toEqual(
        required.map((argument) => argument.replace("!", "")),
      );
    }
  });

  test.each(listing)("$name is what its snapshot says", async (tool) => {
    const file = new URL(`${tool.name}.json`, FOLDER).pathname;
    await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(file);
  });

  test("have 1 snapshot each, and there is none besides", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(tools.map(({ name }) => `${name}.json`));
  });

  test("take at most 16384 bytes as a list", () => {
    expect(Buffer.byteLength(JSON.stringify({ tools: listing }))).toBeLessThanOrEqual(16_384);
  });

  test("come with instructions of at most 1500 characters", () => {
    expect(server.instructions.length).toBeLessThanOrEqual(1500);
  });

  test.each(tools)("$name keeps the catalogue's rules", (tool) => {
    expect(tool.name).toMatch(/^[a-z][a-z0-9_]{2,47}$/);
    expect(tool.title.length).toBeGreaterThan(0);
    expect(tool.description.length).toBeGreaterThanOrEqual(40);
    expect(tool.description.length).toBeLessThanOrEqual(1024);
    expect(tool.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
    const operations: OperationBinding[] = [tool.operation];
    expect(operations.map(({ method }) => method)).toEqual(["GET"]);
  });

  test("name only tools that there are, in descriptions, hints and instructions", () => {
    const names = tools.map(({ name }) => name);
    for (const [where, text] of texts) {
      for (const word of text.match(/\b(?:list|get|discover)_[a-z_]+\b/g) ?? []) {
        expect(names, `${where} names ${word}`).toContain(word);
      }
    }
  });

  test("refer every id that is not found to a list", () => {
    const withId = tools.filter(({ inputSchema }) => inputSchema.required !== undefined);
    expect(withId.filter(({ hints }) => hints?.NOT_FOUND === undefined)).toEqual([]);
  });
});

describe("the input schemas", () => {
  test.each(inputs)("%s has one scalar type and no combinator or reference", (_, schema) => {
    expect(["object", "array", "string", "integer", "number", "boolean"]).toContain(schema.type);
    const keys = Object.keys(schema);
    const refused = ["$schema", "$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "default"];
    expect(keys.filter((key) => [...refused, "prefixItems", "nullable"].includes(key))).toEqual([]);
  });

  test.each(tools)("$name is closed, and each of its arguments is described", ({ inputSchema }) => {
    expect(inputSchema.type).toBe("object");
    expect(inputSchema.additionalProperties).toBe(false);
    for (const [name, schema] of Object.entries(inputSchema.properties as JsonObject)) {
      expect((schema as JsonObject).description, name).toMatch(/\w/);
    }
  });

  test.each(tools)("$name takes the same arguments as its zod schema, and no other", (tool) => {
    const known = Object.keys(tool.inputSchema.properties as JsonObject);
    const { shape } = tool.arguments() as unknown as { shape: object };
    expect(Object.keys(shape)).toEqual(known);
    const given = Object.fromEntries(
      ((tool.inputSchema.required ?? []) as string[]).map((name) => [name, "x"]),
    );
    expect(tool.arguments().safeParse(given).success).toBe(true);
    expect(tool.arguments().safeParse({ ...given, colour: "red" }).success).toBe(false);
    for (const name of Object.keys(given)) {
      const { [name]: _, ...rest } = given;
      expect(tool.arguments().safeParse(rest).success, `without ${name}`).toBe(false);
    }
  });
});

describe("the window arguments", () => {
  const args = (more: object) =>
    tools
      .find(({ name }) => name === "get_measurement_cycles")
      ?.arguments()
      .safeParse({ measurement_id: "m", ...more }).success;

  test.each([
    [{ limit: 100_000, sample: 9_000 }, true],
    [{ limit: 0 }, false],
    [{ limit: 1.5 }, false],
    [{ offset: -1 }, false],
    [{ sample: 1 }, false],
    [{ columns: [] }, false],
    [{ layout: "csv", stats: true }, true],
    [{ layout: "rows" }, false],
    [{ where: [{ column: "a", op: "=", value: "1" }] }, true],
    [{ where: [{ column: "a", op: "<", value: 1.5 }] }, true],
    [{ where: [{ column: "a", op: "in", value: [1, "2", true] }] }, true],
    [{ where: [{ column: "a", op: "is_null" }] }, true],
    [{ where: [{ column: "a", op: "like", value: "1" }] }, false],
    [{ where: [{ column: "a", op: "=", value: null }] }, false],
    [{ where: [{ column: "a", op: "=", value: "1", not: true }] }, false],
    [{ where: Array(8).fill({ column: "a", op: "is_null" }) }, true],
    [{ where: Array(9).fill({ column: "a", op: "is_null" }) }, false],
  ])("%j pass: %s", (given, passes) => {
    expect(args(given)).toBe(passes);
  });
});

describe("the output schemas", () => {
  test.each(outputs)("%s is open, without tuples, combinators and references", (_, schema) => {
    const refused = ["$schema", "$ref", "$defs", "anyOf", "oneOf", "allOf", "prefixItems"];
    const keys = Object.keys(schema);
    expect(keys.filter((key) => [...refused, "additionalProperties"].includes(key))).toEqual([]);
  });
});

/** Ajv comes with the protocol's SDK; without it nothing is compiled. */
function ajv(): { compile(schema: unknown): unknown } | undefined {
  try {
    const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js");
    return new Ajv2020({ strict: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
      return undefined;
    }
    throw error;
  }
}

describe("Ajv 2020, strict", () => {
  const compiler = ajv();
  test.skipIf(compiler === undefined).each(tools)("compiles both schemas of $name", (tool) => {
    expect(() => compiler?.compile(tool.inputSchema)).not.toThrow();
    expect(() => compiler?.compile(tool.outputSchema)).not.toThrow();
  });
});
