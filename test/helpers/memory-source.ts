/** A file in memory as a byte source that counts what is asked of it. */
import type { ByteRange, ByteSource } from "../../src/byte-source.ts";

export interface CountedSource extends ByteSource {
  /** Calls of `read`, ranges of all of them, and their bytes. */
  readonly asked: { reads: number; ranges: ByteRange[]; bytes: number };
}

let files = 0;

/** @param tailBytes how much of the end came with opening [bytes] */
export function memorySource(
  bytes: Uint8Array,
  options: { version?: string; tailBytes?: number } = {},
): CountedSource {
  files += 1;
  const { version = `file-${files}`, tailBytes = 128 * 1024 } = options;
  const tailStart = Math.max(0, bytes.length - tailBytes);
  const asked: CountedSource["asked"] = { reads: 0, ranges: [], bytes: 0 };
  return {
    version,
    size: bytes.length,
    tail: bytes.slice(tailStart),
    tailStart,
    asked,
    async read(ranges, onRange) {
      asked.reads += 1;
      asked.ranges.push(...ranges);
      for (const [index, { start, end }] of ranges.entries()) {
        asked.bytes += end - start;
        await Promise.resolve();
        onRange(index, bytes.slice(start, end));
      }
    },
  };
}
