/** Switches for tests and load runs, reachable in process only. */
import { setTimeout as delay } from "node:timers/promises";

export type Side = "api" | "storage";

/** The next requests to one side are answered with a failure. */
export interface Failure {
  readonly side: Side;
  /** Requests that fail, ≥ 1. */
  times: number;
  /** Status to answer; 0 drops the connection without an answer. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Faults {
  /** Every answer waits this long [ms]. */
  latencyMs = 0;
  /** Lifetime of new links [ms]. */
  linkLifetimeMs: number;
  /** Most items of any page. */
  pageCap = Number.POSITIVE_INFINITY;
  readonly #failures: Failure[] = [];

  constructor(linkLifetimeMs: number) {
    this.linkLifetimeMs = linkLifetimeMs;
  }

  /** Makes coming requests fail; several failures queue up per side. */
  failNext(failure: Failure): void {
    this.#failures.push({ ...failure });
  }

  /** Waits as told; returns the failure that is due, if any. */
  async meet(side: Side): Promise<Failure | undefined> {
    if (this.latencyMs > 0) {
      await delay(this.latencyMs);
    }
    const failure = this.#failures.find((each) => each.side === side);
    if (failure !== undefined) {
      failure.times -= 1;
      if (failure.times <= 0) {
        this.#failures.splice(this.#failures.indexOf(failure), 1);
      }
    }
    return failure;
  }
}

/** What each side has served, for tests that count. */
export class Traffic {
  readonly requests = { api: 0, storage: 0 };
  /** Body bytes sent. */
  readonly bytes = { api: 0, storage: 0 };
}
