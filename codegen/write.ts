/** Generated files against what is on disk: compared in memory, written only where they differ, stale ones removed. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StaleFile } from "./drift/report.ts";

/** Folder beside the manifest that holds nothing but generated files. */
export const GENERATED = "generated";

async function existing(root: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, GENERATED), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .map((path) => path.replaceAll("\\", "/"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw error;
  }
}

/**
 * What on disk is not what was generated: changed, missing and extra files, by name.
 * @param root folder of the manifest; absolute
 * @param files text by path relative to `root`, all below `generated/`
 */
export async function compareFiles(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<StaleFile[]> {
  const onDisk = new Set(await existing(root));
  const stale: StaleFile[] = [];
  for (const [file, text] of files) {
    if (!onDisk.has(file)) {
      stale.push({ file, state: "missing" });
    } else if ((await readFile(join(root, file), "utf8")) !== text) {
      stale.push({ file, state: "changed" });
    }
  }
  for (const file of onDisk) {
    if (!files.has(file)) {
      stale.push({ file, state: "extra" });
    }
  }
  return stale.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Brings the disk up to date and tells what was not. */
export async function writeFiles(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<StaleFile[]> {
  const stale = await compareFiles(root, files);
  for (const { file, state } of stale) {
    const path = join(root, file);
    if (state === "extra") {
      await rm(path);
    } else {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, files.get(file) ?? "");
    }
  }
  return stale;
}
