/** One page: header, checksum, decompression, and its three parts: repetition levels, definition levels, values. */
import { crc32 } from "node:zlib";
import { parquetHeader } from "hyparquet/src/column.js";
import type { PageHeader } from "hyparquet/src/types.js";
import { decompress } from "./codecs.ts";
import { damaged, parsing, tooLarge, unsupported } from "./damaged.ts";
import { readValues } from "./encodings.ts";
import { integerOf, type Leaf } from "./parquet-file.ts";
import type { Physical } from "./physical.ts";

/** Most values of one page; more would only come from a damaged header. */
const MAX_PAGE_VALUES = 1 << 27;

/** A page's header and where it lies in the bytes it was read from. */
export interface PageHead {
  readonly type: string;
  readonly values: number;
  readonly bodyStart: number;
  readonly end: number;
  readonly header: PageHeader;
}

export interface Page {
  readonly values: number;
  readonly encoding: string | undefined;
  readonly repetition: Uint8Array | undefined;
  readonly definition: Uint8Array | undefined;
  /** Encoded values. */
  readonly body: Uint8Array;
  /** Nulls, where the header tells. */
  readonly nulls: number | undefined;
  /** Bytes that the page holds on to. */
  readonly sizeBytes: number;
}

/** Reads the page header at `at`. The body may lie beyond the bytes: compare `end` with their length. */
export function readHead(bytes: Uint8Array, at: number): PageHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = { view, offset: at };
  const header = parsing("a page header cannot be read", () => parquetHeader(reader));
  const body = integerOf(header.compressed_page_size, "the size of a page");
  integerOf(header.uncompressed_page_size, "the decompressed size of a page");
  const counted =
    header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
  const values = counted === undefined ? 0 : integerOf(counted.num_values, "a number of values");
  if (values > MAX_PAGE_VALUES) {
    throw tooLarge(`A page of the table has ${values} values`, "Read other columns");
  }
  return {
    type: String(header.type),
    values,
    bodyStart: reader.offset,
    end: reader.offset + body,
    header,
  };
}

/** The page header at `at` of bytes that may break off: one that is cut looks like a damaged one, and is undefined. */
export function peekHead(bytes: Uint8Array, at: number): PageHead | undefined {
  try {
    return readHead(bytes, at);
  } catch {
    return undefined;
  }
}

/** Splits length-prefixed levels off the front. */
function splitLevels(body: Uint8Array, at: number): { levels: Uint8Array; end: number } {
  const length =
    at + 4 <= body.length
      ? new DataView(body.buffer, body.byteOffset + at, 4).getUint32(0, true)
      : 0;
  const end = at + 4 + length;
  if (end > body.length) {
    throw damaged("the levels of a page are longer than the page");
  }
  return { levels: body.subarray(at + 4, end), end };
}

function openDataPage(head: PageHead, bytes: Uint8Array, codec: string, leaf: Leaf): Page {
  const info = head.header.data_page_header;
  if (info === undefined) {
    throw damaged("a data page has no header of its kind");
  }
  const body = decompress(codec, bytes, head.header.uncompressed_page_size);
  let at = 0;
  let repetition: Uint8Array | undefined;
  let definition: Uint8Array | undefined;
  if (leaf.maxRepetition > 0) {
    ({ levels: repetition, end: at } = splitLevels(body, at));
  }
  if (leaf.maxDefinition > 0) {
    if (info.definition_level_encoding === "BIT_PACKED") {
      throw unsupported("the encoding BIT_PACKED");
    }
    ({ levels: definition, end: at } = splitLevels(body, at));
  }
  return {
    values: head.values,
    encoding: info.encoding,
    repetition,
    definition,
    body: body.subarray(at),
    nulls: undefined,
    sizeBytes: body.length,
  };
}

function openDataPageV2(head: PageHead, bytes: Uint8Array, codec: string, leaf: Leaf): Page {
  const info = head.header.data_page_header_v2;
  if (info === undefined) {
    throw damaged("a data page has no header of its kind");
  }
  const repetitionEnd = integerOf(info.repetition_levels_byte_length ?? 0, "a length of levels");
  const levelsEnd =
    repetitionEnd + integerOf(info.definition_levels_byte_length ?? 0, "a length of levels");
  const sizeBytes = head.header.uncompressed_page_size - levelsEnd;
  if (levelsEnd > bytes.length || sizeBytes < 0) {
    throw damaged("the levels of a page are longer than the page");
  }
  const rest = bytes.subarray(levelsEnd);
  const stored = info.is_compressed === false ? "UNCOMPRESSED" : codec;
  const body = decompress(stored, rest, sizeBytes);
  // Levels are copied, so that a kept page does not hold on to the compressed bytes around them.
  const levels = bytes.slice(0, levelsEnd);
  return {
    values: head.values,
    encoding: info.encoding,
    repetition: leaf.maxRepetition > 0 ? levels.subarray(0, repetitionEnd) : undefined,
    definition: leaf.maxDefinition > 0 ? levels.subarray(repetitionEnd) : undefined,
    body,
    nulls: integerOf(info.num_nulls ?? 0, "a number of nulls"),
    sizeBytes: sizeBytes + levelsEnd,
  };
}

function checkedBody(head: PageHead, bytes: Uint8Array): Uint8Array {
  const body = bytes.subarray(head.bodyStart, head.end);
  const stored = head.header.crc;
  if (body.length !== head.end - head.bodyStart) {
    throw damaged("a page breaks off");
  }
  if (stored !== undefined && (crc32(body) | 0) !== (stored | 0)) {
    throw damaged("the checksum of a page does not match");
  }
  return body;
}

/** Checks and decompresses a data page. */
export function openPage(head: PageHead, bytes: Uint8Array, codec: string, leaf: Leaf): Page {
  const body = checkedBody(head, bytes);
  return head.type === "DATA_PAGE_V2"
    ? openDataPageV2(head, body, codec, leaf)
    : openDataPage(head, body, codec, leaf);
}

/** Checks, decompresses and decodes a dictionary page. */
export function openDictionary(
  head: PageHead,
  bytes: Uint8Array,
  codec: string,
  leaf: Leaf,
): Physical {
  const body = decompress(codec, checkedBody(head, bytes), head.header.uncompressed_page_size);
  const encoding = head.header.dictionary_page_header?.encoding;
  if (encoding !== "PLAIN" && encoding !== "PLAIN_DICTIONARY") {
    throw damaged(`a dictionary in the encoding ${encoding}`);
  }
  return readValues(
    "PLAIN",
    {
      bytes: body,
      at: 0,
      type: leaf.element.type ?? "BYTE_ARRAY",
      typeLength: leaf.element.type_length ?? 0,
      total: head.values,
      skip: 0,
      count: head.values,
    },
    undefined,
  );
}
