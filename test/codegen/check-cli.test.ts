import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ionworksDocument } from "../helpers/ionworks-plan.ts";
import { makeSmallProject, type SmallProject } from "../helpers/small-project.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `vitrine` from source to its end. */
function vitrine(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ["--import", "tsx", "codegen/cli.ts", ...args], {
    cwd: REPOSITORY,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

let project: SmallProject;
beforeAll(async () => {
  project = await makeSmallProject(ionworksDocument());
});
afterAll(() => project.remove());

const check = (...args: readonly string[]): Promise<Ended> =>
  vitrine("check", "--manifest", project.manifest, ...args);

describe("vitrine check", () => {
  test("exits 0 with one line for the same document", async () => {
    const { code, stdout, stderr } = await check("--against", join(project.root, "document.json"));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^.*, 4 tools \(\d+ public reads are in no tool\): no difference that matters\n$/,
    );
  });

  test("exits 1 and annotates the tool's line of the manifest for a renamed field", async () => {
    const next = ionworksDocument();
    const { properties } = next.components.schemas.CyclesEnvelope;
    properties.rows = properties.cycles;
    delete properties.cycles;
    const against = await project.write("renamed.json", next);
    const { code, stdout, stderr } = await check(
      "--server",
      "cells",
      "--against",
      against,
      "--format",
      "github",
    );
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(
      /^::error file=[^,:]*tools\.manifest\.yaml,line=30,title=breaking%3A get_cycles::field \/cycles renamed to \/rows; edit result\.at [^\n]*\n$/,
    );
  });

  test("exits 0 for an addition and lists it in json", async () => {
    const next = ionworksDocument();
    next.components.schemas.Material.properties.cas_number = { type: "string" };
    const against = await project.write("added.json", next);
    const { code, stdout } = await check("--against", against, "--format", "json");
    expect(code).toBe(0);
    const { stale, findings } = JSON.parse(stdout);
    expect(stale).toEqual([]);
    expect(
      findings.map(({ level, tool }: { level: string; tool: string }) => [level, tool]),
    ).toEqual([
      ["additive", "get_material"],
      ["additive", "list_materials"],
    ]);
  });

  test("exits 1 where generated files are missing", async () => {
    const { code, stdout } = await check();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^stale .*client\.ts is missing$/m);
  });

  test.each([
    [
      "a document that is not there",
      ["--against", "/nowhere.json"],
      /^\/nowhere\.json:1:1 .*no such file\n$/,
    ],
    [
      "a server that is not there",
      ["--server", "cell"],
      /no server "cell": did you mean "cells"\?\n$/,
    ],
    [
      "an option that it does not know",
      ["--agianst", "x"],
      /^vitrine: check has no option --agianst/,
    ],
    [
      "a format that it does not know",
      ["--format", "xml"],
      /^vitrine: --format must be text, json, github/,
    ],
  ])("exits 2 with one line on stderr for %s", async (_title, args, said) => {
    const { code, stdout, stderr } = await check(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(said);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("exits 2 for a manifest that is not there", async () => {
    const { code, stderr } = await vitrine("check", "--manifest", "/nowhere/tools.manifest.yaml");
    expect(code).toBe(2);
    expect(stderr).toMatch(/the manifest cannot be read: there is no such file\n$/);
  });
});
