/** The worker's side of a file: its end came with the job, other ranges are asked for by message and come as they arrive. */
import type { ByteRange } from "../byte-source.ts";
import type { TableBody } from "./body-format.ts";
import { damaged } from "./damaged.ts";

/** Sends a request for ranges to the main thread; the answers come through {@link RemoteSource.arrived}. */
export type AskRanges = (request: number, ranges: readonly ByteRange[]) => void;

/** The end of a file, as far as it is at hand. */
export interface FileTail {
  readonly bytes: Uint8Array;
  /** Place of its first byte in the file. */
  readonly start: number;
}

interface Pending {
  readonly ranges: readonly ByteRange[];
  readonly onRange: (index: number, bytes: Uint8Array, mediaType: string) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  left: number;
}

export class RemoteSource {
  readonly version: string;
  readonly size: number;
  readonly #ask: AskRanges;
  readonly #tail: FileTail;
  readonly #pending = new Map<number, Pending>();
  #requests = 0;
  #failure: unknown;

  constructor(
    version: string,
    size: number,
    ask: AskRanges,
    tail: FileTail = { bytes: new Uint8Array(0), start: size },
  ) {
    this.version = version;
    this.size = size;
    this.#ask = ask;
    this.#tail = tail;
  }

  /** Reads ranges; `onRange` is called for each as soon as it is there. An error of `onRange` rejects. */
  read(
    ranges: readonly ByteRange[],
    onRange: (index: number, bytes: Uint8Array) => void,
  ): Promise<void> {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    const outside = ranges.find(({ start, end }) => start < 0 || end > this.size || start > end);
    if (outside !== undefined) {
      return Promise.reject(
        damaged(`it points at bytes ${outside.start} to ${outside.end} of ${this.size}`),
      );
    }
    return new Promise((resolve, reject) => {
      const far = ranges.flatMap(({ start }, index) => (start < this.#tail.start ? [index] : []));
      if (far.length > 0) {
        this.#requests += 1;
        const wanted = far.map((index) => ranges[index] as ByteRange);
        const onFar: Pending["onRange"] = (place, bytes) => onRange(far[place] as number, bytes);
        this.#pending.set(this.#requests, {
          ranges: wanted,
          onRange: onFar,
          resolve,
          reject,
          left: far.length,
        });
        this.#ask(this.#requests, wanted);
      }
      // While those are on their way.
      for (const [index, { start, end }] of ranges.entries()) {
        if (start >= this.#tail.start) {
          onRange(
            index,
            this.#tail.bytes.subarray(start - this.#tail.start, end - this.#tail.start),
          );
        }
      }
      if (far.length === 0) {
        resolve();
      }
    });
  }

  /** The whole body, whatever its length, and its media type ("" where it is not told). */
  readWhole(): Promise<TableBody> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#requests += 1;
      const onRange = (_: number, bytes: Uint8Array, mediaType: string): void =>
        resolve({ bytes, mediaType });
      this.#pending.set(this.#requests, {
        ranges: [],
        onRange,
        resolve: () => undefined,
        reject,
        left: 1,
      });
      this.#ask(this.#requests, []);
    });
  }

  async readOne(range: ByteRange): Promise<Uint8Array> {
    let found = new Uint8Array(0);
    if (range.end > range.start) {
      await this.read([range], (_, bytes) => {
        found = bytes as Uint8Array<ArrayBuffer>;
      });
    }
    return found;
  }

  arrived(request: number, index: number, bytes: Uint8Array, mediaType = ""): void {
    const pending = this.#pending.get(request);
    if (pending === undefined) {
      return;
    }
    try {
      const range = pending.ranges[index];
      const whole = pending.ranges.length === 0;
      if (!whole && bytes.length !== (range?.end ?? 0) - (range?.start ?? 0)) {
        throw damaged(`a range of it has ${bytes.length} bytes`);
      }
      pending.onRange(index, bytes, mediaType);
      pending.left -= 1;
      if (pending.left === 0) {
        this.#pending.delete(request);
        pending.resolve();
      }
    } catch (error) {
      this.#pending.delete(request);
      pending.reject(error);
    }
  }

  /** Ends every read, now and later. */
  fail(error: unknown): void {
    this.#failure = error;
    for (const pending of this.#pending.values()) {
      pending.reject(error);
    }
    this.#pending.clear();
  }
}
