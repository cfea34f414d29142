import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { PROGRAM, type SpawnedServer, spawnServer } from "../helpers/spawned-server.ts";

// The demo keeps its data where the user keeps caches.
const env = { HOME: process.env.HOME ?? "", XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? "" };
const spawnDemo = () => spawnServer({ args: ["--demo"], env });

function call(server: SpawnedServer, name: string, args: object, meta: object = {}) {
  return server.request("tools/call", { name, arguments: args, _meta: meta });
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

describe("ionworks-mcp --demo", () => {
  test("says in title and instructions that its data are synthetic, within 2,048 characters", async () => {
    const { result } = await spawnDemo().initialize();
    expect(result.serverInfo.title).toContain("synthetic demo data");
    expect(result.instructions).toContain("synthetic demo data");
    expect(result.instructions.length).toBeLessThan(2048);
  });

  test("lists its tools before the embedded API has answered the first call", async () => {
    const server = spawnDemo();
    await server.initialize();
    const called = server.ask("tools/call", { name: "discover_capabilities", arguments: {} });
    const listed = server.ask("tools/list");
    const { result } = await server.answer(called);
    expect(result.structuredContent.domain_context.synthetic).toBe(true);
    expect(result._meta["vitrine/cost"].requests).toBe(1);
    expect(server.lines.map(({ json }) => json.id)).toEqual([1, listed, called]);
  });

  test("does not use the settings of the user's own account", async () => {
    const server = spawnServer({
      args: ["--demo"],
      env: { ...env, IONWORKS_API_URL: "http://127.0.0.1:9", IONWORKS_API_KEY: "own" },
    });
    await server.initialize();
    const { result } = await call(server, "list_cell_specs", { limit: 1 });
    expect(result.structuredContent.count).toBe(1);
  });

  test("tells how far a table is read to a client that asks, in growing numbers", async () => {
    const server = spawnDemo();
    await server.initialize();
    const items = async (name: string, args: object) =>
      (await call(server, name, args)).result.structuredContent.items;
    const [spec] = await items("list_cell_specs", { name: "NMC622" });
    const [instance] = await items("list_cell_instances", { cell_spec_id: spec.id });
    const [measurement] = await items("list_measurements", {
      cell_instance_id: instance.id,
      name: "ageing",
    });
    const { result } = await call(
      server,
      "get_measurement_time_series",
      { measurement_id: measurement.id, columns: ["Voltage [V]"], sample: 500 },
      { progressToken: "p" },
    );
    expect(result.structuredContent.total_rows).toBeGreaterThanOrEqual(1_000_000);
    const told = server.lines
      .filter(({ json }) => json.method === "notifications/progress")
      .map(({ json }) => json.params);
    expect(told.length).toBeGreaterThan(0);
    expect(told.every(({ progressToken }) => progressToken === "p")).toBe(true);
    const progress = told.map((params) => params.progress);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    expect(server.lines.at(-1)?.json.result).toBeDefined();
  });

  test.runIf(process.platform === "linux").each(["SIGKILL", "SIGTERM"] as const)(
    "takes the embedded API with it when it ends by %s",
    async (signal) => {
      const server = spawnDemo();
      await server.initialize();
      await call(server, "discover_capabilities", {});
      const children = childrenOf(server.child.pid ?? 0);
      expect(children).toHaveLength(1);
      server.child.kill(signal);
      await server.exit;
      for (let waited = 0; children.some(alive) && waited < 5_000; waited += 50) {
        await after(50);
      }
      expect(children.some(alive)).toBe(false);
    },
  );

  test("whose embedded API cannot start answers every call with UPSTREAM_UNAVAILABLE", async () => {
    const dist = copyOfDist();
    await unlink(join(dist, "demo.mjs"));
    const server = spawnServer({ args: ["--demo"], env, program: join(dist, "ionworks-mcp.js") });
    await server.initialize();
    for (const _ of [1, 2]) {
      const { result } = await call(server, "discover_capabilities", {});
      expect(JSON.parse(result.content[0].text).error).toEqual({
        code: "UPSTREAM_UNAVAILABLE",
        message: "The embedded API did not start",
        hint: "Restart the server; its log says why the embedded API ended",
      });
    }
    expect(server.stderr).toContain("did not start");
  });
});

function copyOfDist(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-dist-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(dirname(PROGRAM), folder, { recursive: true });
  return folder;
}

describe("the code cache", () => {
  test.each([
    ["missing", (path: string) => unlink(path)],
    ["of another Node", async (path: string) => writeFileSync(path, Buffer.alloc(200_000, 7))],
    ["empty", async (path: string) => writeFileSync(path, "")],
  ])("%s makes no difference to the answers", async (_, spoil) => {
    const dist = copyOfDist();
    const [name = ""] = (await readdir(dist)).filter((file) => file.endsWith(".cache"));
    await spoil(join(dist, name));
    const server = spawnServer({ program: join(dist, "ionworks-mcp.js") });
    await server.initialize();
    expect((await server.request("tools/list")).result.tools).toHaveLength(15);
    server.endInput();
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(server.stderr).toBe("");
  });
});
