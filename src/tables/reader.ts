/** Windows of tables: what the rest of the runtime sees. Decoding happens in a thread of its own. */
import { type ByteSource, FileChanged } from "../byte-source.ts";
import type { CallContext, TableWindow, WindowRequest } from "../contract.ts";
import { ToolError } from "../errors.ts";
import type { BodyFormat, TableBody } from "./body-format.ts";
import { DecoderThread, type Feed } from "./decoder-thread.ts";
import type { JobWork } from "./messages.ts";

export interface TableReader {
  /** Reads a window of a Parquet file; `open` is called again when the file changes under the read (once). */
  readParquet(
    open: () => Promise<ByteSource>,
    request: WindowRequest,
    context: CallContext,
  ): Promise<TableWindow>;
  /**
   * Reads a window of a JSON object of equally long lists.
   * @param key names the answer; a parsed table is kept under it for a minute
   * @param load gets the JSON text (UTF-8, at most 64 MiB); called only when the table is not kept
   * @param at JSON pointer to the object of columns
   */
  readJsonColumns(
    key: string,
    load: () => Promise<Uint8Array>,
    at: string,
    request: WindowRequest,
    context: CallContext,
  ): Promise<TableWindow>;
  /**
   * Reads a window of a table that comes as one body.
   * @param key names the answer; the table is kept under it for a minute; undefined: not kept
   * @param load gets the body (text in UTF-8); called only when the table is not kept
   */
  readBody(
    key: string | undefined,
    load: () => Promise<TableBody>,
    format: BodyFormat,
    request: WindowRequest,
    context: CallContext,
  ): Promise<TableWindow>;
  /** Starts the decoder thread and runs it over a small table, so that the first call does not pay for it. */
  warm(): Promise<void>;
  /** Ends the decoder thread; calls under way are rejected. */
  close(): Promise<void>;
}

export interface TableReaderOptions {
  /** The decoder thread's program; default: beside this file, `worker.ts` or, in a bundle, `table-worker.js`. */
  readonly workerUrl?: URL;
  /** Room for decoded pages and tables [bytes], 40 MiB by default. */
  readonly cacheBytes?: number;
  /** How long a parsed JSON table is kept [ms], 60 s by default. */
  readonly jsonTtlMs?: number;
  /** Longest that one call may decode [ms], 50 s by default. */
  readonly deadlineMs?: number;
}

function defaultWorkerUrl(): URL {
  const name = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./table-worker.js";
  return new URL(name, import.meta.url);
}

/** Most of a file's end that goes to the decoder with the job [bytes]; more is asked for like the rest of the file. */
const MAX_TAIL_BYTES = 256 * 1024;

function workOf(source: ByteSource, request: WindowRequest): JobWork {
  const { version, size, tail } = source;
  const bytes = tail.slice(-MAX_TAIL_BYTES);
  return {
    format: "parquet",
    version,
    sizeBytes: size,
    tail: { bytes, start: size - bytes.length },
    request,
  };
}

export function createTableReader(options: TableReaderOptions = {}): TableReader {
  const thread = new DecoderThread({
    workerUrl: options.workerUrl ?? defaultWorkerUrl(),
    cacheBytes: options.cacheBytes ?? 40 * 1024 * 1024,
    jsonTtlMs: options.jsonTtlMs ?? 60_000,
    deadlineMs: options.deadlineMs ?? 50_000,
  });

  const run = async (work: JobWork, feed: Feed, context: CallContext): Promise<TableWindow> => {
    const { signal, progress } = context;
    const window = await thread.run(work, feed, {
      signal,
      ...(progress === undefined
        ? {}
        : { progress: (done, total) => progress(done, total, "Reading the table") }),
    });
    if (window === undefined) {
      throw new ToolError("INTERNAL", "The decoder gave no table");
    }
    return window;
  };

  return {
    async readParquet(open, request, context) {
      for (let attempt = 1; ; attempt += 1) {
        const source = await open();
        const feed: Feed = (ranges, onRange) => source.read(ranges, onRange);
        try {
          return await run(workOf(source, request), feed, context);
        } catch (error) {
          if (!(error instanceof FileChanged)) {
            throw error;
          }
          if (attempt === 2) {
            throw new ToolError(
              "UPSTREAM_UNAVAILABLE",
              "The file changed twice while it was read",
              {
                hint: "It is being written: try again in a minute",
                cause: error,
              },
            );
          }
        }
      }
    },
    readJsonColumns(key, load, at, request, context) {
      const work: JobWork = { format: "json-columns", key, at, request };
      const feed: Feed = async (_, onRange) => onRange(0, await load());
      return run(work, feed, context);
    },
    readBody(key, load, format, request, context) {
      const work: JobWork = { format: "body", key, body: format, request };
      const feed: Feed = async (_, onRange) => {
        const { bytes, mediaType } = await load();
        onRange(0, bytes, mediaType);
      };
      return run(work, feed, context);
    },
    async warm() {
      const idle = new AbortController();
      await thread.run({ format: "warm" }, () => Promise.resolve(), { signal: idle.signal });
    },
    close: () => thread.close(),
  };
}
