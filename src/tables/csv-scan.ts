/**
 * Records and fields of delimited text, told apart as pandas' tokenizer does it: a quote opens a field only at its start,
 * a doubled quote is one, what follows a closing quote belongs to the field; `\n`, `\r\n` and `\r` end a record outside quotes.
 */
import { ToolError } from "../errors.ts";

export interface Delimiters {
  /** Bytes of the delimiter, one or more. */
  readonly delimiter: Uint8Array;
  readonly collapse: boolean;
  /** -1 for none. */
  readonly quote: number;
  readonly escape: number;
  /** Bytes that a comment line begins with; empty for none. */
  readonly comment: Uint8Array;
}

export interface RecordReceiver {
  /** A field's text: `source[start]` to `source[end]`, valid during the call. */
  field(source: Uint8Array, start: number, end: number): void;
  /** The record is over. @returns false to stop after it */
  record(line: number): boolean;
}

const LF = 0x0a;
const CR = 0x0d;

const startsWith = (bytes: Uint8Array, at: number, text: Uint8Array): boolean =>
  text.every((byte, index) => bytes[at + index] === byte);

/** Place after the line end at `at`. */
const afterLineEnd = (bytes: Uint8Array, at: number): number =>
  at + (bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1);

/** Place of the next line end, or the end of the text. */
export function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) {
    at += 1;
  }
  return at;
}

/** Place of the first line after `count` lines. */
export function afterLines(bytes: Uint8Array, count: number): number {
  let at = 0;
  for (let line = 0; line < count && at < bytes.length; line += 1) {
    at = lineEnd(bytes, at);
    at = at < bytes.length ? afterLineEnd(bytes, at) : at;
  }
  return at;
}

/** Place where the last `count` lines begin. */
export function beforeLines(bytes: Uint8Array, count: number): number {
  let end = bytes.length;
  for (let line = 0; line < count && end > 0; line += 1) {
    // A line end at the very end belongs to the last line.
    let at = end - 1;
    if (bytes[at] === LF && bytes[at - 1] === CR) {
      at -= 1;
    }
    at -= 1;
    while (at >= 0 && bytes[at] !== LF && bytes[at] !== CR) {
      at -= 1;
    }
    end = at + 1;
  }
  return end;
}

/** Whether a line holds nothing but blanks that are no delimiters. */
function isBlankLine(bytes: Uint8Array, from: number, end: number, delimiter: number): boolean {
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if ((byte !== 0x20 && byte !== 0x09) || byte === delimiter) {
      return false;
    }
  }
  return true;
}

/** A field that cannot be taken as it stands: quoted or with escapes. */
class Unquoted {
  bytes = new Uint8Array(256);
  length = 0;

  add(source: Uint8Array, start: number, end: number): void {
    if (this.length + end - start > this.bytes.length) {
      const grown = new Uint8Array((this.length + end - start) * 2);
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    this.bytes.set(source.subarray(start, end), this.length);
    this.length += end - start;
  }
}

/**
 * Scans records from `from` on; blank lines and comments are passed over.
 * @param line number of the first line, 1-based
 * @returns place after the last record that was read
 * @throws ToolError UNREADABLE_ANSWER where the text ends inside quotes
 */
export function scanRecords(
  bytes: Uint8Array,
  from: number,
  line: number,
  { delimiter, collapse, quote, escape: escaper, comment }: Delimiters,
  receiver: RecordReceiver,
): number {
  const first = delimiter[0] as number;
  const wide = delimiter.length;
  const isDelimiter = (at: number): boolean =>
    bytes[at] === first && (wide === 1 || startsWith(bytes, at, delimiter));
  const end = bytes.length;
  const scratch = new Unquoted();
  let at = from;
  let lines = line;
  while (at < end) {
    const recordLine = lines;
    const isComment = comment.length > 0 && startsWith(bytes, at, comment);
    const byte = bytes[at] as number;
    if (isComment || byte === LF || byte === CR || byte === 0x20 || byte === 0x09) {
      const stop = lineEnd(bytes, at);
      if (isComment || isBlankLine(bytes, at, stop, first)) {
        at = stop < end ? afterLineEnd(bytes, stop) : stop;
        lines += 1;
        continue;
      }
    }
    if (collapse) {
      while (isDelimiter(at)) {
        at += wide;
      }
    }
    for (let open = true; open; ) {
      let start = at;
      if (bytes[at] === quote && at < end) {
        const opened = lines;
        scratch.length = 0;
        at += 1;
        start = at;
        for (;;) {
          if (at >= end) {
            throw new ToolError(
              "UNREADABLE_ANSWER",
              `The table breaks off inside quotes that open in line ${opened}`,
              { hint: "Try again; if it stays so, the text is damaged or quoted in another way" },
            );
          }
          const inner = bytes[at] as number;
          if (inner === escaper && escaper !== quote) {
            scratch.add(bytes, start, at);
            start = at + 1;
            at += 2;
          } else if (inner === quote) {
            scratch.add(bytes, start, at);
            at += 1;
            start = at;
            if (bytes[at] !== quote) {
              break;
            }
            at += 1;
          } else {
            lines += inner === LF || (inner === CR && bytes[at + 1] !== LF) ? 1 : 0;
            at += 1;
          }
        }
      } else {
        scratch.length = -1;
      }
      while (at < end && !isDelimiter(at) && bytes[at] !== LF && bytes[at] !== CR) {
        if (bytes[at] === escaper) {
          scratch.length = Math.max(0, scratch.length);
          scratch.add(bytes, start, at);
          start = at + 1;
          at += 1;
        }
        at += 1;
      }
      at = Math.min(at, end);
      if (scratch.length >= 0) {
        scratch.add(bytes, start, at);
        receiver.field(scratch.bytes, 0, scratch.length);
      } else {
        receiver.field(bytes, start, at);
      }
      open = at < end && bytes[at] !== LF && bytes[at] !== CR;
      if (open) {
        at += wide;
        while (collapse && isDelimiter(at)) {
          at += wide;
        }
        if (collapse && (at >= end || bytes[at] === LF || bytes[at] === CR)) {
          // Delimiters before a line's end close no field of their own where they count as one.
          open = false;
        }
      }
    }
    if (at < end) {
      at = afterLineEnd(bytes, at);
      lines += 1;
    }
    if (!receiver.record(recordLine)) {
      return at;
    }
  }
  return at;
}
