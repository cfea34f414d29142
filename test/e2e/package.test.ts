import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import PACKAGE from "../../package.json" with { type: "json" };
import { CELLS } from "../helpers/manifest-project.ts";
import { spawnServer } from "../helpers/spawned-server.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");

let folder: string;

/** Packs the package and what it depends on, so that installing asks nobody. */
function pack(into: string): string[] {
  const needed = [...Object.keys(PACKAGE.dependencies), "openapi-typescript-helpers"];
  const folders = [ROOT, ...needed.map((name) => join(ROOT, "node_modules", name))];
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", into, ...folders];
  const packed = JSON.parse(execFileSync("npm", args, { cwd: into, encoding: "utf8" }));
  return packed.map(({ filename }: { filename: string }) => join(into, filename));
}

function run(program: string, args: readonly string[], cwd = folder) {
  return spawnSync(program, args, { cwd, encoding: "utf8" });
}

const vitrine = (...args: string[]) =>
  run(join(folder, "node_modules", ".bin", "vitrine"), args, join(folder, "cells"));

async function toolsOf(program: string, args: readonly string[] = []): Promise<string[]> {
  const server = spawnServer({ program, args });
  await server.initialize();
  const { result } = await server.request("tools/list");
  server.endInput();
  expect(await server.exit).toEqual({ code: 0, signal: null });
  return result.tools.map(({ name }: { name: string }) => name);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-package-"));
  const tarballs = pack(folder);
  const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", "cache"];
  await writeFile(join(folder, "package.json"), '{"private":true}\n');
  const installed = run("npm", ["install", ...options, ...tarballs]);
  expect(installed.stderr.replace(/^npm warn.*$/gm, "").trim()).toBe("");
  await writeFile(join(folder, "cells.yaml"), CELLS);
  await mkdir(join(folder, "cells"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the package, installed offline into an empty folder", () => {
  test("brings 2 packages for generated code and theirs, nothing that is in the bundle", async () => {
    expect(Object.keys(PACKAGE.dependencies)).toEqual(["openapi-fetch", "zod"]);
    const names = (await readdir(join(folder, "node_modules"))).filter((name) => !/^\./.test(name));
    expect(names).toEqual(["openapi-fetch", "openapi-typescript-helpers", "vitrine", "zod"]);
    expect(vitrine("--version").stdout).toBe(`${PACKAGE.version}\n`);
  });

  test("takes a document to a package whose 2 tools are current, typed, served and built", async () => {
    const made = vitrine("init", "../cells.yaml", "--out", ".");
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(made.stdout).toMatch(/^\.: 2 tools of 5 operations/);
    expect(vitrine("generate").stdout).toContain("nothing changed: 5 files are current");
    expect(vitrine("check").status).toBe(0);

    const flags = "--noEmit --strict --skipLibCheck --module nodenext --target es2022";
    const typed = ["--allowImportingTsExtensions", "generated/cells/client.ts"];
    const tsc = run(
      process.execPath,
      [TSC, ...flags.split(" "), ...typed, "generated/cells/server.ts"],
      join(folder, "cells"),
    );
    expect(tsc.stdout).toBe("");

    const bin = join(folder, "node_modules", "vitrine", PACKAGE.bin.vitrine);
    const manifest = join(folder, "cells", "tools.manifest.yaml");
    const served = await toolsOf(bin, ["serve", "--manifest", manifest]);
    expect(served).toContain("list_cells");
    expect(vitrine("build", "--out", "cells.mjs").status).toBe(0);
    const apart = join(await mkdtemp(join(tmpdir(), "vitrine-built-")), "cells.mjs");
    await rename(join(folder, "cells", "cells.mjs"), apart);
    expect(await toolsOf(apart)).toEqual(served);
    await rm(dirname(apart), { recursive: true });
  });
});
