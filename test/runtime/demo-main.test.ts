import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "vitrine-demo-main-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(...args: string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", "demo/main.ts", ...args], {
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: folder },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output, exit };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes("\n")) {
      break;
    }
  }
  return text;
}

describe("demo:api", () => {
  test("prints one JSON line, serves on 127.0.0.1, makes files with progress, ends with its input", async () => {
    const { child, output, exit } = start("--rows", "1500");
    const { url, key, storage_url, ...rest } = JSON.parse(await firstLine(child));
    expect(rest).toEqual({});
    expect([url, storage_url].every((each) => each.startsWith("http://127.0.0.1:"))).toBe(true);
    const response = await fetch(`${url}/projects`, { headers: { "x-api-key": key } });
    expect(response.status).toBe(200);
    while (!output.stderr.includes("made ")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.stdin.end();
    expect(await exit).toBe(0);
    expect(output.stdout.trim().split("\n")).toHaveLength(1);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends on %s with exit 0", async (signal) => {
    const { child, exit } = start("--rows", "1500");
    await firstLine(child);
    child.kill(signal);
    expect(await exit).toBe(0);
  });

  test.each([
    [["--nothing"], "'--nothing'"],
    [["extra"], "'extra'"],
    [["--port", "x"], "--port takes a whole number from 0 to 65535"],
    [["--port", "65536"], "--port takes a whole number from 0 to 65535"],
    [["--rows", "0"], "--rows takes a whole number from 1 to 100000000"],
    [["--rows"], "--rows"],
  ])("%j ends with exit 2 and one line", async (args, words) => {
    const { output, exit } = start(...args);
    expect(await exit).toBe(2);
    expect(output.stderr.trim().split("\n")).toHaveLength(1);
    expect(output.stderr).toContain(words);
    expect(output.stdout).toBe("");
  });

  test("--help and --version end with exit 0", async () => {
    const [help, version] = [start("--help"), start("--version")];
    expect([await help.exit, await version.exit]).toEqual([0, 0]);
    expect(help.output.stdout).toContain("--rows N");
    expect(version.output.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("a port that is taken ends with exit 1 and one line", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const { output, exit } = start("--port", String(port));
    expect(await exit).toBe(1);
    expect(output.stderr).toContain("EADDRINUSE");
    server.close();
  });
});
