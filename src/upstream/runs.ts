/** Ranges → requests: near ones together, long ones in pieces. */
import type { ByteRange } from "../byte-source.ts";

/**
 * Bytes between two ranges that are read along rather than asked around [bytes]. A request costs about as much as 16 KiB
 * where it is cheap; more would read noticeably more than the pages that are wanted.
 */
const GAP = 16 * 1024;
/** Longest request [bytes]. */
const MAX_RUN = 8 * 1024 * 1024;

/** The requests that cover `ranges`: ascending, disjoint, each at most 8 MiB. Empty ranges need none. */
export function planRuns(ranges: readonly ByteRange[]): ByteRange[] {
  const spans: { start: number; end: number }[] = [];
  const wanted = ranges.filter(({ start, end }) => end > start);
  for (const { start, end } of wanted.sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1);
    if (last !== undefined && start <= last.end + GAP) {
      last.end = Math.max(last.end, end);
    } else {
      spans.push({ start, end });
    }
  }
  return spans.flatMap(({ start, end }) => {
    const count = Math.ceil((end - start) / MAX_RUN);
    const length = Math.ceil((end - start) / count);
    return Array.from({ length: count }, (_, index) => ({
      start: start + index * length,
      end: Math.min(end, start + (index + 1) * length),
    }));
  });
}

/**
 * Collects ranges out of runs that arrive in any order, each range in a buffer of its own that is handed over as soon as
 * it is full.
 */
export class RangeAssembly {
  readonly #ranges: readonly ByteRange[];
  readonly #buffers: Uint8Array[];
  readonly #missing: number[];
  readonly #onRange: (index: number, bytes: Uint8Array) => void;

  constructor(ranges: readonly ByteRange[], onRange: (index: number, bytes: Uint8Array) => void) {
    this.#ranges = ranges;
    // Nothing is handed over before it is full: there is no need to have it cleared first.
    this.#buffers = ranges.map(
      ({ start, end }) => new Uint8Array(Buffer.allocUnsafeSlow(end - start).buffer),
    );
    this.#missing = ranges.map(({ start, end }) => end - start);
    this.#onRange = onRange;
  }

  /** Writes bytes that stand at `place` in the file into every range that holds them. They do not count as there yet. */
  write(bytes: Uint8Array, place: number): void {
    this.#overlaps(place, place + bytes.length, (index, start, end) => {
      const range = this.#ranges[index] as ByteRange;
      const target = this.#buffers[index] as Uint8Array;
      target.set(bytes.subarray(start - place, end - place), start - range.start);
    });
  }

  /** Says that the file from `start` to `end`, disjoint from all that was said before, has been written whole. */
  complete(start: number, end: number): void {
    this.#overlaps(start, end, (index, from, to) => {
      const missing = (this.#missing[index] as number) - (to - from);
      this.#missing[index] = missing;
      if (missing === 0) {
        this.#onRange(index, this.#buffers[index] as Uint8Array);
      }
    });
  }

  /** Hands over the ranges that hold no bytes at all. */
  completeEmpty(): void {
    this.#ranges.forEach(({ start, end }, index) => {
      if (end === start) {
        this.#onRange(index, new Uint8Array(0));
      }
    });
  }

  #overlaps(
    start: number,
    end: number,
    visit: (index: number, from: number, to: number) => void,
  ): void {
    this.#ranges.forEach((range, index) => {
      const from = Math.max(start, range.start);
      const to = Math.min(end, range.end);
      if (from < to) {
        visit(index, from, to);
      }
    });
  }
}
