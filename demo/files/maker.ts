/** The thread that makes files: asked for one test at a time, it writes the test's folder and answers. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { allTests } from "../catalogue/tests.ts";
import { makeFiles } from "./make.ts";
import { UNFINISHED } from "./unfinished.ts";
import { loadZstd } from "./write-parquet.ts";

/** What the threads of one store share. */
export interface MakerSettings {
  /** Where the folders of the tests go. */
  readonly folder: string;
  readonly rows: number;
  readonly seed: number;
}

/** Answer to the request for one test; `error` says why it failed. */
export interface Made {
  readonly error?: string;
}

const compress = loadZstd();

async function make(key: string, name: string, settings: MakerSettings): Promise<void> {
  const test = allTests(settings.rows).find((each) => each.key === key);
  if (test?.recipe === undefined) {
    throw new Error(`nothing to make for ${key}`);
  }
  const target = join(settings.folder, name);
  const unfinished = mkdtempSync(join(settings.folder, UNFINISHED));
  makeFiles(test, test.recipe, unfinished, settings.seed, await compress);
  // Another process may have been quicker. Its files are the same, and readers may hold them: they stay.
  if (!existsSync(target)) {
    try {
      renameSync(unfinished, target);
    } catch (error) {
      if (!existsSync(target)) {
        throw error;
      }
    }
  }
  rmSync(unfinished, { recursive: true, force: true });
}

parentPort?.on("message", ({ key, name }: { key: string; name: string }) => {
  make(key, name, workerData as MakerSettings).then(
    () => parentPort?.postMessage({} satisfies Made),
    (error: unknown) => parentPort?.postMessage({ error: String(error) } satisfies Made),
  );
});
