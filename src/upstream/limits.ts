/** One call's limits, its cancel and its deadline, and its cost: for everything that is done on its behalf. */
import type { CallContext, Cost } from "../contract.ts";
import { ToolError } from "../errors.ts";

type StopReason = "cancelled" | "late";

/** Starts a wait of `ms` [ms] that ends with `done`; returns the way to give it up. */
export type Sleep = (ms: number, done: () => void) => () => void;

export class Limits {
  readonly cost: Cost;
  /** On whose behalf: names a credential without giving it away; what is scarce is shared between identities first. */
  readonly identity: string;
  readonly progress: CallContext["progress"];
  readonly #signal: AbortSignal;
  readonly #totalMs: number;
  readonly #until: number;
  readonly #stops = new Set<(reason: StopReason) => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param totalMs time for everything that one call asks of its upstream, waiting included [ms] */
  constructor(
    context: CallContext,
    totalMs: number,
    identity: string,
    until = performance.now() + totalMs,
  ) {
    this.cost = context.cost;
    this.identity = identity;
    this.progress = context.progress;
    this.#signal = context.signal;
    this.#totalMs = totalMs;
    this.#until = until;
  }

  /** Time left [ms], negative when it is over. */
  get remainingMs(): number {
    return this.#until - performance.now();
  }

  /** @throws ToolError when the call is over already */
  check(doing: string): void {
    if (this.#signal.aborted) {
      throw this.#error("cancelled", doing);
    }
    if (this.remainingMs <= 0) {
      throw this.#error("late", doing);
    }
  }

  /**
   * Calls `stop` once the call is cancelled or out of time, not before this function returned; returns the way to
   * unsubscribe. However many wait, the signal has one listener and the deadline one timer.
   */
  onStop(doing: string, stop: (error: ToolError) => void): () => void {
    const entry = (reason: StopReason): void => stop(this.#error(reason, doing));
    if (this.#stops.size === 0) {
      this.#signal.addEventListener("abort", this.#cancel);
      this.#timer = setTimeout(this.#late, Math.max(0, this.remainingMs));
    }
    this.#stops.add(entry);
    return () => {
      if (this.#stops.delete(entry) && this.#stops.size === 0) {
        this.#signal.removeEventListener("abort", this.#cancel);
        clearTimeout(this.#timer);
      }
    };
  }

  /**
   * Waits for what `subscribe` announces, at most until the call is over. `subscribe` returns its clean-up, which runs
   * in the same turn as the end of the wait, so that nothing is ever handed to somebody who left.
   */
  async wait<T>(
    doing: string,
    subscribe: (settle: (value: T) => void, fail: (error: unknown) => void) => () => void,
  ): Promise<T> {
    this.check(doing);
    return new Promise<T>((resolve, reject) => {
      let leave: (() => void) | undefined;
      let over = false;
      const end = (act: () => void): void => {
        if (!over) {
          over = true;
          off();
          leave?.();
          act();
        }
      };
      const off = this.onStop(doing, (error) => end(() => reject(error)));
      leave = subscribe(
        (value) => end(() => resolve(value)),
        (error) => end(() => reject(error)),
      );
      if (over) {
        leave();
      }
    });
  }

  /**
   * Does several things at once within these limits. The first failure ends the others, and is thrown when all have ended,
   * so that nothing goes on behind the back of whoever catches it.
   */
  async together<T>(
    doing: string,
    items: readonly T[],
    work: (item: T, limits: Limits) => Promise<void>,
  ): Promise<void> {
    if (items.length === 0) {
      return;
    }
    this.check(doing);
    const controller = new AbortController();
    const { cost, progress } = this;
    const context = { signal: controller.signal, cost, ...(progress ? { progress } : {}) };
    const inner = new Limits(context, this.#totalMs, this.identity, this.#until);
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown): void => {
      failure ??= { error };
      controller.abort();
    };
    const off = this.onStop(doing, fail);
    await Promise.all(items.map((item) => work(item, inner).catch(fail)));
    off();
    if (failure !== undefined) {
      throw (failure as { error: unknown }).error;
    }
  }

  #error(reason: StopReason, doing: string): ToolError {
    return reason === "cancelled"
      ? new ToolError("CANCELLED", `The call was cancelled while ${doing}`)
      : new ToolError(
          "TIMED_OUT",
          `The ${this.#totalMs / 1000} s that one call may take were over while ${doing}`,
          { hint: "Ask for less (fewer columns, a smaller limit) or try again in a minute" },
        );
  }

  readonly #cancel = (): void => this.#end("cancelled");
  readonly #late = (): void => this.#end("late");

  #end(reason: StopReason): void {
    for (const stop of [...this.#stops]) {
      stop(reason);
    }
  }
}
