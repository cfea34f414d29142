/** Page decompression. The output is exactly as long as the header promised, or the page is damaged. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { snappyUncompressor } from "hysnappy";
import { noteBuffers } from "./collect.ts";
import { damaged, parsing, tooLarge, unsupported } from "./damaged.ts";
import { lz4Block, lz4Hadoop } from "./lz4.ts";
import { secondThread } from "./second-thread.ts";
import { prepareZstd, unzstd } from "./zstd.ts";

/** Largest page that is decompressed [bytes]; writers aim at about 1 MB. */
const MAX_PAGE_BYTES = 256 * 1024 * 1024;

type Decompress = (input: Uint8Array, sizeBytes: number) => Uint8Array;

/** zstd's blocks: decompressing stops behind one of them [bytes]. */
const BLOCK_BYTES = 128 * 1024;

/** Makes ready what has to be compiled; to be awaited once before anything is decompressed. */
export const prepareCodecs = prepareZstd;

let snappy: ReturnType<typeof snappyUncompressor> | undefined;

/** hysnappy trusts the length at the start of the data, so it must be the one that was promised. */
function unsnappy(input: Uint8Array, sizeBytes: number): Uint8Array {
  let length = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = input[index] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) {
      break;
    }
  }
  if (length !== sizeBytes) {
    throw damaged(`a page of ${sizeBytes} bytes says that it has ${length}`);
  }
  snappy ??= snappyUncompressor();
  return snappy(input, sizeBytes);
}

/** A Buffer's `slice` shares memory, a Uint8Array's copies: only the latter is handed on. */
const plain = (buffer: Buffer): Uint8Array =>
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);

const DECOMPRESS: Readonly<Record<string, Decompress>> = {
  // A copy, so that what is kept does not hold on to everything that was fetched with it.
  UNCOMPRESSED: (input) => input.slice(),
  SNAPPY: unsnappy,
  GZIP: (input, sizeBytes) => plain(gunzipSync(input, { maxOutputLength: sizeBytes })),
  BROTLI: (input, sizeBytes) => plain(brotliDecompressSync(input, { maxOutputLength: sizeBytes })),
  ZSTD: (input, sizeBytes) => unzstd(input, sizeBytes, true),
  LZ4: lz4Hadoop,
  LZ4_RAW: lz4Block,
};

/**
 * Decompresses one page.
 * @param codec the name that the file's metadata gives, e.g. `ZSTD`
 * @param sizeBytes length after decompression [bytes], as the page's header says
 */
export function decompress(codec: string, input: Uint8Array, sizeBytes: number): Uint8Array {
  if (sizeBytes > MAX_PAGE_BYTES) {
    throw tooLarge(
      `A page of the table has ${sizeBytes} bytes; at most ${MAX_PAGE_BYTES} can be decompressed`,
      "Read other columns: this one holds very long values",
    );
  }
  if (sizeBytes === 0) {
    return new Uint8Array(0);
  }
  const run = Object.hasOwn(DECOMPRESS, codec) ? DECOMPRESS[codec] : undefined;
  if (run === undefined) {
    throw unsupported(`the compression ${codec}`);
  }
  noteBuffers(input.length + sizeBytes);
  const output = parsing(`a ${codec} page cannot be decompressed`, () => run(input, sizeBytes));
  if (output.length !== sizeBytes) {
    throw damaged(`a ${codec} page has ${output.length} bytes where ${sizeBytes} were promised`);
  }
  return output;
}

/** Content size that a zstd frame's header tells [bytes]; undefined where it tells none. */
function zstdContentSize(input: Uint8Array): number | undefined {
  const descriptor = input[4] ?? 0;
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const width = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const at = 5 + (isSingle ? 0 : 1) + dictionary;
  if (width === 0 || at + width > input.length) {
    return undefined;
  }
  const bytes = Buffer.from(input.subarray(at, at + width));
  return width === 8
    ? Number(bytes.readBigUInt64LE())
    : bytes.readUIntLE(0, width) + (width === 2 ? 256 : 0);
}

/** Decompresses a zstd frame that tells its own size, as Arrow's files hold them. */
export function zstdFrame(input: Uint8Array): Uint8Array {
  const sizeBytes = zstdContentSize(input);
  if (sizeBytes === undefined) {
    throw unsupported("zstd frames that do not tell their size");
  }
  return decompress("ZSTD", input, sizeBytes);
}

/** A page's bytes as they are stored. */
export interface Packed {
  readonly codec: string;
  readonly input: Uint8Array;
  /** Length after decompression [bytes], as the page's header says. */
  readonly sizeBytes: number;
  /** How much of it is needed, from its start [bytes]. */
  readonly neededBytes: number;
}

/** How much to decompress of a page whose start is needed [bytes]: all of it where stopping is not possible or saves little. */
function wantedBytes({ codec, sizeBytes, neededBytes }: Packed): number {
  const wanted = Math.ceil(neededBytes / BLOCK_BYTES) * BLOCK_BYTES;
  return codec === "ZSTD" && wanted <= sizeBytes - BLOCK_BYTES ? wanted : sizeBytes;
}

function checkStart(output: Uint8Array, wanted: number): Uint8Array {
  if (output.length !== wanted) {
    throw damaged(`a ZSTD page has ${output.length} bytes where more were promised`);
  }
  return output;
}

/** Decompresses a page at least as far as it is needed. */
export function decompressStart(packed: Packed): Uint8Array {
  const { codec, input, sizeBytes } = packed;
  const wanted = wantedBytes(packed);
  if (wanted === sizeBytes || sizeBytes > MAX_PAGE_BYTES) {
    return decompress(codec, input, sizeBytes);
  }
  noteBuffers(input.length + wanted);
  const start = parsing("a ZSTD page cannot be decompressed", () => unzstd(input, wanted, false));
  return checkStart(start, wanted);
}

/**
 * Decompresses a page in the second thread at least as far as it is needed; undefined where it is better done here.
 * @param isShared whether others hold on to the input's buffer; else it is gone until it comes back with the output
 */
export function decompressApart(
  packed: Packed,
  isShared: boolean,
): Promise<{ input: Uint8Array; output: Uint8Array }> | undefined {
  const { codec, input, sizeBytes } = packed;
  const wanted = wantedBytes(packed);
  if (codec !== "ZSTD" || sizeBytes > MAX_PAGE_BYTES) {
    return undefined;
  }
  const make = () => ({
    input: isShared ? input.slice() : input,
    sizeBytes: wanted,
    isWhole: wanted === sizeBytes,
  });
  const apart = secondThread.take(wanted, make);
  if (apart === undefined) {
    return undefined;
  }
  noteBuffers(input.length + wanted);
  return apart.then((unpacked) => {
    checkStart(unpacked.output, wanted);
    return unpacked;
  });
}
