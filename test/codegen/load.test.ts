import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadDocument } from "../../codegen/load.ts";
import { CodegenError } from "../../codegen/problems.ts";
import { makeProject } from "../helpers/manifest-project.ts";

const PETS = 'openapi: 3.0.4\ninfo: { title: Pets, version: "1" }\npaths:\n  /pets:\n    get: {}\n';

/** Serves one answer on a real socket. */
async function serve(status: number, body: string): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/openapi.yaml`, asked: () => asked };
}

async function refusal(source: string, folder: string): Promise<string> {
  return loadDocument(source, { folder }).then(
    () => "",
    (error: unknown) => (error instanceof CodegenError ? error.message : String(error)),
  );
}

describe("loadDocument", () => {
  test("reads YAML and JSON alike, with the place of every part", async () => {
    const { folder } = await makeProject({
      "pets.yaml": PETS,
      "pets.json": `{\n  "openapi": "3.1.1",\n  "info": {},\n  "paths": {\n    "/pets": {"get": {}}\n  }\n}`,
    });
    const yaml = await loadDocument("pets.yaml", { folder });
    const json = await loadDocument("pets.json", { folder });
    expect(yaml.json.paths).toEqual(json.json.paths);
    expect(yaml.locate("/paths/~1pets/get")).toEqual({ line: 5, column: 5 });
    expect(json.locate("/paths/~1pets/get")).toEqual({ line: 5, column: 15 });
    expect(json.locate("/paths/~1pets/get/parameters/0")).toEqual({ line: 5, column: 15 });
  });

  test("keeps members called __proto__ as members", async () => {
    const { folder } = await makeProject({ "a.yaml": `${PETS}x-a: { __proto__: { evil: 1 } }\n` });
    const { json } = await loadDocument("a.yaml", { folder });
    expect(Object.keys(json["x-a"] as object)).toEqual(["__proto__"]);
    expect((json["x-a"] as { evil?: number }).evil).toBeUndefined();
  });

  test("fetches a document behind a URL with 1 request", async () => {
    const { url, asked } = await serve(200, PETS);
    expect((await loadDocument(url)).json.openapi).toBe("3.0.4");
    expect(asked()).toBe(1);
  });

  test.each([
    ["HTTP 503", 503, "", "the document cannot be read: the answer is HTTP 503"],
    ["a page", 200, "<html>: [", "the document cannot be parsed: "],
  ])("refuses %s behind a URL", async (_, status, body, message) => {
    const { url } = await serve(status, body);
    expect(await refusal(url, ".")).toContain(`${url}:1:`);
    expect(await refusal(url, ".")).toContain(message);
  });

  test.each([
    [
      "a file that is not there",
      undefined,
      "a.yaml:1:1  the document cannot be read: there is no such file",
    ],
    ["a list", "- 1\n", "a.yaml:1:1  the document is not an object"],
    [
      "OpenAPI 2.0",
      'info: {}\nswagger: "2.0"\n',
      "a.yaml:2:1  OpenAPI 2.0 is not supported\n  hint: convert it to OpenAPI 3.0 or 3.1",
    ],
    [
      "OpenAPI 4.0.0",
      "openapi: 4.0.0\npaths: {}\n",
      'a.yaml:1:1  OpenAPI "4.0.0" is not supported\n  hint: openapi: 3.0.x and 3.1.x are read',
    ],
    [
      "no version",
      "paths: {}\n",
      "a.yaml:1:1  the document does not say its OpenAPI version\n  hint: openapi: 3.0.x and 3.1.x are read",
    ],
    ["no paths", "openapi: 3.1.0\n", "a.yaml:1:1  the document has no paths"],
    [
      "an anchor in itself",
      "openapi: 3.1.0\npaths: &a { b: *a }\n",
      "a.yaml:1:1  the document cannot be parsed: an anchor contains its own alias",
    ],
    [
      "an alias without anchor",
      "openapi: 3.1.0\npaths: *gone\n",
      "a.yaml:1:1  the document cannot be parsed: Unresolved alias (the anchor must be set before the alias): gone",
    ],
  ])("refuses %s with its place", async (_, text, message) => {
    const { folder } = await makeProject(text === undefined ? {} : { "a.yaml": text });
    expect(await refusal("a.yaml", folder)).toBe(message);
  });

  test("takes allowed files into the document, their own references included", async () => {
    const { folder } = await makeProject({
      "a.yaml": `${PETS}components: { schemas: { A: { $ref: "b.yaml#/B" }, C: { $ref: "c.yaml" } } }\n`,
      "b.yaml": "B: { properties: { next: { $ref: '#/D' } } }\nD: { type: string }\n",
    });
    const { json } = await loadDocument("a.yaml", { folder, externals: ["b.yaml"] });
    expect(json.components).toEqual({
      schemas: { A: { $ref: "#/x-external/b.yaml/B" }, C: { $ref: "c.yaml" } },
    });
    expect(json["x-external"]).toEqual({
      "b.yaml": {
        B: { properties: { next: { $ref: "#/x-external/b.yaml/D" } } },
        D: { type: "string" },
      },
    });
  });

  test("names an allowed file that is not there", async () => {
    const { folder } = await makeProject({});
    await writeFile(join(folder, "a.yaml"), PETS);
    const loading = loadDocument("a.yaml", { folder, externals: ["gone.yaml"] });
    await expect(loading).rejects.toThrow(
      "gone.yaml:1:1  the document cannot be read: there is no such file",
    );
  });
});
