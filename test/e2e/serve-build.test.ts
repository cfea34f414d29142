import { spawnSync } from "node:child_process";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CELLS, makeProject, manifestWith, WORDS } from "../helpers/manifest-project.ts";
import { fault, startFaultServer } from "../helpers/fault-server.ts";
import { spawnServer } from "../helpers/spawned-server.ts";

const VITRINE = new URL("../../dist/vitrine.js", import.meta.url).pathname;

const CURVE = `  /cells/{cell_id}/curve:
    parameters:
      - { name: cell_id, in: path, required: true, schema: { type: string } }
    get:
      operationId: get_curve
      x-hidden: false
      responses: { "200": { description: ok, content: { application/json: { schema: { type: object } } } } }
components:`;

const MANIFEST =
  manifestWith(`get_cell: { ${WORDS}, operation: get_cell, arguments: { cell_id: {} } }
get_curve: { ${WORDS}, operation: get_curve, arguments: { cell_id: {} }, result: { kind: table, format: json-columns, units: column-names } }
`);

const makeCells = () =>
  makeProject({
    "tools.manifest.yaml": MANIFEST,
    "cells.yaml": CELLS.replace("components:", CURVE),
  });

function vitrine(cwd: string, ...args: string[]) {
  return spawnSync(process.execPath, [VITRINE, ...args], { cwd, encoding: "utf8" });
}

async function startCells() {
  const api = await startFaultServer({
    "/cells/A1": fault.json({ id: "A1" }),
    "/cells/A1/curve": fault.json({ "Voltage [V]": [4.2, 3.7, 2.5], "Time [s]": [0, 10, 20] }),
  });
  onTestFinished(() => api.close());
  return api;
}

/** Asks for one record and one table. */
async function walk(server: ReturnType<typeof spawnServer>) {
  await server.initialize();
  const list = await server.request("tools/list");
  const cell = await server.request("tools/call", {
    name: "get_cell",
    arguments: { cell_id: "A1" },
  });
  const curve = await server.request("tools/call", {
    name: "get_curve",
    arguments: { cell_id: "A1", where: [{ column: "Voltage [V]", op: "<", value: "4" }] },
  });
  server.endInput();
  return {
    tools: list.result.tools.map(({ name }: { name: string }) => name),
    cell: cell.result.structuredContent,
    rows: curve.result.structuredContent.rows,
    exit: await server.exit,
  };
}

const WALKED = {
  tools: ["get_cell", "get_curve"],
  cell: { id: "A1" },
  rows: [
    { "Voltage [V]": 3.7, "Time [s]": 10 },
    { "Voltage [V]": 2.5, "Time [s]": 20 },
  ],
  exit: { code: 0, signal: null },
};

describe("vitrine serve", () => {
  test("answers a record and 2 of 3 rows of a table from a manifest anywhere", async () => {
    const [{ manifest }, api] = await Promise.all([makeCells(), startCells()]);
    const args = ["serve", "--manifest", manifest, "--base-url", api.url];
    expect(await walk(spawnServer({ program: VITRINE, args, env: { CELLS_KEY: "key" } }))).toEqual(
      WALKED,
    );
    expect(api.count()).toBe(2);
  });

  test("takes the server's own options, refuses unknown ones with exit code 2", async () => {
    const { folder } = await makeCells();
    const settings = vitrine(folder, "serve", "--timeout-ms=7000", "--print-config");
    expect(settings.status).toBe(0);
    expect(settings.stdout).toMatch(/^timeout-ms +7000 +command line$/m);
    const unknown = vitrine(folder, "serve", "--timeout", "7");
    expect(unknown).toMatchObject({ status: 2, stdout: "" });
    expect(unknown.stderr).toBe(
      'cells-mcp: unknown argument "--timeout"; did you mean --timeout-ms?\n',
    );
  });

  test("asks for one name where a manifest has 2 servers, exit code 2", async () => {
    const two = MANIFEST + MANIFEST.replace("servers:\n", "").replace("  cells:", "  other:");
    const { folder } = await makeProject({
      "tools.manifest.yaml": two,
      "cells.yaml": CELLS.replace("components:", CURVE),
    });
    const run = vitrine(folder, "serve");
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toBe(
      "vitrine: the manifest has several servers, name one with --server: cells, other\n",
    );
  });

  test("tells what is wrong with a manifest, exit code 1", async () => {
    const { folder } = await makeProject({
      "tools.manifest.yaml": MANIFEST.replace("operation: get_cell,", "operation: get_cel,"),
      "cells.yaml": CELLS.replace("components:", CURVE),
    });
    const run = vitrine(folder, "serve");
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr).toContain('operation "get_cel" does not exist');
  });
});

describe("vitrine build", () => {
  test("writes 1 file that serves record and table without document and packages", async () => {
    const [{ folder }, api] = await Promise.all([makeCells(), startCells()]);
    const built = vitrine(folder, "build", "--out", "cells.mjs");
    expect(built).toMatchObject({ status: 0, stderr: "" });
    expect(built.stdout).toMatch(/^cells\.mjs: 2 tools, \d+ bytes; node cells\.mjs starts it\n$/);
    const apart = join(folder, "apart");
    await mkdir(apart);
    await rename(join(folder, "cells.mjs"), join(apart, "cells.mjs"));
    await Promise.all(["cells.yaml", "tools.manifest.yaml"].map((name) => rm(join(folder, name))));
    const program = join(apart, "cells.mjs");
    const env = { CELLS_KEY: "key", CELLS_URL: api.url };
    expect(await walk(spawnServer({ program, env }))).toEqual(WALKED);
    expect(await readdir(apart)).toEqual(["cells.mjs"]);
  });

  test("names the file after the program, and says where it cannot write, exit code 1", async () => {
    const { folder } = await makeCells();
    expect(vitrine(folder, "build").status).toBe(0);
    expect(await readdir(folder)).toContain("cells-mcp.mjs");
    const run = vitrine(folder, "build", "--out", "nowhere/cells.mjs");
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr).toBe(
      "nowhere/cells.mjs:1:1  the server cannot be written: ENOENT\n1 problem\n",
    );
  });
});
