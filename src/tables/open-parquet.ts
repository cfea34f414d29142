/** From bytes to a parsed footer, or a plain sentence about what the file is instead. */
import { ToolError } from "../errors.ts";
import type { ByteCache } from "./byte-cache.ts";
import { damaged, tooLarge, unsupported } from "./damaged.ts";
import { type ParquetFile, parseFooter } from "./parquet-file.ts";
import type { RemoteSource } from "./remote-source.ts";

const MAGIC = "PAR1";
const ENCRYPTED = "PARE";
/** Largest footer that is parsed [bytes]; 10 million rows of 8 columns take 60 kB. */
const MAX_FOOTER_BYTES = 32 * 1024 * 1024;
/** Memory that a parsed footer takes for each stored byte. */
const PARSED_PER_BYTE = 8;

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** What a body that is no Parquet file looks like, for the message. */
function describeBody(start: string): string {
  const text = start.trimStart();
  if (/^(<!doctype html|<html)/i.test(text)) {
    return "an HTML page";
  }
  if (text.startsWith("<")) {
    return "an XML document";
  }
  return /^[{[]/.test(text) ? "a JSON document" : "something else";
}

function notParquet(what: string): ToolError {
  return new ToolError("UNREADABLE_ANSWER", `The answer is not a Parquet file but ${what}`, {
    hint: "Try again later: the storage may have answered with an error instead of the file",
  });
}

async function readFooter(source: RemoteSource): Promise<ParquetFile> {
  const { size } = source;
  const tail = await source.readOne({ start: Math.max(0, size - 8), end: size });
  const magic = latin1(tail.subarray(-4));
  if (magic === ENCRYPTED) {
    throw unsupported("encryption");
  }
  if (magic !== MAGIC || size < 12) {
    const start = await source.readOne({ start: 0, end: Math.min(size, 64) });
    const head = latin1(start);
    if (head.startsWith(ENCRYPTED)) {
      throw unsupported("encryption");
    }
    throw head.startsWith(MAGIC)
      ? damaged(`it breaks off after ${size} bytes`)
      : notParquet(size === 0 ? "empty" : describeBody(head));
  }
  const length = new DataView(tail.buffer, tail.byteOffset, 8).getUint32(0, true);
  if (length > size - 12) {
    throw damaged(`its footer of ${length} bytes is larger than the file`);
  }
  if (length > MAX_FOOTER_BYTES) {
    throw tooLarge(
      `The table's footer has ${length} bytes; at most ${MAX_FOOTER_BYTES} are read`,
      "The file has to be written again with larger row groups",
    );
  }
  const footer = await source.readOne({ start: size - 8 - length, end: size - 8 });
  return parseFooter(source.version, size, footer);
}

/** Opens a file, or takes its footer from the cache. */
export async function openParquet(source: RemoteSource, cache: ByteCache): Promise<ParquetFile> {
  const key = `${source.version}#footer`;
  const kept = cache.get<ParquetFile>(key);
  if (kept !== undefined) {
    return kept;
  }
  const file = await readFooter(source);
  cache.set(key, file, PARSED_PER_BYTE * (file.footerBytes + 256));
  return file;
}
