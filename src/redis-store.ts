/** A shared store in Redis or Valkey that calls never wait for long, nor fail with. */
import { createClient, RESP_TYPES } from "@redis/client";
import type { Log } from "./log.ts";
import type { SharedStore } from "./upstream/shared-store.ts";

/** Longest wait for one answer [ms]. */
const ANSWER_MS = 100;
/** Failures in a row after which the store is left alone, and for how long [ms]. */
const MAX_FAILURES = 3;
const REST_MS = 5_000;
/** Longest time between two tries to connect [ms]. */
const MAX_RECONNECT_MS = 5_000;
/** A connection on which nothing comes for so long is given up [ms]; it is asked for a sign of life more often. */
const SILENCE_MS = 15_000;
const PING_MS = 5_000;

/** Settles with undefined when the answer is late. What came while this process was busy is not late. */
function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(resolve, undefined), ANSWER_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Connects when it can; until then, and whenever it cannot, the store is empty. @param url redis: or rediss: */
export function openRedisStore(url: string, log: Log): SharedStore {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    socket: {
      connectTimeout: MAX_RECONNECT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, MAX_RECONNECT_MS),
    },
  }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  let failures = 0;
  let restUntilMs = 0;
  let told = false;
  const failed = (reason: string): void => {
    failures++;
    if (failures >= MAX_FAILURES) {
      restUntilMs = performance.now() + REST_MS;
    }
    if (!told) {
      told = true;
      log.warn("the shared cache does not answer; calls go on without it", { reason });
    }
  };
  const reasonOf = (error: unknown): string =>
    (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  client.on("error", (error) => failed(reasonOf(error)));
  const connected = client.connect().catch((error: unknown) => failed(reasonOf(error)));

  /** @param otherwise the answer where there is none */
  const ask = async <T>(send: () => Promise<T>, otherwise: T): Promise<T> => {
    if (performance.now() < restUntilMs) {
      return otherwise;
    }
    try {
      // Before the first connection nobody knows whether there is a store: that moment is waited for, once.
      await inTime(connected);
      const answer = await inTime(send());
      if (answer === undefined) {
        failed("no answer in time");
        return otherwise;
      }
      failures = 0;
      if (told) {
        told = false;
        log.warn("the shared cache answers again");
      }
      return answer;
    } catch (error) {
      failed(reasonOf(error));
      return otherwise;
    }
  };

  return {
    async get(keys) {
      const values = await ask(async () => client.mGet([...keys]), []);
      return keys.map((_, index) => (values[index] as Buffer | null | undefined) ?? undefined);
    },
    set(key, value, lifeMs) {
      const expiration = { type: "PX", value: Math.max(1, Math.ceil(lifeMs)) } as const;
      void ask(async () => client.set(key, Buffer.from(value), { expiration }), null);
    },
    claim(keys, lifeMs) {
      const expiration = { type: "PX", value: lifeMs } as const;
      const take = async (key: string): Promise<boolean> =>
        (await client.set(key, "1", { expiration, condition: "NX" })) !== null;
      return ask(
        () => Promise.all(keys.map(take)),
        keys.map(() => true),
      );
    },
    async delete(keys) {
      await ask(async () => client.del([...keys]), 0);
    },
    async close() {
      client.destroy();
    },
  };
}
