import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { PROGRAM } from "../helpers/spawned-server.ts";

const PACKAGE = "@modelcontextprotocol/inspector";
const VERSION = "2.12.0";

/** 111 MB that nothing else needs: it is installed once, outside the project, where somebody asks for it. */
const asked = process.env.CI !== undefined || process.env.VITRINE_INSPECTOR === "1";
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const folder = join(cache, "vitrine", `inspector-${VERSION}`);
const launcher = join(folder, "node_modules", PACKAGE, "clients/launcher/build/index.js");

function inspect(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [launcher, "--cli", process.execPath, PROGRAM, "--demo", ...args],
    { env: { ...process.env, MCP_INSPECTOR_SECRET_STORE: "memory" }, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

describe.skipIf(!asked)("Inspector's command line", () => {
  beforeAll(() => {
    if (!existsSync(launcher)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), '{"private": true}\n');
      // Its declared Node is newer than what its command line needs.
      const install = ["i", "--force", "--ignore-scripts", "--no-audit", "--no-fund"];
      execFileSync("npm", [...install, `${PACKAGE}@${VERSION}`], { cwd: folder, stdio: "ignore" });
    }
  }, 300_000);

  test("lists 15 tools", () => {
    const { status, stdout } = inspect("--method", "tools/list", "--format", "json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout).tools ?? JSON.parse(stdout).result.tools).toHaveLength(15);
  });

  test.each(["legacy", "modern"])("finds no schema that a host would refuse, era %s", (era) => {
    const { status, stdout, stderr } = inspect(
      "--protocol-era",
      era,
      "--method",
      "tools/list",
      "--strict",
    );
    expect({ status, stderr: status === 0 ? "" : stdout + stderr }).toEqual({
      status: 0,
      stderr: "",
    });
  });

  test.each(["legacy", "modern"])("calls a tool, era %s", (era) => {
    const { status, stdout } = inspect(
      "--protocol-era",
      era,
      "--method",
      "tools/call",
      "--tool-name",
      "list_cell_specs",
      "--tool-args-json",
      '{"limit": 1}',
    );
    expect(status).toBe(0);
    expect(stdout).toContain("next_offset");
  });
});
