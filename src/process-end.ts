/** The ways a server's process ends: with its host, always with exit code 0. */
import type { Readable } from "node:stream";
import type { Log } from "./log.ts";

/** How often it is checked whether the parent is still there [ms]. */
const PARENT_EVERY_MS = 1_000;

/** Longest time that cleaning up may take [ms]. */
const CLEANUP_MS = 500;

interface EndOptions {
  /** Ends children and connections. */
  readonly cleanUp: () => Promise<void>;
  readonly log: Log;
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export interface ProcessEndOptions extends EndOptions {
  readonly input: Readable;
  /** Longest time that calls in flight may still take when the input has ended [ms]. */
  readonly drainMs: number;
}

export interface SignalEndOptions extends EndOptions {
  /** Answers what is in flight, and takes nothing more. */
  readonly drain: () => Promise<void>;
}

/** Cleans up, for so long, and exits with 0. */
function exitAfter({ cleanUp, log }: EndOptions): void {
  const exit = () => process.exit(0);
  setTimeout(exit, CLEANUP_MS);
  cleanUp().then(exit, (error: unknown) => {
    log.warn("cleaning up failed", { error });
    exit();
  });
}

/** Ends this process on SIGTERM, SIGINT and SIGHUP, once it has drained; a second signal does not wait for that. */
export function endOnSignal({ drain, ...options }: SignalEndOptions): void {
  let draining = false;
  const end = (why: string): void => {
    options.log.info("the server ends", { why, draining });
    if (draining) {
      exitAfter(options);
      return;
    }
    draining = true;
    drain().then(
      () => exitAfter(options),
      (error: unknown) => {
        options.log.warn("the last answers failed", { error });
        exitAfter(options);
      },
    );
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => end(signal));
  }
}

/**
 * Ends this process on SIGTERM, SIGINT, SIGHUP, the parent's death, and some time after the end of its input.
 * @returns ends it now
 */
export function endWithHost(options: ProcessEndOptions): (why: string) => void {
  const { input, drainMs, log } = options;
  let ending = false;
  const end = (why: string): void => {
    if (ending) {
      return;
    }
    ending = true;
    log.debug("the server ends", { why });
    exitAfter(options);
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => end(signal));
  }
  input.once("end", () =>
    setTimeout(() => end("calls took too long after the end of input"), drainMs),
  );
  // Whoever inherits the other end of the pipe may keep it open for ever.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) {
      end("the parent process is gone");
    }
  }, PARENT_EVERY_MS).unref();
  return end;
}
