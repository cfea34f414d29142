/**
 * Value encodings. Each reads `count` values after `skip` from the `total` values of a page: what lies outside the
 * window is passed over where the encoding allows it. What the structure can tell is checked.
 */
import type { ParquetType } from "hyparquet";
import { alpDecode } from "hyparquet/src/alp.js";
import { damaged, parsing, unsupported } from "./damaged.ts";
import {
  checkDensity,
  readDeltaByteArray,
  readDeltaIntegers,
  readDeltaLengthByteArray,
} from "./delta.ts";
import { HybridReader } from "./hybrid.ts";
import { type Physical, type Slices, takeFrom } from "./physical.ts";

export interface ValueStream {
  readonly bytes: Uint8Array;
  /** First byte of the values. */
  readonly at: number;
  readonly type: ParquetType;
  /** Length of a value of FIXED_LEN_BYTE_ARRAY [bytes]. */
  readonly typeLength: number;
  /** Values in the page that are not null. */
  readonly total: number;
  readonly skip: number;
  readonly count: number;
  /** Length of all values [bytes] where `bytes` is only their start; absent: `bytes` is all of them. */
  readonly sizeBytes?: number;
}

const WIDTH: Readonly<Partial<Record<ParquetType, number>>> = {
  INT32: 4,
  INT64: 8,
  INT96: 12,
  FLOAT: 4,
  DOUBLE: 8,
};

/** Length of a stored value of fixed length [bytes]. */
export function widthOf(type: ParquetType, typeLength: number): number {
  return WIDTH[type] ?? typeLength;
}

const JULIAN_1970 = 2_440_588n;
const NANOS_PER_DAY = 86_400_000_000_000n;
/** The smallest int64 stands for an INT96 outside the range of nanoseconds; it is shown as null. */
export const OUT_OF_RANGE = -(2n ** 63n);

function fromInt96(bytes: Uint8Array): BigInt64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new BigInt64Array(bytes.length / 12);
  for (let index = 0; index < values.length; index += 1) {
    const day = BigInt(view.getInt32(index * 12 + 8, true)) - JULIAN_1970;
    const nanos = day * NANOS_PER_DAY + view.getBigInt64(index * 12, true);
    values[index] = BigInt.asIntN(64, nanos) === nanos ? nanos : OUT_OF_RANGE;
  }
  return values;
}

/** Little-endian bytes of fixed width values, aligned, as values. */
function fromBytes(bytes: Uint8Array, type: ParquetType, typeLength: number): Physical {
  switch (type) {
    case "INT32":
      return { form: "numbers", values: new Int32Array(bytes.buffer) };
    case "FLOAT":
      return { form: "numbers", values: new Float32Array(bytes.buffer) };
    case "DOUBLE":
      return { form: "numbers", values: new Float64Array(bytes.buffer) };
    case "INT64":
      return { form: "bigints", values: new BigInt64Array(bytes.buffer) };
    case "INT96":
      return { form: "bigints", values: fromInt96(bytes) };
    default: {
      const count = typeLength === 0 ? 0 : bytes.length / typeLength;
      const starts = Uint32Array.from({ length: count }, (_, index) => index * typeLength);
      const ends = Uint32Array.from({ length: count }, (_, index) => (index + 1) * typeLength);
      return { form: "slices", values: { bytes, starts, ends } };
    }
  }
}

function plainBooleans({ bytes, at, total, skip, count }: ValueStream): Physical {
  if (at + Math.ceil(total / 8) > bytes.length) {
    throw damaged("a page has fewer values than it says");
  }
  const values = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) {
    const bit = skip + index;
    values[index] = ((bytes[at + (bit >>> 3)] as number) >>> (bit & 7)) & 1;
  }
  return { form: "numbers", values };
}

function plainSlices({ bytes, at, total, skip, count }: ValueStream): Physical {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (total * 4 > bytes.length - at) {
    throw damaged(`a page of ${total} values has ${bytes.length - at} bytes`);
  }
  const values: Slices = {
    bytes,
    starts: new Uint32Array(count),
    ends: new Uint32Array(count),
  };
  let position = at;
  for (let index = 0; index < Math.min(total, skip + count); index += 1) {
    const start = position + 4;
    position = start <= bytes.length ? start + view.getUint32(position, true) : start;
    if (position > bytes.length) {
      throw damaged("a page has fewer values than it says");
    }
    if (index >= skip) {
      values.starts[index - skip] = start;
      values.ends[index - skip] = position;
    }
  }
  return { form: "slices", values };
}

function readPlain(stream: ValueStream): Physical {
  const { bytes, at, type, typeLength, total, skip, count } = stream;
  if (type === "BOOLEAN") {
    return plainBooleans(stream);
  }
  if (type === "BYTE_ARRAY") {
    return plainSlices(stream);
  }
  const width = widthOf(type, typeLength);
  const sizeBytes = (stream.sizeBytes ?? bytes.length) - at;
  if (sizeBytes !== total * width) {
    throw damaged(`a page of ${total} values has ${sizeBytes} bytes`);
  }
  const start = at + skip * width;
  const end = start + count * width;
  if (end > bytes.length) {
    throw new Error(`values up to byte ${end} are asked of the first ${bytes.length}`);
  }
  return fromBytes(bytes.slice(start, end), type, typeLength);
}

function readIndexes(stream: ValueStream): Uint32Array {
  const { bytes, at, skip, count } = stream;
  const indexes = new Uint32Array(count);
  if (count > 0) {
    const width = bytes[at];
    if (width === undefined) {
      throw damaged("a dictionary page has no indexes");
    }
    const reader = new HybridReader(bytes, at + 1, bytes.length, width);
    reader.skip(skip);
    reader.read(indexes);
  }
  return indexes;
}

function readRleBooleans({ bytes, at, skip, count }: ValueStream): Physical {
  const values = new Uint8Array(count);
  const reader = new HybridReader(bytes, at + 4, bytes.length, 1);
  reader.skip(skip);
  reader.read(values);
  return { form: "numbers", values };
}

function readByteStreamSplit(stream: ValueStream): Physical {
  const { bytes, at, type, typeLength, total, skip, count } = stream;
  const width = widthOf(type, typeLength);
  if (bytes.length - at !== total * width) {
    throw damaged(`a page of ${total} values has ${bytes.length - at} bytes`);
  }
  const joined = new Uint8Array(count * width);
  for (let byte = 0; byte < width; byte += 1) {
    const from = at + byte * total + skip;
    for (let index = 0; index < count; index += 1) {
      joined[index * width + byte] = bytes[from + index] as number;
    }
  }
  return fromBytes(joined, type, typeLength);
}

function readAlp({ bytes, at, type, total, skip, count }: ValueStream): Physical {
  checkDensity(total, bytes.length - at);
  const reader = {
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    offset: at,
  };
  const all = parsing("an ALP page cannot be decoded", () => alpDecode(reader, total, type));
  const wanted = (all as Float64Array).slice(skip, skip + count);
  return { form: "numbers", values: wanted };
}

/**
 * Reads values of one page.
 * @param dictionary the column chunk's dictionary, where it has one
 */
export function readValues(
  encoding: string | undefined,
  stream: ValueStream,
  dictionary: Physical | undefined,
): Physical {
  switch (encoding) {
    case "PLAIN":
      return readPlain(stream);
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY":
      if (dictionary === undefined) {
        throw damaged("a page needs a dictionary that is not there");
      }
      return takeFrom(dictionary, readIndexes(stream));
    case "RLE":
      if (stream.type === "BOOLEAN") {
        return readRleBooleans(stream);
      }
      break;
    case "BYTE_STREAM_SPLIT":
      return readByteStreamSplit(stream);
    case "DELTA_BINARY_PACKED":
      if (stream.type === "INT32" || stream.type === "INT64") {
        return readDeltaIntegers(stream);
      }
      break;
    case "DELTA_LENGTH_BYTE_ARRAY":
      return readDeltaLengthByteArray(stream);
    case "DELTA_BYTE_ARRAY":
      return readDeltaByteArray(stream);
    case "ALP":
      return readAlp(stream);
    default:
      throw unsupported(`the encoding ${encoding}`);
  }
  throw damaged(`values of type ${stream.type} in the encoding ${encoding}`);
}
