import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

/** The suite and its Node take 0.2 GB outside the project: they are installed once, where somebody asks for them. */
const asked = process.env.CI !== undefined || process.env.VITRINE_CONFORMANCE === "1";
const root = join(import.meta.dirname, "../..");

interface Run {
  readonly revision: string;
  readonly transport: string;
  readonly passed: number;
  readonly failed: number;
  readonly code: number;
}

/** Checks that pass with a server made straight from the SDK, with the suite's release 0.2.0-alpha.12. */
const REFERENCE = [
  ["2025-11-25", "http", 56],
  ["2025-11-25", "stdio", 73],
  ["2026-07-28", "http", 122],
  ["2026-07-28", "stdio", 108],
] as const;

describe.skipIf(!asked)("the official conformance suite", () => {
  let runs: Run[] = [];
  let output = "";
  beforeAll(() => {
    const run = spawnSync(
      process.execPath,
      ["--import", "tsx", join(root, "test/conformance/run.ts")],
      { cwd: root, encoding: "utf8" },
    );
    output = run.stdout + run.stderr;
    runs = run.stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Run);
  }, 600_000);

  test.each(REFERENCE)(
    "%s over %s passes at least %i checks, and fails none that is not expected",
    (revision, transport, checks) => {
      const run = runs.find((one) => one.revision === revision && one.transport === transport);
      expect(run, output).toMatchObject({ code: 0 });
      expect(run?.passed).toBeGreaterThanOrEqual(checks);
    },
  );
});
