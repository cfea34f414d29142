/** The RLE / bit-packed hybrid: definition and repetition levels, dictionary indexes, booleans. */
import { damaged } from "./damaged.ts";

/**
 * Walks runs of a hybrid stream without unpacking what is skipped.
 * Every read is checked against the stream's end, so a hostile run length costs nothing.
 */
export class HybridReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #width: number;
  #at: number;
  /** Values left in the current run. */
  #left = 0;
  #packed = false;
  #value = 0;
  /** Packed runs: bit that holds the next value, from the stream's first byte. */
  #bit = 0;

  /** @param width bits of a value, 0 to 32 */
  constructor(bytes: Uint8Array, at: number, end: number, width: number) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = Math.min(end, bytes.length);
    this.#width = width;
    if (width > 32) {
      throw damaged(`values of ${width} bits in a run`);
    }
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || this.#at >= this.#end) {
        throw damaged("a page has fewer values than it says");
      }
      this.#at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        return value;
      }
    }
    throw damaged("a run length is too long");
  }

  #nextRun(): void {
    if (this.#width === 0) {
      this.#left = Number.POSITIVE_INFINITY;
      this.#value = 0;
      return;
    }
    const header = this.#varint();
    const length = Math.floor(header / 2);
    this.#packed = header % 2 === 1;
    if (this.#packed) {
      // A writer may leave out the padding of the last group.
      const available = (this.#end - this.#at) * 8;
      this.#bit = this.#at * 8;
      this.#left = Math.min(length * 8, Math.floor(available / this.#width));
      this.#at = Math.min(this.#end, this.#at + length * this.#width);
      if (this.#left === 0 && length > 0) {
        throw damaged("a packed run has no bytes");
      }
      return;
    }
    const size = (this.#width + 7) >> 3;
    if (this.#at + size > this.#end) {
      throw damaged("a run has no value");
    }
    let value = 0;
    for (let index = 0; index < size; index += 1) {
      value += (this.#bytes[this.#at + index] as number) * 2 ** (8 * index);
    }
    if (value >= 2 ** this.#width) {
      throw damaged(`a run repeats a value that does not fit into ${this.#width} bits`);
    }
    this.#value = value;
    this.#at += size;
    this.#left = length;
  }

  /** Passes over `count` values. */
  skip(count: number): void {
    let rest = count;
    while (rest > 0) {
      if (this.#left === 0) {
        this.#nextRun();
        continue;
      }
      const step = Math.min(rest, this.#left);
      this.#left -= step;
      this.#bit += step * this.#width;
      rest -= step;
    }
  }

  /** Fills `out` with the next `out.length` values. */
  read(out: Uint8Array | Uint32Array): void {
    let done = 0;
    while (done < out.length) {
      if (this.#left === 0) {
        this.#nextRun();
        continue;
      }
      const step = Math.min(out.length - done, this.#left);
      if (this.#packed) {
        this.#unpack(out, done, done + step);
      } else {
        out.fill(this.#value, done, done + step);
      }
      this.#left -= step;
      done += step;
    }
  }

  /** The next run as far as `most` values: one repeated value, or undefined where values are packed (nothing is passed then). */
  repeated(most: number): { value: number; count: number } | undefined {
    while (this.#left === 0) {
      this.#nextRun();
    }
    if (this.#packed) {
      return undefined;
    }
    const count = Math.min(most, this.#left);
    this.#left -= count;
    return { value: this.#value, count };
  }

  /** Values of the current packed run, at most `most`. */
  packed(most: number): number {
    return Math.min(most, this.#left);
  }

  #unpack(out: Uint8Array | Uint32Array, from: number, to: number): void {
    const bytes = this.#bytes;
    const width = this.#width;
    const mask = width === 32 ? -1 : (1 << width) - 1;
    let bit = this.#bit;
    for (let index = from; index < to; index += 1) {
      let at = bit >>> 3;
      let have = 8 - (bit & 7);
      let value = (bytes[at] as number) >>> (bit & 7);
      while (have < width) {
        at += 1;
        value |= (bytes[at] as number) << have;
        have += 8;
      }
      out[index] = (value & mask) >>> 0;
      bit += width;
    }
    this.#bit = bit;
  }
}

/** Which rows of a page's stretch have a value. */
export interface Validity {
  /** Values before the stretch, in the stretch, and in the whole page. */
  readonly before: number;
  readonly count: number;
  readonly total: number;
  /** `(to - from,)` 1 where there is a value; undefined where all have one. */
  readonly valid: Uint8Array | undefined;
}

/** Reads one-bit definition levels of a flat column for rows `from` (inclusive) to `to` (exclusive) of a page of `rows` rows. */
export function readValidity(levels: Uint8Array, rows: number, from: number, to: number): Validity {
  const reader = new HybridReader(levels, 0, levels.length, 1);
  let row = 0;
  let before = 0;
  let count = 0;
  let total = 0;
  let valid: Uint8Array | undefined;
  const nullsFrom = (start: number): Uint8Array => {
    valid ??= new Uint8Array(to - from).fill(1, 0, Math.max(0, start - from));
    return valid;
  };
  const note = (value: number, start: number, end: number): void => {
    const inside = Math.max(0, Math.min(end, to) - Math.max(start, from));
    if (value === 1) {
      total += end - start;
      before += Math.max(0, Math.min(end, from) - start);
      count += inside;
      valid?.fill(1, Math.max(0, start - from), Math.max(0, Math.min(end, to) - from));
    } else if (inside > 0) {
      nullsFrom(start);
    }
  };
  while (row < rows) {
    const run = reader.repeated(rows - row);
    if (run !== undefined) {
      note(run.value, row, row + run.count);
      row += run.count;
      continue;
    }
    const scratch = new Uint8Array(Math.min(reader.packed(rows - row), 65_536));
    reader.read(scratch);
    for (let index = 0; index < scratch.length; index += 1) {
      note(scratch[index] as number, row + index, row + index + 1);
    }
    row += scratch.length;
  }
  return { before, count, total, valid };
}
