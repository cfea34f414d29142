/** Threads that make files, started from the bundle or, in development, from TypeScript source. */
import { Worker } from "node:worker_threads";
import type { Made, MakerSettings } from "./maker.ts";

/** Registers tsx inside the thread (Node 20 gives `--import` to the main thread only), then runs the source. */
const FROM_SOURCE = `
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { source } = require("node:worker_threads").workerData;
// Resolving "tsx/esm/api" itself would find the variant for require, which cannot be imported.
const tsx = dirname(createRequire(source).resolve("tsx/package.json"));
import(pathToFileURL(join(tsx, "dist/esm/api/index.mjs")).href)
  .then(({ register }) => { register(); return import(source); });
`;

function startMaker(settings: MakerSettings): Worker {
  const fromSource = import.meta.url.endsWith(".ts");
  const url = new URL(fromSource ? "./maker.ts" : "./demo-maker.js", import.meta.url);
  const options = {
    name: "vitrine-demo-maker",
    // In the server stdout belongs to the protocol: nothing that a library prints may get there.
    stdout: true,
    // Not those of the process: the loader that runs the process from source does not work in its threads.
    execArgv: [],
    // Row groups are short-lived: without a limit their garbage grows to three times this.
    resourceLimits: { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 },
    workerData: { ...settings, source: url.href },
  };
  return fromSource
    ? new Worker(FROM_SOURCE, { ...options, eval: true })
    : new Worker(url, options);
}

/** A thread that makes the files of one test at a time. */
export class MakerThread {
  readonly #worker: Worker;
  #settle: ((error?: Error) => void) | undefined;

  constructor(settings: MakerSettings) {
    this.#worker = startMaker(settings);
    this.#worker.on("message", ({ error }: Made) =>
      this.#settle?.(error === undefined ? undefined : new Error(error)),
    );
    this.#worker.on("error", (error) => this.#settle?.(error));
    this.#worker.on("exit", () => this.#settle?.(new Error("the thread that makes files ended")));
  }

  /** @param name of the folder to write @throws Error with the reason */
  make(key: string, name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = (error) => {
        this.#settle = undefined;
        if (error === undefined) {
          resolve();
        } else {
          reject(error);
        }
      };
      this.#worker.postMessage({ key, name });
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
