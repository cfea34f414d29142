/** How many requests may be in flight at once, shared fairly: between identities first, between the calls of each then. */
import type { Limits } from "./limits.ts";

/** Calls of one identity that wait, each with its requests. Maps keep their order: the front is served next. */
type Calls = Map<Limits, (() => void)[]>;

/** Moves the front of a queue to its back, and gives it. */
function rotate<K, V>(queue: Map<K, V>): [K, V] | undefined {
  const next = queue.entries().next();
  if (next.done) {
    return undefined;
  }
  const [key, value] = next.value;
  queue.delete(key);
  queue.set(key, value);
  return next.value;
}

export class Slots {
  #free: number;
  readonly #waiting = new Map<string, Calls>();

  /** @param limit most slots taken at once, ≥ 1 */
  constructor(limit: number) {
    this.#free = limit;
  }

  /** Waits for a slot; the function returned gives it back and must be called once. */
  async take(call: Limits, doing: string): Promise<() => void> {
    if (this.#free > 0) {
      call.check(doing);
      this.#free--;
    } else {
      await call.wait<void>(doing, (settle) => this.#enqueue(call, settle));
    }
    return () => this.#release();
  }

  #enqueue(call: Limits, settle: () => void): () => void {
    const calls: Calls = this.#waiting.get(call.identity) ?? new Map();
    this.#waiting.set(call.identity, calls);
    const queue = calls.get(call) ?? [];
    calls.set(call, queue);
    queue.push(settle);
    return () => {
      const place = queue.indexOf(settle);
      if (place >= 0) {
        queue.splice(place, 1);
        this.#dropEmpty(call, calls, queue);
      }
    };
  }

  #release(): void {
    const calls = rotate(this.#waiting)?.[1];
    const next = calls === undefined ? undefined : rotate(calls);
    if (calls === undefined || next === undefined) {
      this.#free++;
      return;
    }
    const [call, queue] = next;
    const settle = queue.shift();
    this.#dropEmpty(call, calls, queue);
    settle?.();
  }

  #dropEmpty(call: Limits, calls: Calls, queue: readonly unknown[]): void {
    if (queue.length === 0 && calls.delete(call) && calls.size === 0) {
      this.#waiting.delete(call.identity);
    }
  }
}
