/**
 * The decoder thread as seen from the main thread: started on first use, ended when a call has to be freed, replaced when
 * it dies. A job whose thread died runs again once, alone, so that only the guilty one fails.
 */
import type { Worker } from "node:worker_threads";
import type { ByteRange } from "../byte-source.ts";
import type { TableWindow } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { stopped, tooMuchMemory, undecodable } from "./decoder-errors.ts";
import type { FromDecoder, JobWork, ToDecoder } from "./messages.ts";
import { startWorker } from "./start-worker.ts";

export interface DecoderOptions {
  readonly workerUrl: URL;
  /** Room for decoded pages and tables [bytes]. */
  readonly cacheBytes: number;
  /** How long a parsed JSON table is kept [ms]. */
  readonly jsonTtlMs: number;
  /** Longest a job may take [ms]. */
  readonly deadlineMs: number;
}

/** Gets bytes for the decoder: each range as soon as it is there; no ranges: the whole body. */
export type Feed = (
  ranges: readonly ByteRange[],
  onRange: (index: number, bytes: Uint8Array, mediaType?: string) => void,
) => Promise<void>;

export interface JobContext {
  readonly signal: AbortSignal;
  readonly progress?: (doneBytes: number, totalBytes: number) => void;
}

interface Job {
  readonly work: JobWork;
  readonly feed: Feed;
  readonly context: JobContext;
  readonly settle: (outcome: { window?: TableWindow | undefined } | { error: unknown }) => void;
  /** Number under which the current thread knows it. */
  id: number;
  died: boolean;
}

/** How long the thread may take to let go of a cancelled job before it is ended [ms]. */
const LET_GO_MS = 60;

/** A buffer of its own can be handed over; a view into a larger one is copied. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const own =
    bytes.byteLength === bytes.buffer.byteLength &&
    bytes.buffer instanceof ArrayBuffer &&
    !Buffer.isBuffer(bytes);
  return own ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

export class DecoderThread {
  readonly #options: DecoderOptions;
  #worker: Worker | undefined;
  #ids = 0;
  /** Jobs in the current thread. */
  readonly #jobs = new Map<number, Job>();
  /** Jobs whose thread died: one at a time. */
  readonly #again: Job[] = [];
  #alone: Job | undefined;
  readonly #letGo = new Map<number, NodeJS.Timeout>();
  #closed = false;

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  /** Runs one job. Settles at once when the signal aborts, whatever the thread is doing. */
  run(work: JobWork, feed: Feed, context: JobContext): Promise<TableWindow | undefined> {
    const { signal } = context;
    return new Promise((resolve, reject) => {
      if (signal.aborted || this.#closed) {
        reject(stopped(signal));
        return;
      }
      const stop = (error: ToolError): void => {
        job.settle({ error });
        this.#cancel(job);
      };
      const onAbort = (): void => stop(stopped(signal));
      const { deadlineMs } = this.#options;
      const timer = setTimeout(() => {
        const hint = "Ask for fewer columns, or narrow the rows with where";
        stop(
          new ToolError("TIMED_OUT", `Reading the table took more than ${deadlineMs} ms`, { hint }),
        );
      }, deadlineMs);
      const job: Job = {
        work,
        feed,
        context,
        id: 0,
        died: false,
        settle: (outcome) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          if ("error" in outcome) {
            reject(outcome.error);
          } else {
            resolve(outcome.window);
          }
        },
      };
      signal.addEventListener("abort", onAbort);
      this.#start(job);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const jobs = [...this.#jobs.values(), ...this.#again.splice(0)];
    this.#jobs.clear();
    for (const job of jobs) {
      job.settle({ error: new ToolError("CANCELLED", "The server is ending") });
    }
    await this.#end();
  }

  #start(job: Job): void {
    this.#worker ??= this.#open();
    this.#worker.ref();
    this.#ids += 1;
    job.id = this.#ids;
    this.#jobs.set(job.id, job);
    this.#post({ kind: "start", job: job.id, work: job.work });
  }

  #open(): Worker {
    const { workerUrl, cacheBytes, jsonTtlMs } = this.#options;
    const worker = startWorker(workerUrl, { cacheBytes, jsonTtlMs });
    worker.on("message", (message: FromDecoder) => {
      if (worker === this.#worker) {
        this.#receive(message);
      }
    });
    worker.on("error", (error) => this.#died(worker, error));
    worker.on("exit", () => this.#died(worker, undefined));
    return worker;
  }

  #post(message: ToDecoder, transfer: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  #receive(message: FromDecoder): void {
    if (message.kind === "ready") {
      return;
    }
    const job = this.#jobs.get(message.job);
    switch (message.kind) {
      case "cancelled":
        clearTimeout(this.#letGo.get(message.job));
        this.#letGo.delete(message.job);
        break;
      case "read":
        if (job !== undefined) {
          this.#feed(job, message.job, message.read, message.ranges);
        }
        break;
      case "progress":
        job?.context.progress?.(message.done, message.total);
        break;
      case "done":
        this.#finish(job, { window: message.window });
        break;
      case "failed": {
        const { code, message: text, hint } = message;
        const error = new ToolError(code, text, hint === undefined ? {} : { hint });
        this.#finish(job, { error });
        break;
      }
    }
  }

  #feed(job: Job, id: number, read: number, ranges: readonly ByteRange[]): void {
    const onRange = (index: number, bytes: Uint8Array, mediaType?: string): void => {
      if (this.#jobs.has(id)) {
        const own = ownBuffer(bytes);
        this.#post({ kind: "bytes", job: id, read, index, bytes: own, mediaType }, [own.buffer]);
      }
    };
    job.feed(ranges, onRange).catch((error: unknown) => {
      if (this.#jobs.has(id)) {
        job.settle({ error });
        this.#cancel(job);
      }
    });
  }

  #finish(job: Job | undefined, outcome: Parameters<Job["settle"]>[0]): void {
    if (job !== undefined) {
      this.#forget(job);
      job.settle(outcome);
    }
  }

  #forget(job: Job): void {
    this.#jobs.delete(job.id);
    if (this.#alone === job) {
      this.#alone = undefined;
    }
    this.#runAgain();
    if (this.#jobs.size === 0) {
      this.#worker?.unref();
    }
  }

  /** Takes a job away from the thread, and the thread from everybody where it does not let go in time. */
  #cancel(job: Job): void {
    const waiting = this.#again.indexOf(job);
    if (waiting >= 0) {
      this.#again.splice(waiting, 1);
      return;
    }
    if (!this.#jobs.has(job.id)) {
      return;
    }
    const { id } = job;
    this.#forget(job);
    this.#post({ kind: "cancel", job: id });
    const worker = this.#worker;
    const timer = setTimeout(() => {
      this.#letGo.delete(id);
      if (worker !== undefined && worker === this.#worker) {
        this.#replace();
      }
    }, LET_GO_MS);
    this.#letGo.set(id, timer);
  }

  /** Ends a busy thread; what others had in it starts anew. */
  #replace(): void {
    void this.#end();
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) {
      this.#start(job);
    }
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const timer of this.#letGo.values()) {
      clearTimeout(timer);
    }
    this.#letGo.clear();
    await worker?.terminate();
  }

  #died(worker: Worker, error: Error | undefined): void {
    if (worker !== this.#worker) {
      return;
    }
    void this.#end();
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#alone = undefined;
    const memory =
      (error as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
    for (const job of jobs) {
      if (job.died) {
        job.settle({ error: memory ? tooMuchMemory() : undecodable(error) });
      } else {
        job.died = true;
        this.#again.push(job);
      }
    }
    this.#runAgain();
  }

  #runAgain(): void {
    if (this.#alone === undefined && !this.#closed) {
      this.#alone = this.#again.shift();
      if (this.#alone !== undefined) {
        this.#start(this.#alone);
      }
    }
  }
}
