import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { type CheckResult, runCheck } from "../../codegen/check.ts";
import { emitProject, planProject } from "../../codegen/generate.ts";
import { writeFiles } from "../../codegen/write.ts";
import { ionworksDocument, type LooseDocument } from "../helpers/ionworks-plan.ts";
import { makeSmallProject, type SmallProject } from "../helpers/small-project.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function project(committed: LooseDocument = ionworksDocument()): Promise<SmallProject> {
  const made = await makeSmallProject(committed);
  closers.push(() => made.remove());
  return made;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const checkFiles = ({ manifest }: SmallProject): Promise<CheckResult> =>
  runCheck({ manifest, format: "json" });
const checkAgainst = ({ manifest }: SmallProject, against: string): Promise<CheckResult> =>
  runCheck({ manifest, against, format: "json" });

async function generate({ manifest }: SmallProject): Promise<void> {
  const planned = await planProject(manifest);
  await writeFiles(planned.root, await emitProject(planned));
}

describe("runCheck of generated files", () => {
  test("names 5 missing files, then none after generate, then 1 changed, 1 missing and 1 extra", async () => {
    const made = await project();
    const first = await checkFiles(made);
    expect(first.exitCode).toBe(1);
    expect(JSON.parse(first.output).stale).toHaveLength(5);

    await generate(made);
    expect(await checkFiles(made)).toEqual({
      exitCode: 0,
      error: "",
      output: `${JSON.stringify({ stale: [], findings: [] }, null, 2)}\n`,
    });

    const folder = join(made.root, "generated", "cells");
    await appendFile(join(folder, "tools.ts"), "// edited\n");
    await rm(join(folder, "client.ts"));
    await writeFile(join(folder, "old.ts"), "");
    const third = await checkFiles(made);
    expect(third.exitCode).toBe(1);
    expect(JSON.parse(third.output).stale).toEqual([
      { file: "generated/cells/client.ts", state: "missing" },
      { file: "generated/cells/old.ts", state: "extra" },
      { file: "generated/cells/tools.ts", state: "changed" },
    ]);
  });

  test("is current for a document whose members stand in another order", async () => {
    const made = await project();
    await generate(made);
    const document = ionworksDocument();
    document.paths = Object.fromEntries(Object.entries(document.paths).reverse());
    await made.write("document.json", document);
    expect((await checkFiles(made)).exitCode).toBe(0);
  });

  test("a manifest that cannot be generated is exit 2 with its place", async () => {
    const made = await project();
    await appendFile(made.manifest, "    tolls: {}\n");
    const result = await checkFiles(made);
    expect([result.exitCode, result.output]).toEqual([2, ""]);
    expect(result.error).toMatch(
      /tools\.manifest\.yaml:\d+:5 {2}unknown key "tolls"\n {2}hint: did you mean "tools"\?/,
    );
  });
});

describe("runCheck against another document", () => {
  test("JSON and YAML of the same document are no difference, exit 0", async () => {
    const made = await project();
    const yaml = await made.write("next.yaml", stringify(ionworksDocument()));
    const result = await checkAgainst(made, yaml);
    expect(result).toEqual({
      exitCode: 0,
      error: "",
      output: `${JSON.stringify({ stale: [], findings: [] }, null, 2)}\n`,
    });
  });

  test("an operation that the manifest names by path may change its operationId", async () => {
    const made = await project();
    const next = ionworksDocument();
    next.paths["/materials/{material_id}"].get.operationId = "read_material";
    const result = await checkAgainst(made, await made.write("next.json", next));
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.output).findings).toEqual([
      {
        level: "note",
        tool: "get_material",
        operation: "get_material",
        pointer: "/paths/~1materials~1{material_id}/get",
        message: "operation renamed from get_material to read_material",
      },
    ]);
  });

  test("a URL is read with one request", async () => {
    const made = await project();
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.end(JSON.stringify(ionworksDocument()));
    });
    expect((await checkAgainst(made, `${url}/openapi.json`)).exitCode).toBe(0);
    expect(requests).toBe(1);
  });

  test.each<[string, RequestListener, RegExp]>([
    ["404", (_, response) => response.writeHead(404).end("{}"), /HTTP 404/],
    [
      "a page",
      (_, response) => response.end("<html><body>hi</body></html>"),
      /parsed|not an object/,
    ],
    ["an empty body", (_, response) => response.end(), /not an object/],
    ["a list", (_, response) => response.end("[]"), /not an object/],
    ["JSON of something else", (_, response) => response.end("{}"), /OpenAPI version/],
    ["Swagger 1", (_, response) => response.end('{"swagger":"1.2"}'), /not supported/],
    ["a dropped connection", (_, response) => response.destroy(), /cannot be read/],
  ])(
    "a URL that answers %s is exit 2 without the query of the URL",
    async (_title, listener, said) => {
      const made = await project();
      const result = await checkAgainst(made, `${await serve(listener)}/openapi.json?sig=s3cret`);
      expect([result.exitCode, result.output]).toEqual([2, ""]);
      expect(result.error).toMatch(said);
      expect(result.error).not.toContain("s3cret");
    },
  );

  test("a document that never ends is cut off", async () => {
    const made = await project();
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const url = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) {
          // Until the socket is full.
        }
      };
      response.on("drain", more);
      more();
    });
    const result = await checkAgainst(made, url);
    expect(result.exitCode).toBe(2);
    expect(result.error).toMatch(/larger than \d+ bytes/);
  });

  test.each([
    ["a file that is not there", "/nowhere/openapi.json", /no such file/],
    [
      "a scheme that is not http",
      "ftp://example.org/openapi.json",
      /--against takes a file or an http/,
    ],
    ["a port where nobody listens", "http://127.0.0.1:9/openapi.json", /cannot be read/],
  ])("%s is exit 2", async (_title, against, said) => {
    const result = await checkAgainst(await project(), against);
    expect([result.exitCode, result.output]).toEqual([2, ""]);
    expect(result.error).toMatch(said);
  });

  test("a server that the manifest does not have is exit 2 and names the nearest", async () => {
    const { manifest } = await project();
    const result = await runCheck({ manifest, server: "cell", format: "text" });
    expect(result.exitCode).toBe(2);
    expect(result.error).toMatch(/has no server "cell": did you mean "cells"\?\n$/);
  });

  test("two servers and no --server is exit 2 and names both", async () => {
    const made = await project();
    const text = await readFile(made.manifest, "utf8");
    const second = text
      .replace("servers:\n", "")
      .replace("  cells:", "  more:")
      .replace("cells-mcp", "more-mcp");
    await writeFile(made.manifest, `${text}${second}`);
    const result = await checkAgainst(made, join(made.root, "document.json"));
    expect(result.exitCode).toBe(2);
    expect(result.error).toMatch(/--against needs --server: .* has cells, more\n$/);
    const chosen = await runCheck({
      manifest: made.manifest,
      server: "more",
      against: join(made.root, "document.json"),
      format: "json",
    });
    expect(chosen.exitCode).toBe(0);
  });

  test("a member called __proto__ and a $ref to itself end in a finding", async () => {
    const made = await project();
    const next = JSON.stringify(ionworksDocument()).replace(
      '"Material":{',
      '"Loop":{"$ref":"#/components/schemas/Loop"},"Material":{"__proto__":{"$ref":"#/components/schemas/Loop"},',
    );
    const result = await checkAgainst(made, await made.write("next.json", next));
    expect(result.exitCode).toBe(1);
    const { findings } = JSON.parse(result.output);
    expect(new Set(findings.map(({ message }: LooseDocument) => message))).toEqual(
      new Set([
        'the reference "#/components/schemas/Loop" leads back to itself: no tool can be generated from it',
      ]),
    );
  });
});
