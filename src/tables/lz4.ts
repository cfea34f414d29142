/** LZ4 blocks, every length checked: a cut or altered page is an error, never zeros at its end. */
import { damaged } from "./damaged.ts";

/** Reads a length that continues while bytes are 255. */
function longLength(input: Uint8Array, at: number, short: number): { length: number; at: number } {
  if (short !== 15) {
    return { length: short, at };
  }
  let length = short;
  let position = at;
  for (;;) {
    const byte = input[position];
    if (byte === undefined) {
      throw damaged("an LZ4 page breaks off");
    }
    position += 1;
    length += byte;
    if (byte !== 255) {
      return { length, at: position };
    }
  }
}

/** Decompresses one raw block into `output`, which it must fill exactly. */
function fill(input: Uint8Array, output: Uint8Array): void {
  let at = 0;
  let written = 0;
  while (at < input.length) {
    const token = input[at] as number;
    const literals = longLength(input, at + 1, token >> 4);
    const next = literals.at + literals.length;
    if (next > input.length || written + literals.length > output.length) {
      throw damaged("an LZ4 page has more literals than bytes");
    }
    output.set(input.subarray(literals.at, next), written);
    written += literals.length;
    if (next === input.length) {
      break;
    }
    const offset = (input[next] as number) | ((input[next + 1] ?? 0) << 8);
    const match = longLength(input, next + 2, token & 15);
    at = match.at;
    const length = match.length + 4;
    const from = written - offset;
    if (offset === 0 || from < 0 || written + length > output.length || at > input.length) {
      throw damaged("an LZ4 page copies from outside itself");
    }
    if (offset >= length) {
      output.copyWithin(written, from, from + length);
    } else {
      for (let index = 0; index < length; index += 1) {
        output[written + index] = output[from + index] as number;
      }
    }
    written += length;
  }
  if (written !== output.length) {
    throw damaged(`an LZ4 page has ${written} bytes where ${output.length} were promised`);
  }
}

/** Decompresses `LZ4_RAW`. */
export function lz4Block(input: Uint8Array, sizeBytes: number): Uint8Array {
  const output = new Uint8Array(sizeBytes);
  fill(input, output);
  return output;
}

/** Decompresses the deprecated `LZ4`: Hadoop frames (big-endian lengths before each block) or, from some writers, a raw block. */
export function lz4Hadoop(input: Uint8Array, sizeBytes: number): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const blocks: { input: Uint8Array; start: number; end: number }[] = [];
  let at = 0;
  let end = 0;
  while (at + 8 <= input.length) {
    const start = end;
    end += view.getUint32(at);
    const next = at + 8 + view.getUint32(at + 4);
    if (next > input.length || end > sizeBytes) {
      break;
    }
    blocks.push({ input: input.subarray(at + 8, next), start, end });
    at = next;
  }
  if (at !== input.length || end !== sizeBytes) {
    return lz4Block(input, sizeBytes);
  }
  const output = new Uint8Array(sizeBytes);
  for (const block of blocks) {
    fill(block.input, output.subarray(block.start, block.end));
  }
  return output;
}
