import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PROGRAM } from "../helpers/spawned-server.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

function run(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "", ...env },
    encoding: "utf8",
    input: "",
  });
  return { status, stdout, stderr };
}

describe("ionworks-mcp", () => {
  test("--version prints the package's version", () => {
    expect(run(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("--help names every option and variable, and where the key belongs", () => {
    const { status, stdout } = run(["--help"]);
    expect(status).toBe(0);
    for (const name of [
      "--demo",
      "--max-result-bytes N (40960)",
      "--timeout-ms",
      "--try-timeout-ms",
      "--cache-bytes",
      "--log-level",
      "--base-url",
      "--config",
      "--print-config",
      "IONWORKS_API_KEY",
      "IONWORKS_API_TOKEN",
      "IONWORKS_API_URL",
      "IONWORKS_ORGANIZATION_ID",
      "IONWORKS_PROJECT_ID",
    ]) {
      expect(stdout).toContain(name.split(" ")[0]);
    }
    expect(stdout).toContain('"env"');
  });

  test("an unknown argument ends with exit code 2 and one line that names the nearest", () => {
    expect(run(["--max-result-byte", "5"])).toEqual({
      status: 2,
      stdout: "",
      stderr:
        'ionworks-mcp: unknown argument "--max-result-byte"; did you mean --max-result-bytes?\n',
    });
  });

  test("3 bad values end with exit code 2 and 3 lines", () => {
    const { status, stderr } = run(["--timeout-ms", "0", "--log-level", "all"], {
      IONWORKS_API_URL: "ftp://x",
    });
    expect(status).toBe(2);
    expect(stderr.trim().split("\n")).toHaveLength(3);
  });

  test("--print-config shows each value with its origin, and the key as ****", () => {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-config-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "settings.json");
    writeFileSync(file, '{"cache-bytes": 1000, "IONWORKS_API_KEY": "iwk_from_file"}');
    const { status, stdout } = run(["--print-config", "--config", file, "--timeout-ms", "9000"], {
      IONWORKS_PROJECT_ID: "p-1",
    });
    expect(status).toBe(0);
    const rows = Object.fromEntries(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(/ {2,}/))
        .map(([name, ...rest]) => [name, rest]),
    );
    expect(rows).toMatchObject({
      "timeout-ms": ["9000", "command line"],
      "cache-bytes": ["1000", "configuration file"],
      "max-result-bytes": ["40960", "default"],
      "base-url": ["https://api.ionworks.com", "default"],
      IONWORKS_PROJECT_ID: ["p-1", "environment"],
      IONWORKS_API_KEY: ["****", "configuration file"],
      IONWORKS_API_TOKEN: ["-", "default"],
    });
    expect(stdout).not.toContain("iwk_from_file");
  });
});
