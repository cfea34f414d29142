/** What was decoded, kept while there is room: least recently used goes first. */

interface Entry {
  readonly value: unknown;
  readonly sizeBytes: number;
  readonly expiresMs: number;
}

export class ByteCache {
  readonly #entries = new Map<string, Entry>();
  readonly maxBytes: number;
  #bytes = 0;

  /** @param maxBytes room for all values together [bytes] */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.#entries.delete(key);
    if (entry.expiresMs < Date.now()) {
      this.#bytes -= entry.sizeBytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.value as T;
  }

  /** Keeps a value; one that takes more than half of the room is not kept. `ttlMs`: for how long [ms]. */
  set(key: string, value: unknown, sizeBytes: number, ttlMs = Number.POSITIVE_INFINITY): void {
    this.delete(key);
    if (sizeBytes > this.maxBytes / 2) {
      return;
    }
    this.#entries.set(key, { value, sizeBytes, expiresMs: Date.now() + ttlMs });
    this.#bytes += sizeBytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) {
        break;
      }
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      this.#entries.delete(key);
      this.#bytes -= entry.sizeBytes;
    }
  }
}
