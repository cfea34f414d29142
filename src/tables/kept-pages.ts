/** Pages and dictionaries of a file as they were decompressed, for the next window. */
import type { ByteCache } from "./byte-cache.ts";
import type { Page } from "./page.ts";
import { type Physical, sizeOf } from "./physical.ts";

/** What an entry takes besides its bytes [bytes]. */
const ENTRY_BYTES = 300;

export class KeptPages {
  readonly #cache: ByteCache;
  readonly #version: string;
  readonly #isKeeping: boolean;

  /** @param isKeeping whether what is new is kept for the next call */
  constructor(cache: ByteCache, version: string, isKeeping: boolean) {
    this.#cache = cache;
    this.#version = version;
    this.#isKeeping = isKeeping;
  }

  /** The page that starts at byte `start`, decompressed further where a window needs more of it than those before. */
  page(start: number, rowsNeeded: number): Page | undefined {
    const kept = this.#cache.get<Page>(this.#key(start));
    if (kept === undefined || kept.rowsThere >= rowsNeeded || kept.whole === undefined) {
      return kept;
    }
    const whole = kept.whole();
    this.keepPage(start, whole);
    return whole;
  }

  keepPage(start: number, page: Page): void {
    this.#keep(start, page, page.sizeBytes);
  }

  dictionary(start: number): Physical | undefined {
    return this.#cache.get<Physical>(this.#key(start));
  }

  keepDictionary(start: number, dictionary: Physical): void {
    this.#keep(start, dictionary, sizeOf(dictionary));
  }

  #keep(start: number, value: Page | Physical, sizeBytes: number): void {
    if (this.#isKeeping) {
      this.#cache.set(this.#key(start), value, sizeBytes + ENTRY_BYTES);
    }
  }

  #key(start: number): string {
    return `${this.#version}#${start}`;
  }
}
