/** A file that came whole because its store knows no ranges: small ones in memory, large ones in a temporary file. */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileChanged } from "../byte-source.ts";
import { ToolError } from "../errors.ts";
import { joined } from "./body.ts";
import type { Reply } from "./exchange.ts";

/** Largest file that stays in memory [bytes]. */
const MAX_IN_MEMORY = 16 * 1024 * 1024;
/** End of a spooled file that is kept in memory [bytes]. */
const TAIL = 128 * 1024;

/** A whole file, in memory (`tail` is all of it) or on disk. */
export interface WholeFile {
  readonly size: number;
  readonly tail: Uint8Array;
  readonly tailStart: number;
  readonly spool?: Spool;
}

/**
 * Bytes in a temporary file that has no name any more: it was unlinked as soon as it was open, so that nothing stays behind
 * however the process ends.
 */
export class Spool {
  readonly #file: FileHandle;
  #readers = 0;
  #closed = false;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @throws ToolError TOO_LARGE when the temporary folder does not take it */
  static async create(): Promise<Spool> {
    const path = join(tmpdir(), `vitrine-${randomUUID()}`);
    try {
      const file = await open(path, "wx+", 0o600);
      await unlink(path);
      return new Spool(file);
    } catch (error) {
      throw noRoom(error);
    }
  }

  /** @throws ToolError TOO_LARGE when the disk is full */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      await this.#file.appendFile(bytes);
    } catch (error) {
      throw noRoom(error);
    }
  }

  /** @throws FileChanged when the spool was closed meanwhile: whoever needs it must open the file anew */
  async read(start: number, end: number): Promise<Uint8Array> {
    if (this.#closed) {
      throw new FileChanged();
    }
    this.#readers++;
    try {
      const bytes = new Uint8Array(end - start);
      let place = 0;
      while (place < bytes.length) {
        const { bytesRead } = await this.#file.read(
          bytes,
          place,
          bytes.length - place,
          start + place,
        );
        if (bytesRead === 0) {
          throw new Error("a spooled file is shorter than it was");
        }
        place += bytesRead;
      }
      return bytes;
    } finally {
      this.#readers--;
      await this.#release();
    }
  }

  /** Gives the disk space back once nobody reads any more. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      await this.#release();
    }
  }

  async #release(): Promise<void> {
    if (this.#closed && this.#readers === 0) {
      await this.#file.close();
    }
  }
}

function noRoom(cause: unknown): ToolError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
  return new ToolError(
    "TOO_LARGE",
    `The file is too large for memory, and the temporary folder does not take it (${code})`,
    { hint: "Make room in the temporary folder, or set TMPDIR to one that has", cause },
  );
}

function tooLargeFile(what: string, cap: number): ToolError {
  return new ToolError(
    "TOO_LARGE",
    `The file of ${what} is larger than the ${cap} bytes that are read of a store without byte ranges`,
    { hint: "No argument makes it smaller; the store would have to answer byte ranges" },
  );
}

/**
 * Reads a body of unknown or known length into memory or, over 16 MiB, into a temporary file.
 * @param cap most bytes [bytes]; one more ends the transfer
 * @param progress told the bytes that are there
 * @throws ToolError TOO_LARGE
 */
export async function readFileWhole(
  reply: Reply,
  cap: number,
  what: string,
  progress: (done: number) => void,
): Promise<WholeFile> {
  if (reply.length !== undefined && reply.length > cap) {
    throw tooLargeFile(what, cap);
  }
  let pieces: Uint8Array[] = [];
  let size = 0;
  let pending = 0;
  let spool: Spool | undefined;
  const flush = async (): Promise<void> => {
    spool ??= await Spool.create();
    await spool.append(joined(pieces, pending));
    pieces = [];
    pending = 0;
    progress(size);
  };
  try {
    for await (const piece of reply.body) {
      size += piece.length;
      if (size > cap) {
        throw tooLargeFile(what, cap);
      }
      pieces.push(piece);
      pending += piece.length;
      if (pending > (spool === undefined ? MAX_IN_MEMORY : MAX_IN_MEMORY / 4)) {
        await flush();
      }
    }
    if (spool === undefined) {
      return { size, tail: joined(pieces, size), tailStart: 0 };
    }
    await flush();
    const tailStart = Math.max(0, size - TAIL);
    return { size, tail: await (spool as Spool).read(tailStart, size), tailStart, spool };
  } catch (error) {
    await spool?.close();
    throw error;
  }
}
