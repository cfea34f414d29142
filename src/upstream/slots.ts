/** How many requests may be in flight at once, shared fairly between calls. */
import type { Limits } from "./limits.ts";

export class Slots {
  #free: number;
  /** Who waits, by call. The call at the front is served next and then goes to the back. */
  readonly #waiting = new Map<Limits, (() => void)[]>();

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
    const queue = this.#waiting.get(call) ?? [];
    this.#waiting.set(call, queue);
    queue.push(settle);
    return () => {
      const place = queue.indexOf(settle);
      if (place >= 0) {
        queue.splice(place, 1);
      }
      if (queue.length === 0 && this.#waiting.get(call) === queue) {
        this.#waiting.delete(call);
      }
    };
  }

  #release(): void {
    const next = this.#waiting.entries().next();
    if (next.done) {
      this.#free++;
      return;
    }
    const [call, queue] = next.value;
    const settle = queue.shift();
    this.#waiting.delete(call);
    if (queue.length > 0) {
      this.#waiting.set(call, queue);
    }
    settle?.();
  }
}
