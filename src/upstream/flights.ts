/** Single flight: whoever asks for what is already under way shares it. */
import { Limits } from "./limits.ts";

interface Flight {
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  waiting: number;
}

export class Flights {
  readonly #flights = new Map<string, Flight>();
  readonly #totalMs: number;

  /** @param totalMs time that one shared piece of work may take [ms] */
  constructor(totalMs: number) {
    this.#totalMs = totalMs;
  }

  /**
   * Joins the work under `key`, or starts it. The work belongs to all who wait: one caller's cancel or deadline ends
   * that caller's wait, the last one's ends the work. Whoever started it bears its cost.
   */
  join<T>(
    key: string,
    call: Limits,
    doing: string,
    start: (shared: Limits) => Promise<T>,
  ): Promise<T> {
    return call.wait<T>(doing, (settle, fail) => {
      const flight = this.#flights.get(key) ?? this.#start(key, call, start);
      flight.waiting++;
      flight.result.then((value) => settle(value as T), fail);
      return () => {
        flight.waiting--;
        if (flight.waiting === 0) {
          this.#forget(key, flight);
          flight.controller.abort();
        }
      };
    });
  }

  #start(key: string, call: Limits, start: (shared: Limits) => Promise<unknown>): Flight {
    const controller = new AbortController();
    const { cost, progress } = call;
    const context = { signal: controller.signal, cost, ...(progress ? { progress } : {}) };
    const result = start(new Limits(context, this.#totalMs, call.identity));
    const flight: Flight = { result, controller, waiting: 0 };
    this.#flights.set(key, flight);
    const done = (): void => this.#forget(key, flight);
    result.then(done, done);
    return flight;
  }

  #forget(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) {
      this.#flights.delete(key);
    }
  }
}
