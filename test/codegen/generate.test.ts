import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { emitProject, planProject } from "../../codegen/generate.ts";
import { writeFiles } from "../../codegen/write.ts";
import type { ToolDescriptor } from "../../src/contract.ts";
import {
  CELLS,
  makeProject,
  manifestWith,
  planManifest,
  WORDS,
} from "../helpers/manifest-project.ts";
import { typeErrors } from "../helpers/type-check.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const GET_CELL = manifestWith(
  `get_cell: { ${WORDS}, operation: get_cell, arguments: { cell_id: {} } }\n`,
);

/** The same members in the opposite order, at every level that is a map of paths, methods or components. */
function reversed(document: Record<string, unknown>): Record<string, unknown> {
  const turn = (value: unknown, depth: number): unknown =>
    depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, member]) => [key, turn(member, depth - 1)]),
        );
  return {
    ...document,
    paths: turn(document.paths, 2),
    components: turn(document.components, 2),
  };
}

/** Runs a generated tools.ts and gives its tools. */
async function runTools(text: string, folder: string): Promise<readonly ToolDescriptor[]> {
  const outfile = join(folder, "tools.mjs");
  await build({
    stdin: { contents: text, loader: "ts", resolveDir: ROOT },
    bundle: true,
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "silent",
  });
  return ((await import(pathToFileURL(outfile).href)) as { tools: ToolDescriptor[] }).tools;
}

describe("emitProject", () => {
  test("gives the same bytes for the Ionworks document with paths and components in reverse", async () => {
    const manifest = await readFile(join(ROOT, "tools.manifest.yaml"), "utf8");
    const document = await readFile(join(ROOT, "openapi/ionworks.yaml"), "utf8");
    const other = stringify(reversed(parse(document)), { aliasDuplicateObjects: false });
    expect(other.indexOf("/materials:")).toBeGreaterThan(other.indexOf("/search"));
    const moved = manifest.replace(/guide: .*/, "guide: guide.md");
    const made = await makeProject({
      "a.yaml": document,
      "b.yaml": other,
      "guide.md": "Read.\n",
      "tools.manifest.yaml": moved.replace("openapi/ionworks.yaml", "a.yaml"),
      "other.manifest.yaml": moved.replace("openapi/ionworks.yaml", "b.yaml"),
    });
    const one = await emitProject(await planProject(made.manifest));
    const two = await emitProject(await planProject(join(made.folder, "other.manifest.yaml")));
    expect([...one.keys()]).toEqual([...two.keys()]);
    for (const [file, text] of one) {
      const same = file.endsWith(".json")
        ? /"(document|section_hash)": .*/g
        : /source: "[ab]\.yaml"/g;
      expect(two.get(file)?.replace(same, "")).toBe(text.replace(same, ""));
    }
  });

  test("writes neither a clock nor a path of this machine", async () => {
    const made = await makeProject({});
    const files = await emitProject(await planProject(join(ROOT, "tools.manifest.yaml")));
    const text = [...files.values()].join("\n");
    expect(text).not.toContain(ROOT);
    expect(text).not.toContain(made.folder);
    expect(text).not.toContain(new Date().toISOString().slice(0, 10));
  });

  test("keeps hostile text as text: it compiles, runs nothing and reads back unchanged", async () => {
    const hostile =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: text that would be code in a template
      "*/ globalThis.pwned = 1; /* `${globalThis.pwned = 1}` \" ' \\ \n // </script> <!-- \u2028 \u2029 \u0000";
    const unpaired = `${hostile} \ud800`;
    const document = {
      openapi: "3.1.0",
      info: { title: hostile, version: hostile },
      servers: [{ url: "https://cells.example.org", description: hostile }],
      paths: {
        [`/cells/{cell_id}/*/"${"`"}\${globalThis.pwned=1}`]: {
          get: {
            operationId: hostile,
            "x-hidden": false,
            summary: hostile,
            description: unpaired,
            parameters: [
              { name: "cell_id", in: "path", required: true, description: unpaired, schema: {} },
              {
                name: `q"];globalThis.pwned=1;["`,
                in: "query",
                schema: { type: "string", enum: [hostile, "plain"], default: hostile },
              },
              { name: "globalThis.pwned=1", in: "path", required: true, schema: {} },
              { name: "__proto__", in: "query", schema: { type: "string" } },
            ],
            responses: {
              200: {
                description: hostile,
                content: {
                  "application/json": {
                    schema: {
                      type: "object",
                      description: hostile,
                      properties: {
                        __proto__: { type: "string", description: hostile },
                        [hostile]: { const: hostile, examples: [hostile] },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
      components: { securitySchemes: { Key: { type: "apiKey", in: "header", name: "X-Key" } } },
    };
    // A literal with __proto__ would set the prototype here already.
    const properties = `"__proto__":{"type":"string","description":"a */ b"},`;
    const text = JSON.stringify(document).replace('"properties":{', `"properties":{${properties}`);
    const manifest = manifestWith(
      `get_cell:\n  title: ${JSON.stringify(hostile)}\n  description: ${JSON.stringify(hostile)}\n  operation: ${JSON.stringify(hostile)}\n  arguments: { cell_id: {}, q: { parameter: ${JSON.stringify(`q"];globalThis.pwned=1;["`)} }, p: { parameter: __proto__ } }\n  fixed: { globalThis.pwned=1: "x" }\n`,
    );
    const project = await planManifest(manifest, text);
    const files = await emitProject(project);
    expect(typeErrors(files)).toEqual([]);

    const made = await makeProject({});
    const [tool] = await runTools(files.get("generated/cells/tools.ts") ?? "", made.folder);
    expect(tool?.title).toBe(hostile);
    expect(Object.values(tool?.inputSchema.properties ?? {})[0]).toEqual({
      type: "string",
      description: `${unpaired.replace(/\s+/g, " ")}.`,
    });
    expect(tool?.operation.operationId).toBe(hostile);
    expect(tool?.operation.parameters.map(({ name }) => name)).toEqual([
      "cell_id",
      `q"];globalThis.pwned=1;["`,
      "globalThis.pwned=1",
      "__proto__",
    ]);
    expect(tool?.arguments().safeParse({ cell_id: "1", q: hostile }).success).toBe(true);
    expect((globalThis as { pwned?: number }).pwned).toBeUndefined();
  }, 60_000);

  test("types a schema that contains itself and a 3.0 nullable", async () => {
    const document = `openapi: 3.0.3
info: { title: Cells, version: "1" }
servers: [{ url: https://cells.example.org }]
paths:
  /cells/{cell_id}:
    get:
      operationId: get_cell
      x-hidden: false
      parameters:
        - { name: cell_id, in: path, required: true, schema: { type: string } }
        - { name: size, in: query, schema: { type: integer, nullable: true, minimum: 1, maximum: 9 } }
        - { name: kind, in: query, schema: { nullable: true, allOf: [{ $ref: "#/components/schemas/Kind" }] } }
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Cell" } } } } }
components:
  securitySchemes: { Key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Kind: { type: string, enum: [pouch, coin] }
    Cell:
      type: object
      required: [id]
      properties:
        id: { type: string }
        note: { type: string, nullable: true }
        parent: { $ref: "#/components/schemas/Cell" }
        parts: { type: array, items: { $ref: "#/components/schemas/Cell" } }
    Unused: { type: object }
`;
    const manifest = GET_CELL.replace("cell_id: {}", "cell_id: {}, size: {}, kind: {}");
    const project = await planManifest(manifest, document);
    expect(project.servers[0]?.plan.tools[0]?.descriptor.inputSchema.properties).toEqual({
      cell_id: { type: "string", description: "The path parameter cell_id." },
      size: {
        type: "integer",
        minimum: 1,
        maximum: 9,
        description: "The query parameter size.",
      },
      kind: {
        type: "string",
        enum: ["pouch", "coin"],
        description: "The query parameter kind.",
      },
    });
    const files = await emitProject(project);
    const types = files.get("generated/cells/types.ts") ?? "";
    expect(types).toContain("readonly note?: string | null;");
    expect(types).toContain('readonly parent?: components["schemas"]["Cell"];');
    expect(types).not.toContain("Unused");
    const use = `import type { components } from "./types.ts";
export const cell: components["schemas"]["Cell"] = { id: "a", note: null, parts: [{ id: "b" }] };
export const wrong: components["schemas"]["Cell"] = { id: 1 };
`;
    const typed = new Map([
      ["generated/cells/types.ts", types],
      ["generated/cells/use.ts", use],
    ]);
    expect(typeErrors(typed)).toEqual([
      "generated/cells/use.ts:3 Type 'number' is not assignable to type 'string'.",
    ]);
  }, 60_000);

  test("binds client.ts to types.ts: a parameter that is gone is a compile error there", async () => {
    const files = await emitProject(await planProject(join(ROOT, "tools.manifest.yaml")));
    const types = files.get("generated/ionworks/types.ts") ?? "";
    const client = files.get("generated/ionworks/client.ts") ?? "";
    expect(types).toContain("readonly batch_id?: string;");
    const errors = (text: string) =>
      typeErrors(
        new Map([
          ["generated/ionworks/client.ts", client],
          ["generated/ionworks/types.ts", text],
        ]),
      );
    expect(errors(types)).toEqual([]);
    expect(errors(types.replace("readonly batch_id?: string;", ""))).toEqual([
      expect.stringMatching(/^generated\/ionworks\/client\.ts:\d+ .*"batch_id"/),
    ]);
  }, 60_000);
});

describe("writeFiles", () => {
  test("writes 5 files once, then none; restores 1 changed and removes 1 extra", async () => {
    const made = await makeProject({ "tools.manifest.yaml": GET_CELL, "cells.yaml": CELLS });
    const files = await emitProject(await planProject(made.manifest));
    const states = async (given: ReadonlyMap<string, string>) =>
      (await writeFiles(made.folder, given)).map(({ file, state }) => `${state} ${file}`);
    expect(await states(files)).toHaveLength(5);
    expect(await states(files)).toEqual([]);
    const edited = new Map([...files, ["generated/cells/tools.ts", "// edited\n"]]);
    edited.delete("generated/provenance.json");
    edited.set("generated/old/tools.ts", "");
    expect(await states(edited)).toEqual([
      "changed generated/cells/tools.ts",
      "missing generated/old/tools.ts",
      "extra generated/provenance.json",
    ]);
    expect(await states(files)).toEqual([
      "changed generated/cells/tools.ts",
      "extra generated/old/tools.ts",
      "missing generated/provenance.json",
    ]);
    const tools = await readFile(join(made.folder, "generated/cells/tools.ts"), "utf8");
    expect(tools).toBe(files.get("generated/cells/tools.ts"));
  });
});
