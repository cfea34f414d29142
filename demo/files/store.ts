/** The folder of made files: what is missing is made by threads, in the background or when somebody asks for it. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Test } from "../catalogue/tests.ts";
import type { MakerSettings } from "./maker.ts";
import { MakerThread } from "./start-maker.ts";
import { UNFINISHED } from "./unfinished.ts";

/** Goes up with every change of what the files hold. */
const GENERATOR_VERSION = 2;
/** Threads that make files at the same time. */
const THREADS = 2;
/** Threads without work end after this time [ms]. */
const IDLE_MS = 3000;
/** Folders that are this old and unfinished were left by a process that died [ms]. */
const ABANDONED_MS = 10 * 60_000;

/** Where made files are kept when nothing else is said. */
export function defaultCacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(base, "vitrine", "demo");
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

interface Job {
  readonly test: Test;
  readonly done: Promise<void>;
  readonly settle: (error?: string) => void;
}

function newJob(test: Test): Job {
  let settle: Job["settle"] = () => {};
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(new Error(error)));
  });
  // Background jobs have no listener; whoever asks for the files hears of the failure.
  done.catch(() => {});
  return { test, done, settle };
}

export class FileStore {
  readonly #settings: MakerSettings;
  readonly #tests: readonly Test[];
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: Job[] = [];
  readonly #threads = new Set<MakerThread>();
  readonly #busy = new Set<MakerThread>();
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #onProgress: (text: string) => void;

  /**
   * @param cacheFolder holds one folder per version, row count and seed
   * @param onProgress told in words about files that are made
   */
  constructor(
    cacheFolder: string,
    tests: readonly Test[],
    { rows, seed }: { rows: number; seed: number },
    onProgress: (text: string) => void,
  ) {
    const folder = join(cacheFolder, hash(`${GENERATOR_VERSION} ${rows} ${seed}`));
    this.#settings = { folder, rows, seed };
    this.#tests = tests;
    this.#onProgress = onProgress;
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (name.startsWith(UNFINISHED) && age > ABANDONED_MS) {
        rmSync(path, { recursive: true, force: true });
      }
    }
  }

  #pathOf(test: Test): string {
    return join(this.#settings.folder, hash(test.key));
  }

  /** Makes everything that is missing, in the background. */
  makeAll(): void {
    const missing = this.#tests.filter(
      (t) => t.recipe !== undefined && !existsSync(this.#pathOf(t)),
    );
    // The largest series takes one thread as long as all others take the other one.
    missing.sort((a, b) => sizeOf(b) - sizeOf(a));
    for (const test of missing) {
      this.#enqueue(test, "last");
    }
  }

  /** The folder with a test's files, made now if need be. @returns its path */
  async folderOf(test: Test): Promise<string> {
    const path = this.#pathOf(test);
    if (existsSync(path)) {
      return path;
    }
    await this.#enqueue(test, "first").done;
    return path;
  }

  /** Ends the threads; files that are being made are left unfinished. */
  async close(): Promise<void> {
    this.#waiting.length = 0;
    await this.#endThreads();
    for (const job of this.#jobs.values()) {
      job.settle("the demo was closed");
    }
  }

  async #endThreads(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const threads = [...this.#threads];
    this.#threads.clear();
    await Promise.all(threads.map((thread) => thread.end()));
  }

  #enqueue(test: Test, place: "first" | "last"): Job {
    const known = this.#jobs.get(test.key);
    const job = known ?? newJob(test);
    const at = this.#waiting.indexOf(job);
    if (known === undefined || (at > 0 && place === "first")) {
      if (at >= 0) {
        this.#waiting.splice(at, 1);
      }
      this.#jobs.set(test.key, job);
      this.#waiting[place === "first" ? "unshift" : "push"](job);
      this.#work();
    }
    return job;
  }

  /** Gives waiting jobs to threads that have nothing to do. */
  #work(): void {
    clearTimeout(this.#idleTimer);
    while (this.#waiting.length > 0 && this.#busy.size < THREADS) {
      const job = this.#waiting.shift() as Job;
      const free = [...this.#threads].find((thread) => !this.#busy.has(thread));
      const thread = free ?? new MakerThread(this.#settings);
      this.#threads.add(thread);
      this.#busy.add(thread);
      void this.#run(job, thread);
    }
    if (this.#busy.size === 0) {
      this.#idleTimer = setTimeout(() => void this.#endThreads(), IDLE_MS).unref();
    }
  }

  async #run(job: Job, thread: MakerThread): Promise<void> {
    const startedMs = performance.now();
    const { key } = job.test;
    try {
      await thread.make(key, hash(key));
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      this.#onProgress(`made ${key} in ${seconds} s, ${this.#waiting.length} to go`);
      job.settle();
    } catch (error) {
      this.#onProgress(`could not make ${key}: ${error}`);
      job.settle(String(error));
      // It may be gone; the next job gets another one.
      this.#threads.delete(thread);
      await thread.end();
    } finally {
      this.#jobs.delete(key);
      this.#busy.delete(thread);
      this.#work();
    }
  }
}

/** Rough number of rows, to order the work. */
function sizeOf({ recipe }: Test): number {
  return recipe?.kind === "program"
    ? recipe.options.cycles / Math.max(recipe.options.everyS, 1e-3)
    : 0;
}
