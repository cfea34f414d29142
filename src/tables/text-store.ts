/** Text and bytes as Arrow keeps them. */
import { tooLarge } from "./damaged.ts";

/** Most bytes of text that one stretch of a column may have [bytes]. */
const MAX_TEXT_BYTES = 128 * 1024 * 1024;

/** Bytes of values one after another, with `(n + 1,)` offsets. */
export class TextStore {
  readonly #offsets: Int32Array;
  #bytes: Uint8Array;
  #used = 0;

  constructor(rows: number) {
    this.#offsets = new Int32Array(rows + 1);
    this.#bytes = new Uint8Array(Math.max(64, rows * 8));
  }

  #grow(needed: number): void {
    if (needed > MAX_TEXT_BYTES) {
      throw tooLarge(
        `A column of text needs more than ${MAX_TEXT_BYTES} bytes`,
        "Ask for fewer rows, or leave this column out with columns=[...]",
      );
    }
    const grown = new Uint8Array(
      Math.min(MAX_TEXT_BYTES, Math.max(needed, this.#bytes.length * 2)),
    );
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }

  put(row: number, source: Uint8Array, start: number, end: number): void {
    const used = this.#used + end - start;
    if (used > this.#bytes.length) {
      this.#grow(used);
    }
    if (end - start < 24) {
      for (let index = start; index < end; index += 1) {
        this.#bytes[this.#used + index - start] = source[index] as number;
      }
    } else {
      this.#bytes.set(source.subarray(start, end), this.#used);
    }
    this.#used = used;
    this.#offsets[row + 1] = used;
  }

  /** A row without a value ends where the one before it ends. */
  skip(row: number): void {
    this.#offsets[row + 1] = this.#used;
  }

  finish(): { valueOffsets: Int32Array; data: Uint8Array } {
    return { valueOffsets: this.#offsets, data: this.#bytes.subarray(0, this.#used) };
  }
}
