/**
 * Zstandard: whole frames, and the start of a frame for windows that need no more of it.
 *
 * The program is zstddec's. Its functions are called here because its own streaming leaks when it is stopped early, and
 * its own decoding does not tell what went wrong.
 */
import { ZSTDDecoder } from "zstddec/stream";

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(sizeBytes: number): number;
  free(place: number): void;
  ZSTD_createDCtx(): number;
  ZSTD_freeDCtx(context: number): void;
  /** Input and output are described by three 32-bit numbers each: place, size, position. */
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

let program: Program | undefined;

class Opened extends ZSTDDecoder {
  override _init(result: Parameters<ZSTDDecoder["_init"]>[0]): void {
    program = result.instance.exports as unknown as Program;
    super._init(result);
  }
}

/** Compiles the decoder; to be awaited once before anything is decompressed. */
export async function prepareZstd(): Promise<void> {
  // zstddec unpacks its program with `fetch` where there is one, which would load a whole HTTP client (40 ms, 10 MB) for it.
  // It asks at once, so the name is away only for this call.
  const { fetch } = globalThis;
  Object.assign(globalThis, { fetch: undefined });
  const ready = new Opened().init();
  Object.assign(globalThis, { fetch });
  await ready;
}

/** Kept while frames come to their end; one that is left early takes its own with it. */
let context = 0;

/**
 * What a frame holds, or its start.
 * @param sizeBytes how much of it is wanted [bytes]; where the frame holds less, there is less
 * @param isWhole whether that must be all that it holds
 * @throws Error for what is no frame, a damaged one, or one of another size
 */
export function unzstd(input: Uint8Array, sizeBytes: number, isWhole: boolean): Uint8Array {
  if (program === undefined) {
    throw new Error("the zstd decoder is not ready");
  }
  const { memory, malloc, free, ZSTD_createDCtx, ZSTD_freeDCtx, ZSTD_decompressStream } = program;
  context ||= ZSTD_createDCtx();
  const places = malloc(24 + input.length);
  const target = malloc(sizeBytes);
  // 0 at the end of a frame, negative for an error.
  let state = 1;
  try {
    if (context === 0 || places === 0 || target === 0) {
      throw new Error("no memory to decompress a page");
    }
    // The description of the input, that of the output, then the input itself.
    const source = places + 24;
    new Uint8Array(memory.buffer).set(input, source);
    const ends = [source, input.length, 0, target, sizeBytes, 0];
    new Uint32Array(memory.buffer, places, 6).set(ends);
    let read = 0;
    let done = 0;
    let isMoving = true;
    while (isMoving && read < input.length && (isWhole || done < sizeBytes)) {
      state = ZSTD_decompressStream(context, places + 12, places);
      if (state < 0) {
        throw new Error(`zstd reports error ${-state}`);
      }
      // The memory may have grown, and with it the buffer that stands for it.
      const [, , readNow = 0, , , doneNow = 0] = new Uint32Array(memory.buffer, places, 6);
      isMoving = readNow > read || doneNow > done;
      read = readNow;
      done = doneNow;
    }
    if (isWhole && state !== 0) {
      throw new Error(`a frame does not end after ${done} bytes`);
    }
    // Every byte is written: there is no need to have them cleared first.
    const output = new Uint8Array(Buffer.allocUnsafeSlow(done).buffer);
    output.set(new Uint8Array(memory.buffer, target, done));
    return output;
  } finally {
    if (state !== 0) {
      ZSTD_freeDCtx(context);
      context = 0;
    }
    free(target);
    free(places);
  }
}
