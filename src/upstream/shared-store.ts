/** What the replicas of a hosted server share: sealed bytes under names, kept elsewhere for a while. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Limits } from "./limits.ts";

/** A store of bytes outside this process. Never fails: what it cannot give, it does not have. */
export interface SharedStore {
  /** Values in the order of their keys; undefined where there is none. */
  get(keys: readonly string[]): Promise<(Uint8Array | undefined)[]>;
  /** Keeps a value for `lifeMs` [ms], if it can. */
  set(key: string, value: Uint8Array, lifeMs: number): void;
  /** Takes each key that is free for `lifeMs` [ms]; true where it was, and where nobody can tell. */
  claim(keys: readonly string[], lifeMs: number): Promise<boolean[]>;
  delete(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Longest value that is shared [bytes]. */
export const MAX_SHARED_BYTES = 2 * 1024 * 1024;

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A shared store as one identity uses it. Values are encrypted and names hashed with a key that is made of the credential:
 * whoever reads the store learns nothing, whoever writes to it without the credential is not believed.
 */
export class SealedStore {
  readonly #store: SharedStore;
  readonly #key: Buffer;

  /** @param identity all that tells one identity from another, the credential included */
  constructor(store: SharedStore, identity: string) {
    this.#store = store;
    this.#key = createHmac("sha256", "vitrine shared store 1").update(identity).digest();
  }

  async get(names: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    const keys = names.map((name) => this.#keyOf(name));
    const sealed = await this.#store.get(keys);
    return sealed.map((value, index) => value && this.#unseal(keys[index] as string, value));
  }

  /** Keeps a copy of the value, unless it is over 2 MiB. */
  set(name: string, value: Uint8Array, lifeMs: number): void {
    if (value.length <= MAX_SHARED_BYTES) {
      const key = this.#keyOf(name);
      this.#store.set(key, this.#seal(key, value), lifeMs);
    }
  }

  claim(names: readonly string[], lifeMs: number): Promise<boolean[]> {
    return this.#store.claim(
      names.map((name) => this.#claimOf(name)),
      lifeMs,
    );
  }

  release(names: readonly string[]): Promise<void> {
    const claims = names.map((name) => this.#claimOf(name));
    return claims.length === 0 ? Promise.resolve() : this.#store.delete(claims);
  }

  delete(name: string): Promise<void> {
    return this.#store.delete([this.#keyOf(name)]);
  }

  #keyOf(name: string): string {
    return `vitrine:1:${createHmac("sha256", this.#key).update(name).digest("base64url")}`;
  }

  #claimOf(name: string): string {
    return `${this.#keyOf(name)}:claim`;
  }

  #seal(key: string, value: Uint8Array): Uint8Array {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(key));
    const text = [cipher.update(value), cipher.final()];
    return Buffer.concat([iv, cipher.getAuthTag(), ...text]);
  }

  #unseal(key: string, sealed: Uint8Array): Uint8Array | undefined {
    if (sealed.length < IV_BYTES + TAG_BYTES) {
      return undefined;
    }
    const iv = sealed.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(key));
    decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
    try {
      decipher.final();
    } catch {
      // Somebody else's, or damaged: as good as none.
      return undefined;
    }
    // A buffer of its own: its receiver may transfer it.
    return Uint8Array.from(text);
  }
}

/** How long a replica has what it claimed to itself, and others wait for it at most [ms]. */
const CLAIM_MS = 2_000;
/** Time between two looks at what another replica is fetching [ms]. */
const LOOK_EVERY_MS = 15;

export interface SharedWork {
  readonly names: readonly string[];
  /** How long what is fetched is shared [ms]. */
  readonly lifeMs: number;
  readonly call: Limits;
  /** What goes on, for messages. */
  readonly doing: string;
  /** Gets a piece that another replica fetched; its buffer is the receiver's. */
  use(index: number, bytes: Uint8Array): void;
  /** Fetches pieces; what is given to `keep`, with its place in `indexes`, is shared. */
  fetch(
    indexes: readonly number[],
    keep: (place: number, bytes: Uint8Array) => void,
  ): Promise<void>;
}

/** Takes what is shared and fetches the rest, each piece by one replica; the others wait for it, at most 2 s. */
export async function shareWork(store: SealedStore, work: SharedWork): Promise<void> {
  const { call, doing, names } = work;
  const nameOf = (index: number): string => names[index] as string;
  const keep = (index: number, bytes: Uint8Array): void =>
    store.set(nameOf(index), bytes, work.lifeMs);
  /** Uses what is there; returns what is not. */
  const look = async (indexes: readonly number[]): Promise<number[]> => {
    const found = await store.get(indexes.map(nameOf));
    call.check(doing);
    return indexes.filter((index, place) => {
      const bytes = found[place];
      if (bytes !== undefined) {
        work.use(index, bytes);
      }
      return bytes === undefined;
    });
  };
  const untilMs = performance.now() + CLAIM_MS;
  let missing = await look(names.map((_, index) => index));
  while (missing.length > 0) {
    const free = await store.claim(missing.map(nameOf), CLAIM_MS);
    const late = performance.now() > untilMs;
    const mine = missing.filter((_, place) => late || free[place]);
    const others = missing.filter((index) => !mine.includes(index));
    try {
      // Whoever had claimed them before may have fetched them since.
      const wanted = mine.length === 0 ? [] : await look(mine);
      if (wanted.length > 0) {
        const place = (at: number): number => wanted[at] as number;
        await work.fetch(wanted, (at, bytes) => keep(place(at), bytes));
      }
    } finally {
      await store.release(mine.map(nameOf));
    }
    if (others.length > 0 && mine.length === 0) {
      await call.wait<void>(doing, (settle) => {
        const timer = setTimeout(settle, LOOK_EVERY_MS);
        return () => clearTimeout(timer);
      });
    }
    missing = others.length === 0 ? [] : await look(others);
  }
}
