/** Tries: a request is sent again after what another try may mend, within one call's time. */
import { ToolError } from "../errors.ts";
import { readStart } from "./body.ts";
import {
  type Connections,
  createConnections,
  exchange,
  type Outgoing,
  type Reply,
} from "./exchange.ts";
import type { Limits, Sleep } from "./limits.ts";
import { retryAfterMs } from "./refusal.ts";
import { Setback } from "./setback.ts";
import { Slots } from "./slots.ts";

/** Tries of one request, the first included. */
const MAX_TRIES = 4;
/** Waits grow as 300, 600, 1200 ms; each is drawn evenly from zero up to that [ms]. */
const FIRST_BACKOFF_MS = 300;
/** Error bodies are quoted, not kept: their start is enough [bytes]. */
const MAX_ERROR_BODY = 64 * 1024;

const WORTH_ANOTHER_TRY = new Set([429, 500, 502, 503, 504]);

export interface SenderOptions {
  readonly tryMs: number;
  readonly concurrency: number;
  readonly connections?: Connections;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly log: (message: string, details: Record<string, string | number>) => void;
}

/** Makes the error of an answer that is not what was wanted; `text` is the start of its body. */
export type RefusalOf = (reply: Reply, start: Uint8Array, waitMs: number | undefined) => ToolError;

export class Sender {
  readonly #options: SenderOptions;
  readonly #connections: Connections;
  readonly #slots: Slots;
  #closed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#connections = options.connections ?? createConnections();
    this.#slots = new Slots(options.concurrency);
  }

  /**
   * Sends a request, again where that may help, and gives the answer to `receive`; what `receive` throws as a Setback
   * counts as a failed try.
   * @throws ToolError
   */
  async send<T>(
    outgoing: Outgoing,
    call: Limits,
    refusalOf: RefusalOf,
    receive: (reply: Reply) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try(outgoing, call, async (reply) => {
        if (WORTH_ANOTHER_TRY.has(reply.status)) {
          const waitMs = retryAfterMs(reply.header("retry-after"), Date.now());
          const start = await readStart(reply, MAX_ERROR_BODY);
          throw new Setback(refusalOf(reply, start, waitMs), "later", waitMs);
        }
        return { value: await receive(reply) };
      });
      if (!(outcome instanceof Setback)) {
        return outcome.value;
      }
      await this.#prepareNext(outcome, tries, outgoing.what, call);
    }
  }

  /** Ends every connection; what is in flight fails. */
  close(): void {
    this.#closed = true;
    this.#connections.plain.destroy();
    this.#connections.secure.destroy();
  }

  async #try<T>(
    outgoing: Outgoing,
    call: Limits,
    receive: (reply: Reply) => Promise<T>,
  ): Promise<T | Setback> {
    if (this.#closed) {
      throw new ToolError("CANCELLED", `${outgoing.what} was not sent: the server is closing`);
    }
    const release = await this.#slots.take(
      call,
      `waiting for ${outgoing.what} behind ${this.#options.concurrency} other requests`,
    );
    try {
      return await exchange(this.#connections, this.#options.tryMs, outgoing, call, receive);
    } catch (error) {
      if (error instanceof Setback) {
        return error;
      }
      throw error;
    } finally {
      release();
    }
  }

  /** Waits until the next try is due. @throws ToolError when there will be none */
  async #prepareNext(setback: Setback, tries: number, what: string, call: Limits): Promise<void> {
    const { failure, again } = setback;
    if (again === "never" || tries === MAX_TRIES || this.#closed) {
      throw tries === 1 ? failure : triedAgain(failure, tries);
    }
    const { random, sleep, log } = this.#options;
    const backoffMs = again === "now" ? 0 : random() * FIRST_BACKOFF_MS * 2 ** (tries - 1);
    const waitMs = setback.waitMs ?? backoffMs;
    if (waitMs >= call.remainingMs) {
      throw failure;
    }
    log("another try", { what, tries, waitMs: Math.round(waitMs), because: failure.message });
    if (waitMs > 0) {
      const doing = `waiting to try ${what} again (${failure.message})`;
      await call.wait<void>(doing, (settle) => sleep(waitMs, () => settle()));
    }
  }
}

function triedAgain(failure: ToolError, tries: number): ToolError {
  return new ToolError(failure.code, `${failure.message} (tried ${tries} times)`, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    cause: failure,
  });
}
