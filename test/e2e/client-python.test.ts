import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { hostedForTest } from "../helpers/hosted-server.ts";
import { PROGRAM } from "../helpers/spawned-server.ts";

const VERSION = "2.3.0";

/** It is installed once, outside the project, where somebody asks for it. */
const asked = process.env.CI !== undefined || process.env.VITRINE_PYTHON === "1";
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const folder = join(cache, "vitrine", `python-mcp-${VERSION}`);
const python = join(folder, "bin", "python");

describe.skipIf(!asked)("the Python client", () => {
  beforeAll(() => {
    if (!existsSync(join(folder, "lib"))) {
      execFileSync("python3", ["-m", "venv", folder]);
      execFileSync(python, ["-m", "pip", "install", "-q", `mcp==${VERSION}`]);
    }
  }, 300_000);

  const SEEN = {
    tools: 15,
    items: 1,
    refused: "INVALID_ARGUMENT",
    resources: ["ionworks://guide", "ionworks://document"],
    guide: true,
    prompts: 3,
    cancelled: true,
    after: 1,
  };
  const script = join(import.meta.dirname, "../helpers/python-client.py");

  const run = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(python, [script, ...args], { timeout: 100_000 });
    return JSON.parse(stdout);
  };

  test("over stdio lists, calls, is refused, reads, gives a call up, calls again, and ends with the input", async () => {
    expect(await run("stdio", process.execPath, PROGRAM)).toEqual(SEEN);
  });

  test("over HTTP does the same", async () => {
    const server = await hostedForTest({ args: ["--demo"] });
    expect(await run("http", server.url)).toEqual(SEEN);
  });
});
