/** A Python environment with the official SDK: made once, kept outside the repository. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether the parity tests are to run: they need 0.7 GB and the package index. */
export const PARITY = process.env.CI !== undefined || process.env.VITRINE_PARITY === "1";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
/** The SDK needs Python 3.11 or newer. */
const NEWEST_FIRST = ["python3", "python3.13", "python3.12", "python3.11"];

async function suitablePython(): Promise<string> {
  for (const python of NEWEST_FIRST) {
    const check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    const suits = await run(python, ["-c", check]).then(
      () => true,
      () => false,
    );
    if (suits) {
      return python;
    }
  }
  throw new Error("the parity tests need Python 3.11 or newer with venv");
}

/** Path of an interpreter that can import the SDK; the first call installs it. */
export async function sdkPython(): Promise<string> {
  const version = createHash("sha256")
    .update(readFileSync(REQUIREMENTS))
    .digest("hex")
    .slice(0, 12);
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(base, "vitrine", `parity-${version}`);
  const python = join(folder, "bin", "python");
  const complete = join(folder, "complete");
  if (!existsSync(complete)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await run(await suitablePython(), ["-m", "venv", folder]);
    await run(python, ["-m", "pip", "install", "--quiet", "--no-deps", "-r", REQUIREMENTS]);
    writeFileSync(complete, "");
  }
  return python;
}
