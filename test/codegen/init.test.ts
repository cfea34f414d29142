import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emitProject, planProject } from "../../codegen/generate.ts";
import { type Enable, initPackage } from "../../codegen/init/init.ts";
import { CodegenError } from "../../codegen/problems.ts";
import { compareFiles } from "../../codegen/write.ts";
import { typeErrors } from "../helpers/type-check.ts";

const SPECS = new URL("../../../shared/specs/", import.meta.url).pathname;
const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js");

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-init-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function init(source: string, enable: Enable = "reads") {
  const out = join(await makeFolder(), "package");
  const lines = await initPackage(source, { out, enable });
  const manifest = join(out, "tools.manifest.yaml");
  return { out, lines, manifest, text: await readFile(manifest, "utf8") };
}

/** Writes a document with these paths and makes a package from it. */
async function initPaths(paths: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const source = join(await makeFolder(), "cells.json");
  const document = {
    openapi: "3.1.0",
    info: { title: "Cells API", version: "1" },
    servers: [{ url: "https://cells.example.org/v1" }],
    paths,
    ...more,
  };
  await writeFile(source, JSON.stringify(document));
  return { source, ...(await init(source)) };
}

const answer = (schema: unknown) => ({
  responses: { "200": { description: "ok", content: { "application/json": { schema } } } },
});
const query = (name: string, schema: unknown, more = {}) => ({
  name,
  in: "query",
  schema,
  ...more,
});
const list = { type: "array", items: { type: "object", properties: { id: { type: "string" } } } };
const integer = { type: "integer" };

async function refusalOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
    return "";
  } catch (error) {
    if (error instanceof CodegenError) {
      return error.message;
    }
    throw error;
  }
}

describe.skipIf(!existsSync(SPECS))("initPackage over published documents", () => {
  test.each([
    ["petstore.yaml", "petstore", 6],
    ["weather-gov.yaml", "weather-gov", 30],
    ["open-meteo-forecast.yml", "open-meteo-weather-forecast", 1],
    ["optimade.json", "optimade", 9],
    ["stripe-2020.json", "stripe", 30],
  ])(
    "%s becomes the server %s, at least %i tools at once, 30 at most",
    async (file, name, least) => {
      const { out, manifest } = await init(join(SPECS, file));
      const project = await planProject(manifest);
      expect(project.servers.map((server) => server.name)).toEqual([name]);
      const count = project.servers[0]?.plan.tools.length ?? 0;
      expect(count).toBeGreaterThanOrEqual(least);
      expect(count).toBeLessThanOrEqual(30);
      expect(await compareFiles(out, await emitProject(project))).toEqual([]);
      const [copy] = (await readdir(join(out, "openapi"))).filter((one) => one !== "sources.json");
      expect(await readFile(join(out, "openapi", copy ?? ""))).toEqual(
        await readFile(join(SPECS, file)),
      );
    },
    60_000,
  );

  test.each([
    "petstore.yaml",
    "weather-gov.yaml",
    "open-meteo-forecast.yml",
    "optimade.json",
    "stripe-2020.json",
  ])(
    "%s with every operation that can be a tool: schemas compile, types hold, no inputs lost",
    async (file) => {
      const { manifest } = await init(join(SPECS, file), "all");
      const project = await planProject(manifest);
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      for (const { descriptor } of project.servers.flatMap(({ plan }) => plan.tools)) {
        expect(descriptor.name).toMatch(/^[a-z][a-z0-9_]{2,47}$/);
        ajv.compile(descriptor.inputSchema);
        ajv.compile(descriptor.outputSchema);
        const sent = descriptor.operation.parameters.filter((one) => one.argument !== undefined);
        const names = Object.keys(descriptor.inputSchema.properties as object);
        expect(descriptor.operation.path.match(/\{/g)?.length ?? 0).toBeLessThanOrEqual(
          sent.length,
        );
        expect(names.length).toBeGreaterThanOrEqual(sent.length === 0 ? 0 : 1);
      }
      if (file !== "stripe-2020.json") {
        expect(typeErrors(await emitProject(project))).toEqual([]);
      }
    },
    120_000,
  );
});

describe("initPackage", () => {
  test("puts lists before single records, pages them by offset and limit, and gives 3 paths a tool", async () => {
    const { text } = await initPaths({
      "/cells/{cell_id}": {
        get: {
          operationId: "getCell",
          parameters: [{ name: "cell_id", in: "path", required: true, schema: { type: "string" } }],
          ...answer({ type: "object", properties: { id: { type: "string" } } }),
        },
      },
      "/cells": {
        get: {
          operationId: "cells",
          description: "Cells with their capacity in A.h. They are sorted by name.",
          parameters: [
            query("skip", integer),
            query("per_page", integer),
            query("name", { type: "string" }),
          ],
          ...answer({ type: "object", properties: { data: list, total_count: integer } }),
        },
      },
      "/start": {
        get: {
          operationId: "read_start",
          parameters: [query("start", { type: "string", format: "date" }), query("limit", integer)],
          ...answer({ type: "object", properties: { text: { type: "string" } } }),
        },
      },
    });
    const tools = text.slice(text.indexOf("tools:\n"));
    expect(tools).toBe(`tools:
      list_cells:
        operation: cells
        title: List cells
        description: Cells with their capacity in A.h. They are sorted by name.
        arguments:
          name: {}
        result: { kind: page, items: /data, total: /total_count, pagination: { offset: skip, limit: per_page } }

      read_start:
        operation: read_start
        title: Read start
        description: Answers GET /start. The document says no more about it.
        arguments:
          start: {}
          limit: {}

      get_cell:
        operation: getCell
        title: Get cell
        description: Answers GET /cells/{cell_id}. The document says no more about it.
        arguments:
          cell_id: {}
`);
  });

  test("enables 30 of 33 reads and keeps the others as 1 line each that only need enabling", async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 33 }, (_, index) => [
        `/things/${index}/all`,
        {
          get: { operationId: `getThing${index}`, parameters: [query("name", {})], ...answer({}) },
        },
      ]),
    );
    const { manifest, text } = await initPaths(paths);
    expect(text.match(/^ {6}\w+: \{ enabled: false, .*\}$/gm)?.length).toBe(3);
    expect((await planProject(manifest)).servers[0]?.plan.tools.length).toBe(30);
    await writeFile(manifest, text.replaceAll("enabled: false, ", ""));
    expect((await planProject(manifest)).servers[0]?.plan.tools.length).toBe(33);
  });

  test("does not enable what asks for a password, is deprecated or is meant for nobody", async () => {
    const { manifest, text } = await initPaths({
      "/login": {
        get: { operationId: "login", parameters: [query("password", {})], ...answer({}) },
      },
      "/old": { get: { operationId: "get_old", deprecated: true, ...answer({}) } },
      "/internal": { get: { operationId: "get_internal", "x-internal": true, ...answer({}) } },
      "/new": { get: { operationId: "get_new", ...answer({}) } },
    });
    const tools = (await planProject(manifest)).servers[0]?.plan.tools;
    expect(tools?.map(({ descriptor }) => descriptor.name)).toEqual(["get_new"]);
    expect(text).toContain("login: { enabled: false");
    expect(text).toContain("get_old: { enabled: false");
    expect(text).not.toContain("internal");
  });

  test("refuses 1 of 2 operations whose schema leads nowhere, and says so above its line", async () => {
    const { manifest, text } = await initPaths({
      "/bad": { get: { operationId: "get_bad", ...answer({ $ref: "#/components/schemas/Gone" }) } },
      "/good": { get: { operationId: "get_good", ...answer({}) } },
    });
    expect((await planProject(manifest)).servers[0]?.plan.tools.length).toBe(1);
    expect(text).toMatch(/# cannot be a tool: the reference .* leads nowhere .*\n {6}get_bad: \{/);
  });

  test("gives names that differ to operations without ids and to ids that stand twice", async () => {
    const { text } = await initPaths({
      "/a/{x}": {
        get: answer({}),
        parameters: [{ name: "x", in: "path", required: true, schema: {} }],
      },
      "/b": { get: { operationId: "twice", ...answer({}) } },
      "/c": { get: { operationId: "twice", ...answer({}) } },
    });
    expect(text.match(/^ {6}[a-z]\w*:$/gm)).toEqual([
      "      get_twice:",
      "      get_twice_2:",
      "      get_a_by_x:",
    ]);
    expect(text).toContain("operation: GET /c");
  });

  test("asks for a credential that every operation demands, and knows where it travels", async () => {
    const { manifest } = await initPaths(
      { "/cells": { get: { operationId: "get_cells", ...answer({}) } } },
      {
        security: [{ Key: [] }],
        components: { securitySchemes: { Key: { type: "apiKey", in: "header", name: "X-Key" } } },
      },
    );
    const { credentials } =
      (await planProject(manifest)).servers[0]?.plan.descriptor.upstream ?? {};
    expect(credentials).toEqual([
      { name: "Key", variable: "CELLS_API_KEY", in: "header", parameter: "X-Key" },
    ]);
  });

  test("keeps texts of a hostile document in their place", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text that looks like code
    const hostile = 'x"\n  evil: true # */ ${1+1} `id` \u202e </script>';
    const { manifest, text } = await initPaths(
      {
        "/cells": {
          get: {
            operationId: "__proto__",
            summary: hostile,
            parameters: [query("constructor", { type: "string" }, { description: hostile })],
            ...answer({ $ref: `#/nowhere/${hostile}` }),
          },
        },
      },
      { info: { title: hostile, version: "1", description: hostile } },
    );
    expect((await planProject(manifest)).servers[0]?.plan.tools).toEqual([]);
    expect(text).not.toMatch(/^\s*evil:/m);
  });

  test("overwrites nothing: a second run is refused and all 12 files stay", async () => {
    const { source, out, manifest } = await initPaths({
      "/cells": { get: { operationId: "get_cells", ...answer({}) } },
    });
    await writeFile(manifest, "mine");
    const before = await readdir(out, { recursive: true });
    const entries = await readdir(out, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile()).length).toBe(12);
    expect(await refusalOf(initPackage(source, { out, enable: "all" }))).toContain(
      "tools.manifest.yaml exist already; nothing was written\n  hint: choose another folder",
    );
    expect(await readFile(manifest, "utf8")).toBe("mine");
    expect(await readdir(out, { recursive: true })).toEqual(before);
    expect(await readdir(join(out, ".."))).toEqual(["package"]);
  });

  test.each([
    ["nowhere.yaml", {}, "nowhere.yaml:1:1  the document cannot be read: there is no such file"],
    ["x", { name: "Not A Name" }, '--name:1:1  "Not A Name" is no name'],
    ["x", { baseUrl: "ftp://x" }, '--base-url:1:1  "ftp://x" is no http or https address'],
  ])("refuses %s with %j before anything is written", async (source, options, message) => {
    const out = join(await makeFolder(), "package");
    expect(await refusalOf(initPackage(source, { out, enable: "reads", ...options }))).toContain(
      message,
    );
    expect(existsSync(out)).toBe(false);
  });
});
