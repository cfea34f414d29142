/** `vitrine build`: a server as one file, with nothing to install beside it. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { compileServer } from "./compile.ts";
import type { ServerPlan } from "./plan.ts";
import { CodegenError } from "./problems.ts";

/** The runtime that such a file starts with, made by `scripts/build.ts`. */
const RUNTIME = "single-file.js";

async function runtimeText(): Promise<string> {
  const fromSource = import.meta.url.endsWith(".ts");
  const path = new URL(fromSource ? `../dist/${RUNTIME}` : `./${RUNTIME}`, import.meta.url);
  try {
    return await readFile(path, "utf8");
  } catch {
    const message = "the runtime that servers are built from is not there";
    throw new CodegenError([
      { file: `dist/${RUNTIME}`, line: 1, column: 1, message, hint: "npm run build makes it" },
    ]);
  }
}

/** The text of a server's file: the runtime, then what was generated. */
async function singleFile(plan: ServerPlan): Promise<string> {
  return `${(await runtimeText()).trimEnd()}\nvitrine.start(${await compileServer(plan)});\n`;
}

/**
 * Writes a server's file.
 * @returns its size [bytes]
 * @throws CodegenError when it cannot be written
 */
export async function buildServer(plan: ServerPlan, out: string): Promise<number> {
  const text = await singleFile(plan);
  const path = resolve(out);
  try {
    await writeFile(path, text);
    await chmod(path, 0o755);
  } catch (error) {
    const message = `the server cannot be written: ${(error as NodeJS.ErrnoException).code}`;
    throw new CodegenError([{ file: out, line: 1, column: 1, message }]);
  }
  return Buffer.byteLength(text);
}
