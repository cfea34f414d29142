/**
 * A second thread that does nothing but decompress, so that the pages of a window are decompressed on two cores.
 *
 * It belongs to the decoder thread and ends with it. What fails in it fails there.
 */
import type { MessagePort } from "node:worker_threads";
import { damaged } from "./damaged.ts";
import { startWorker } from "./start-worker.ts";
import { prepareZstd, unzstd } from "./zstd.ts";

/** A frame to decompress. Buffers travel, they are not copied. */
export interface Frame {
  readonly input: Uint8Array;
  /** How much of what it holds is wanted [bytes], and whether that must be all. */
  readonly sizeBytes: number;
  readonly isWhole: boolean;
}

interface Unpacked {
  readonly input: Uint8Array;
  readonly output: Uint8Array;
}

type Question = Frame & { readonly id: number };
type Answer =
  | "ready"
  | (Unpacked & { readonly id: number })
  | { readonly id: number; readonly problem: string };

/** Role by which the decoder's program knows that it is this thread. */
export const SECOND_THREAD = "decompress";

/** What is smaller is decompressed sooner than it travels [bytes]. */
const MIN_BYTES = 128 * 1024;

/** The thread's side. */
export async function serveFrames(port: MessagePort): Promise<void> {
  await prepareZstd();
  port.on("message", ({ id, input, sizeBytes, isWhole }: Question) => {
    try {
      const output = unzstd(input, sizeBytes, isWhole);
      const answer: Answer = { id, input, output };
      port.postMessage(answer, [input.buffer as ArrayBuffer, output.buffer as ArrayBuffer]);
    } catch (error) {
      port.postMessage({ id, problem: String(error) } satisfies Answer);
    }
  });
  port.postMessage("ready" satisfies Answer);
}

/** The decoder's side. */
class SecondThread {
  /** The decoder's own program, to be entered again; without it there is no second thread. */
  program: URL | undefined;
  #thread: ReturnType<typeof startWorker> | undefined;
  #isReady = false;
  #ids = 0;
  readonly #waiting = new Map<
    number,
    { resolve: (unpacked: Unpacked) => void; reject: (error: unknown) => void }
  >();
  /** Bytes that were given away, and those that were kept here, since the thread was last without work. */
  #given = 0;
  #kept = 0;

  start(): void {
    if (this.#thread === undefined && this.program !== undefined) {
      this.#thread = startWorker(this.program, { role: SECOND_THREAD });
      this.#thread.unref();
      this.#thread.on("message", (answer: Answer) => this.#receive(answer));
    }
  }

  /**
   * Takes a frame where its turn would come sooner than here; undefined where not.
   * The buffer of the input is gone then, until it comes back with the output.
   * @param sizeBytes how much is to be decompressed [bytes]
   */
  take(sizeBytes: number, makeFrame: () => Frame): Promise<Unpacked> | undefined {
    if (sizeBytes < MIN_BYTES) {
      return undefined;
    }
    this.start();
    if (!this.#isReady || this.#given > this.#kept) {
      this.#kept += this.#given > 0 ? sizeBytes : 0;
      return undefined;
    }
    this.#given += sizeBytes;
    this.#ids += 1;
    const question: Question = { ...makeFrame(), id: this.#ids };
    return new Promise((resolve, reject) => {
      this.#waiting.set(question.id, { resolve, reject });
      this.#thread?.postMessage(question, [question.input.buffer as ArrayBuffer]);
    });
  }

  #receive(answer: Answer): void {
    if (answer === "ready") {
      this.#isReady = true;
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) {
      this.#given = 0;
      this.#kept = 0;
    }
    if ("problem" in answer) {
      waiting?.reject(damaged("a ZSTD page cannot be decompressed", answer.problem));
    } else {
      waiting?.resolve(answer);
    }
  }
}

/** The second thread of this decoder. */
export const secondThread = new SecondThread();
