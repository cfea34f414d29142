/** One page: header, checksum, decompression, and its three parts: repetition levels, definition levels, values. */
import { crc32 } from "node:zlib";
import { parquetHeader } from "hyparquet/src/column.js";
import type { PageHeader } from "hyparquet/src/types.js";
import { decompress, decompressStart, type Packed } from "./codecs.ts";
import { damaged, parsing, tooLarge, unsupported } from "./damaged.ts";
import { readValues, widthOf } from "./encodings.ts";
import { integerOf, type Leaf } from "./parquet-file.ts";
import type { Physical } from "./physical.ts";

/** Most values of one page; more would only come from a damaged header. */
const MAX_PAGE_VALUES = 1 << 27;

/** A page's body comes with its header in one buffer; more than this around it are other pages [bytes]. */
const HEADER_ROOM = 1024;

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
  /** Encoded values; their start where `whole` is there. */
  readonly body: Uint8Array;
  /** Length of all encoded values [bytes]. */
  readonly bodyBytes: number;
  /** Rows from the page's first that `body` is enough for. */
  readonly rowsThere: number;
  /** Decompresses the rest too; absent where nothing is missing. */
  readonly whole?: () => Page;
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

/** Bytes of each value where those before the last wanted row can be read without those behind it; else undefined. */
function stoppableWidth(encoding: string | undefined, leaf: Leaf): number | undefined {
  const { type, type_length: length } = leaf.element;
  const isFixed = type !== "BOOLEAN" && type !== "BYTE_ARRAY" && type !== undefined;
  // The root and the leaf: a column of plain values.
  return encoding === "PLAIN" && isFixed && leaf.path.length === 2 && leaf.maxRepetition === 0
    ? widthOf(type, length ?? 0)
    : undefined;
}

/** Bytes that are kept do not hold on to the pages around them. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > bytes.length + HEADER_ROOM ? bytes.slice() : bytes;
}

/** A checked page that is still to be decompressed, here or elsewhere. */
export interface SealedPage extends Packed {
  /** Makes a page of what `input` was decompressed to: at least the needed bytes. */
  open(body: Uint8Array, input: Uint8Array): Page;
}

/** Gives a page of which only the start was decompressed the way to the rest. */
function withRest(page: Page, input: Uint8Array, rowsThere: number, sealed: SealedPage): Page {
  const kept = ownBytes(input);
  return {
    ...page,
    rowsThere,
    sizeBytes: page.sizeBytes + kept.length,
    whole: () => sealed.open(decompress(sealed.codec, kept, sealed.sizeBytes), kept),
  };
}

function sealDataPage(
  head: PageHead,
  input: Uint8Array,
  codec: string,
  leaf: Leaf,
  rowsNeeded: number,
): SealedPage {
  const info = head.header.data_page_header;
  if (info === undefined) {
    throw damaged("a data page has no header of its kind");
  }
  const sizeBytes = head.header.uncompressed_page_size;
  const width = stoppableWidth(info.encoding, leaf);
  const sealed: SealedPage = {
    codec,
    input,
    sizeBytes,
    // One bit a row, mostly far less; where the levels take more, the rows do not reach and all is decompressed below.
    neededBytes: width === undefined ? sizeBytes : 4 + head.values / 8 + rowsNeeded * width,
    open(body, packed) {
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
      const page: Page = {
        values: head.values,
        encoding: info.encoding,
        repetition,
        definition,
        body: body.subarray(at),
        bodyBytes: sizeBytes - at,
        rowsThere: head.values,
        nulls: undefined,
        sizeBytes: body.length,
      };
      if (body.length === sizeBytes) {
        return page;
      }
      const rowsThere = Math.floor((body.length - at) / (width ?? 1));
      return rowsThere < rowsNeeded
        ? sealed.open(decompress(codec, packed, sizeBytes), packed)
        : withRest(page, packed, rowsThere, sealed);
    },
  };
  return sealed;
}

function sealDataPageV2(
  head: PageHead,
  bytes: Uint8Array,
  codec: string,
  leaf: Leaf,
  rowsNeeded: number,
): SealedPage {
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
  // Levels are copied, so that a kept page does not hold on to the compressed bytes around them.
  const levels = bytes.slice(0, levelsEnd);
  const width = stoppableWidth(info.encoding, leaf);
  const sealed: SealedPage = {
    codec: info.is_compressed === false ? "UNCOMPRESSED" : codec,
    input: bytes.subarray(levelsEnd),
    sizeBytes,
    neededBytes: width === undefined ? sizeBytes : rowsNeeded * width,
    open(body, packed) {
      const page: Page = {
        values: head.values,
        encoding: info.encoding,
        repetition: leaf.maxRepetition > 0 ? levels.subarray(0, repetitionEnd) : undefined,
        definition: leaf.maxDefinition > 0 ? levels.subarray(repetitionEnd) : undefined,
        body,
        bodyBytes: sizeBytes,
        rowsThere: head.values,
        nulls: integerOf(info.num_nulls ?? 0, "a number of nulls"),
        sizeBytes: body.length + levelsEnd,
      };
      return body.length === sizeBytes
        ? page
        : withRest(page, packed, Math.floor(body.length / (width ?? 1)), sealed);
    },
  };
  return sealed;
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

/**
 * Checks a data page.
 * @param rowsNeeded rows from its first that are to be read; what is made of it may hold on to `bytes` where more are left
 */
export function sealPage(
  head: PageHead,
  bytes: Uint8Array,
  codec: string,
  leaf: Leaf,
  rowsNeeded: number,
): SealedPage {
  const body = checkedBody(head, bytes);
  const seal = head.type === "DATA_PAGE_V2" ? sealDataPageV2 : sealDataPage;
  return seal(head, body, codec, leaf, rowsNeeded);
}

/** Decompresses a page. */
export function openPage(sealed: SealedPage): Page {
  return sealed.open(decompressStart(sealed), sealed.input);
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
