/** Starts the decoder thread, from the bundle or, in development, from TypeScript source. */
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Heap of the thread [MiB]; typed arrays are outside it and bounded by the reader. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 };

/** Registers tsx inside the thread (Node 20 gives `--import` to the main thread only), then runs the source. */
const FROM_SOURCE = `
const { createRequire } = require("node:module");
const { pathToFileURL } = require("node:url");
const { source } = require("node:worker_threads").workerData;
const packageUrl = pathToFileURL(createRequire(source).resolve("tsx/package.json"));
import(new URL("dist/esm/api/index.mjs", packageUrl).href)
  .then((tsx) => { tsx.register(); return import(source); });
`;

export function startWorker(url: URL, data: Readonly<Record<string, unknown>>): Worker {
  const options: WorkerOptions = {
    name: "vitrine-tables",
    resourceLimits: LIMITS,
    // stdout belongs to the protocol: nothing that a library prints may get there.
    stdout: true,
    workerData: { ...data, source: url.href },
  };
  return url.pathname.endsWith(".ts")
    ? new Worker(FROM_SOURCE, { ...options, eval: true })
    : new Worker(url, options);
}
