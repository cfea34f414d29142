/** The bytes of a text table as UTF-8, whatever they were. */
import { ToolError } from "../errors.ts";

export interface Utf8 {
  readonly bytes: Uint8Array;
  readonly notes: readonly string[];
}

const unreadable = (message: string, cause?: unknown): ToolError =>
  new ToolError("UNREADABLE_ANSWER", message, {
    hint: "Try again later; if it stays so, the service answers wrongly",
    ...(cause === undefined ? {} : { cause }),
  });

/** By the first bytes, where a writer marks its charset there. */
function marked(bytes: Uint8Array): { charset: string; skip: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { charset: "utf-8", skip: 3 };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { charset: "utf-16le", skip: 2 };
  }
  return bytes[0] === 0xfe && bytes[1] === 0xff ? { charset: "utf-16be", skip: 2 } : undefined;
}

function decode(bytes: Uint8Array, charset: string): Uint8Array {
  try {
    return new TextEncoder().encode(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch (error) {
    throw unreadable(`The table is not text in ${charset.slice(0, 40)}`, error);
  }
}

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/**
 * Bytes of a text as UTF-8 without byte-order mark. What is no UTF-8 and names no charset is read as windows-1252, with a note.
 * @param encoding charset that somebody described
 * @throws ToolError UNREADABLE_ANSWER for what is no text, and for HTML
 */
export function toUtf8(raw: Uint8Array, encoding: string | undefined): Utf8 {
  const mark = marked(raw);
  const body = raw.subarray(mark?.skip ?? 0);
  const wanted = mark?.charset ?? encoding?.toLowerCase();
  let bytes = body;
  const notes: string[] = [];
  if (wanted?.startsWith("utf-16") || wanted?.startsWith("utf16")) {
    bytes = decode(body, wanted === "utf16" || wanted === "utf-16" ? "utf-16le" : wanted);
  } else if (!isUtf8(body)) {
    const charset = wanted === undefined || /^utf-?8$/.test(wanted) ? "windows-1252" : wanted;
    bytes = decode(body, charset);
    if (charset !== wanted) {
      notes.push("The text is not UTF-8 and names no charset: read as windows-1252.");
    }
  }
  const start = Buffer.from(bytes.subarray(0, 1024));
  if (start.includes(0)) {
    throw unreadable("The table is said to be text, but holds bytes that are none");
  }
  if (/^\s*<(!doctype html|html)/i.test(start.toString("latin1"))) {
    throw unreadable("The answer is an HTML page instead of a table");
  }
  return { bytes, notes };
}
