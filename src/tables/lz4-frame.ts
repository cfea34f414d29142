/** LZ4 frames, as Arrow's files hold them; every length checked. */
import { damaged, tooLarge } from "./damaged.ts";

const MAGIC = 0x184d2204;
/** Largest content of one frame [bytes]. */
const MAX_CONTENT_BYTES = 512 * 1024 * 1024;

/** Output that grows; blocks may copy from the ones before. */
class Output {
  #bytes: Uint8Array;
  length = 0;

  constructor(sizeBytes: number) {
    this.#bytes = new Uint8Array(sizeBytes);
  }

  #makeRoom(length: number): void {
    const needed = this.length + length;
    if (needed > MAX_CONTENT_BYTES) {
      throw tooLarge(
        `An LZ4 frame of the table has more than ${MAX_CONTENT_BYTES} bytes`,
        "Ask the service for a part of it",
      );
    }
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
  }

  put(source: Uint8Array): void {
    this.#makeRoom(source.length);
    this.#bytes.set(source, this.length);
    this.length += source.length;
  }

  /** Copies what was written `distance` bytes ago; the copy may overlap itself. */
  repeat(distance: number, length: number): void {
    if (distance === 0 || distance > this.length) {
      throw damaged("an LZ4 frame copies from outside itself");
    }
    this.#makeRoom(length);
    const bytes = this.#bytes;
    const start = this.length;
    for (let index = 0; index < length; index += 1) {
      bytes[start + index] = bytes[start + index - distance] as number;
    }
    this.length += length;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

function block(input: Uint8Array, output: Output): void {
  let at = 0;
  const longer = (short: number): number => {
    let length = short;
    for (let byte = 255; short === 15 && byte === 255; at += 1) {
      byte = input[at] ?? fail();
      length += byte;
    }
    return length;
  };
  while (at < input.length) {
    const token = input[at] as number;
    at += 1;
    const literals = longer(token >> 4);
    if (at + literals > input.length) {
      fail();
    }
    output.put(input.subarray(at, at + literals));
    at += literals;
    if (at === input.length) {
      return;
    }
    const distance = (input[at] ?? fail()) | ((input[at + 1] ?? fail()) << 8);
    at += 2;
    output.repeat(distance, longer(token & 15) + 4);
  }
}

function fail(): never {
  throw damaged("an LZ4 frame breaks off");
}

/** Decompresses one frame. @throws ToolError UNREADABLE_ANSWER, TOO_LARGE */
export function lz4Frame(input: Uint8Array): Uint8Array {
  if (input.length < 7) {
    fail();
  }
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const flags = input[4] as number;
  if (view.getUint32(0, true) !== MAGIC || flags >> 6 !== 1) {
    throw damaged("an LZ4 frame does not begin as one");
  }
  const hasBlockChecksum = (flags & 0x10) !== 0;
  const hasSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  let at = 6 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0) + 1;
  const output = new Output(Math.min(MAX_CONTENT_BYTES, Math.max(64, input.length * 3)));
  for (;;) {
    if (at + 4 > input.length) {
      fail();
    }
    const header = view.getUint32(at, true);
    at += 4;
    if (header === 0) {
      return output.finish();
    }
    const length = header & 0x7fff_ffff;
    if (at + length > input.length) {
      fail();
    }
    const content = input.subarray(at, at + length);
    if (header >>> 31 === 1) {
      output.put(content);
    } else {
      block(content, output);
    }
    at += length + (hasBlockChecksum ? 4 : 0);
  }
}
