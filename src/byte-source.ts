/** A file's bytes behind any transport: memory, a spooled temporary file, or HTTP byte ranges. */

/** Half-open byte range: `start` inclusive, `end` exclusive, both from the file's first byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ByteSource {
  /**
   * Names this version of this file for this caller: another file, another version or another credential gives another
   * text. Whatever was decoded may be kept under it.
   */
  readonly version: string;
  /** Length of the file [bytes]. */
  readonly size: number;
  /** The end of the file that came with opening it (may be the whole file): bytes `tailStart` to `size`. */
  readonly tail: Uint8Array;
  readonly tailStart: number;
  /**
   * Reads ranges; near ones travel in one request. `onRange` is called for each asked range as soon as it is there, in any order; the
   * promise settles when all are. The buffer handed over is the receiver's to keep or transfer.
   * @throws FileChanged when the file is no longer the version that was opened
   * @throws ToolError for everything else
   */
  read(
    ranges: readonly ByteRange[],
    onRange: (index: number, bytes: Uint8Array) => void,
  ): Promise<void>;
}

/** The file behind a source is no longer the version that was opened: open it anew and start over. */
export class FileChanged extends Error {
  constructor() {
    super("the file changed while it was read");
    this.name = "FileChanged";
  }
}
