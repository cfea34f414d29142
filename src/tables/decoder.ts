/**
 * The decoder thread: all table work happens here, so that a long or runaway decode can be ended without the server.
 * It never fetches: bytes are asked for by message.
 */
import { parentPort, workerData } from "node:worker_threads";
import { ToolError } from "../errors.ts";
import type { TableBody } from "./body-format.ts";
import { ByteCache } from "./byte-cache.ts";
import { prepareCodecs } from "./codecs.ts";
import { collectIfDue } from "./collect.ts";
import { JsonTable } from "./json-table.ts";
import type { FromDecoder, JobWork, ToDecoder } from "./messages.ts";
import { openParquet } from "./open-parquet.ts";
import { ParquetTable } from "./parquet-table.ts";
import { type AskRanges, type FileTail, RemoteSource } from "./remote-source.ts";
import { secondThread } from "./second-thread.ts";
import type { Table } from "./table.ts";
import { warmDecoder } from "./warm.ts";
import { readWindow } from "./window.ts";

const {
  cacheBytes,
  jsonTtlMs,
  source: program,
} = workerData as {
  cacheBytes: number;
  jsonTtlMs: number;
  source: string;
};
secondThread.program = new URL(program);

const send = (message: FromDecoder): void => parentPort?.postMessage(message);

/** Decompressed pages come and go quickly; what took a scan or a parse to make has room of its own. */
const pages = new ByteCache(cacheBytes * 0.4);
const tables = new ByteCache(cacheBytes * 0.6);
const sources = new Map<number, RemoteSource>();
/** Tables that are being loaded, by cache key. */
const loading = new Map<string, Promise<Table>>();
let unnamed = 0;

const cancelled = new ToolError("CANCELLED", "The call was cancelled");

function sourceOf(job: number, version: string, sizeBytes: number, tail?: FileTail): RemoteSource {
  const ask: AskRanges = (read, ranges) => send({ kind: "read", job, read, ranges });
  const source = new RemoteSource(version, sizeBytes, ask, tail);
  sources.set(job, source);
  return source;
}

/** A table that came whole is kept under its key for a minute; a second call for it waits for the first. */
async function openKept(key: string, load: () => Promise<Table & { memoryBytes: number }>) {
  const kept = tables.get<Table>(key);
  if (kept !== undefined) {
    return kept;
  }
  const other = loading.get(key);
  if (other !== undefined) {
    // The other call may be cancelled or fail for reasons of its own: then this one loads for itself.
    const shared = await other.catch(() => undefined);
    if (shared !== undefined) {
      return shared;
    }
  }
  const mine = load().then((table) => {
    tables.set(key, table, table.memoryBytes, jsonTtlMs);
    return table;
  });
  loading.set(key, mine);
  try {
    return await mine;
  } finally {
    if (loading.get(key) === mine) {
      loading.delete(key);
    }
  }
}

const wholeOf = (job: number): Promise<TableBody> =>
  sourceOf(job, "", Number.MAX_SAFE_INTEGER).readWhole();

async function openTable(job: number, work: Exclude<JobWork, { format: "warm" }>): Promise<Table> {
  switch (work.format) {
    case "json-columns": {
      const key = `json:${work.at}:${work.key}`;
      return openKept(key, async () => new JsonTable(key, (await wholeOf(job)).bytes, work.at));
    }
    case "body": {
      // What is not kept needs a name all the same: which rows match is remembered by it.
      unnamed += 1;
      const key = `body:${JSON.stringify(work.body)}:${work.key ?? unnamed}`;
      const load = async () => {
        const body = await wholeOf(job);
        // Its parsers are for answers that come whole: a thread that reads files does without.
        const { bodyTable } = await import("./body-table.ts");
        return bodyTable(key, body, work.body);
      };
      return work.key === undefined ? load() : openKept(key, load);
    }
    case "parquet": {
      const source = sourceOf(job, work.version, work.sizeBytes, work.tail);
      return new ParquetTable(await openParquet(source, tables), source, pages);
    }
  }
}

async function run(job: number, work: JobWork): Promise<void> {
  await prepareCodecs();
  if (work.format === "warm") {
    secondThread.start();
    await warmDecoder(() => sources.size > 0);
    send({ kind: "done", job });
    return;
  }
  const table = await openTable(job, work);
  const progress = (done: number, total: number): void =>
    send({ kind: "progress", job, done, total });
  const window = await readWindow(table, work.request, tables, progress);
  send({ kind: "done", job, window });
}

function report(job: number, error: unknown): void {
  if (error === cancelled) {
    send({ kind: "cancelled", job });
    return;
  }
  if (error instanceof ToolError) {
    const { code, message, hint } = error;
    send({ kind: "failed", job, code, message, ...(hint === undefined ? {} : { hint }) });
    return;
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 200) : "unknown";
  send({
    kind: "failed",
    job,
    code: "UNREADABLE_ANSWER",
    message: `The table cannot be decoded (${what})`,
    hint: "Read other columns or rows; if that fails too, the table was stored damaged",
  });
}

parentPort?.on("message", (message: ToDecoder) => {
  switch (message.kind) {
    case "start":
      run(message.job, message.work)
        .catch((error: unknown) => report(message.job, error))
        .finally(() => {
          sources.delete(message.job);
          // Behind the answer, so that nobody waits for it.
          setImmediate(collectIfDue);
        });
      break;
    case "bytes":
      sources
        .get(message.job)
        ?.arrived(message.read, message.index, message.bytes, message.mediaType);
      break;
    case "cancel":
      if (sources.has(message.job)) {
        sources.get(message.job)?.fail(cancelled);
      }
      send({ kind: "cancelled", job: message.job });
      break;
  }
});

// A library may leave a rejection behind that nobody waits for; its own call fails or ends by its deadline.
process.on("unhandledRejection", () => undefined);

send({ kind: "ready" });
