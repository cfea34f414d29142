import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CELLS, makeProject, manifestWith, WORDS } from "../helpers/manifest-project.ts";

const CLI = join(import.meta.dirname, "..", "..", "codegen", "cli.ts");
const TSX = import.meta.resolve("tsx");

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `vitrine` from source. */
function vitrine(args: readonly string[], cwd = process.cwd()): Promise<Run> {
  const child = spawn(process.execPath, ["--import", TSX, CLI, ...args], { cwd });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}

const TWO_TOOLS =
  manifestWith(`get_cell: { ${WORDS}, operation: get_cell, arguments: { cell_id: {} } }
list_cells: { title: List, description: "Cells of one project; see get_cels for more about one of them.", operation: list_cells, arguments: { project_id: {}, name: {} } }
`);

const project = (manifest = TWO_TOOLS, document = CELLS) =>
  makeProject({ "tools.manifest.yaml": manifest, "cells.yaml": document });

describe("vitrine", () => {
  test.each([
    [[], "vitrine: a command is missing: init, generate, check, inspect, serve, build\n"],
    [["generte"], 'vitrine: unknown command "generte", did you mean generate?\n'],
    [
      ["generate", "--manifset", "a"],
      "vitrine: generate has no option --manifset, did you mean --manifest?\n",
    ],
    [["generate", "now"], 'vitrine: unexpected argument "now" after generate\n'],
    [["inspect", "--format", "yaml"], 'vitrine: --format must be text, json, not "yaml"\n'],
    [["inspect", "--manifest"], "vitrine: --manifest needs a value\n"],
  ])("answers %j with 1 line on stderr and exit code 2", async (args, stderr) => {
    expect(await vitrine(args)).toEqual({ code: 2, stdout: "", stderr });
  });

  test("prints its help and its version with exit code 0", async () => {
    const [help, version] = await Promise.all([vitrine(["--help"]), vitrine(["--version"])]);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/^vitrine: [\s\S]*generate[\s\S]*check[\s\S]*inspect/);
    expect(version).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
  });
});

describe("vitrine generate", () => {
  test("names 5 new files and the list's size, then says that nothing changed", async () => {
    const { folder } = await project();
    const first = await vitrine(["generate"], folder);
    expect(first.code).toBe(0);
    const lines = first.stdout.trimEnd().split("\n");
    expect(lines.slice(0, 5)).toEqual(
      [
        "cells/client.ts",
        "cells/server.ts",
        "cells/tools.ts",
        "cells/types.ts",
        "provenance.json",
      ].map((file) => `new      generated/${file}`),
    );
    expect(lines[5]).toMatch(
      /^cells: 2 tools, \d{3,4} of 16384 bytes, about \d{3} tokens \(bytes \/ 4\)$/,
    );
    const second = await vitrine(["generate"], folder);
    expect(second.stdout.split("\n")[0]).toBe("nothing changed: 5 files are current");
    const provenance = JSON.parse(
      await readFile(join(folder, "generated/provenance.json"), "utf8"),
    );
    expect(provenance.generator).toBe("vitrine 0.1.0");
    expect(provenance.inputs.cells.document).toBe("cells.yaml");
  });

  test("writes nothing while there is a problem, and exits 1", async () => {
    const { folder } = await project(
      TWO_TOOLS.replace("operation: get_cell", "operation: get_cel"),
    );
    const run = await vitrine(["generate"], folder);
    expect(run.code).toBe(1);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(
      /^tools\.manifest\.yaml:17:\d+ {2}operation "get_cel" .*\n {2}hint: .*\n1 problem\n$/,
    );
    await expect(readFile(join(folder, "generated/provenance.json"))).rejects.toThrow("ENOENT");
  });
});

describe("vitrine inspect", () => {
  test("shows 2 tools with their bytes, and 3 warnings: a flaw, a deprecated operation, a word that is no tool", async () => {
    const document = CELLS.replace(
      "operationId: list_cells",
      "operationId: list_cells\n      deprecated: true",
    ).concat('    Broken: { $ref: "#/components/schemas/Nowhere" }\n');
    const { folder } = await project(TWO_TOOLS, document);
    const [text, json] = await Promise.all([
      vitrine(["inspect"], folder),
      vitrine(["inspect", "--server", "cells", "--format", "json"], folder),
    ]);
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(
      /\nget_cell {2}\d+ bytes, about \d+ tokens\n {2}GET \/cells\/\{cell_id\} -> record\n/,
    );
    expect(text.stdout).toContain("  arguments: project_id*, name\n");
    expect(text.stdout.match(/warning: /g)).toHaveLength(3);
    const report = JSON.parse(json.stdout);
    expect(report.servers[0].tools.map(({ name }: { name: string }) => name)).toEqual([
      "get_cell",
      "list_cells",
    ]);
    expect(report.servers[0].tools[1].warnings).toEqual([
      '"get_cels" is no tool, did you mean "get_cell"?',
      "GET /cells is deprecated",
    ]);
    expect(report.warnings).toHaveLength(1);
    const bytes = report.servers[0].tools.map((tool: { bytes: number }) => tool.bytes);
    // `{"tools":[` and `]}` and one comma around the entries.
    expect(report.servers[0].bytes).toBe(bytes[0] + bytes[1] + 13);
  });

  test("answers a server that is not in the manifest with exit code 2", async () => {
    const { folder } = await project();
    expect(await vitrine(["inspect", "--server", "cell"], folder)).toEqual({
      code: 2,
      stdout: "",
      stderr: 'vitrine: the manifest has no server "cell": it has cells\n',
    });
  });
});
