import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";

const VITRINE = new URL("../../dist/vitrine.js", import.meta.url).pathname;
const SPECS = new URL("../../../shared/specs/", import.meta.url).pathname;

describe.skipIf(!existsSync(SPECS))("vitrine init --enable all, then serve", () => {
  test.each([
    ["petstore.yaml", 7],
    ["weather-gov.yaml", 52],
    ["open-meteo-forecast.yml", 1],
    ["optimade.json", 9],
    ["stripe-2020.json", 166],
  ])("%s: both official clients accept the list of at least %i tools", async (file, least) => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-clients-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const out = join(folder, "package");
    const args = [VITRINE, "init", join(SPECS, file), "--enable", "all", "--out", out];
    expect(spawnSync(process.execPath, args, { encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
    const server = {
      command: process.execPath,
      args: [VITRINE, "serve", "--manifest", join(out, "tools.manifest.yaml")],
    };
    const about = { name: "test", version: "1" };
    const modern = new ModernClient(about);
    await modern.connect(new ModernTransport(server));
    const { tools } = await modern.listTools();
    await modern.close();
    const older = new OlderClient(about);
    await older.connect(new OlderTransport(server));
    const seen = await older.listTools();
    await older.close();
    expect(tools.length).toBeGreaterThanOrEqual(least);
    expect(seen.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  });
});
