/** The delta encodings: hyparquet unpacks, what it trusts is checked before. */
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { damaged, parsing, tooLarge } from "./damaged.ts";
import type { ValueStream } from "./encodings.ts";
import type { Physical, Slices } from "./physical.ts";

interface Reader {
  readonly view: DataView;
  offset: number;
}

/** Most bytes that prefixes may unfold to in one page [bytes]. */
const MAX_UNFOLDED = 256 * 1024 * 1024;

/** Most values that a byte of a delta page can stand for: far beyond what any writer reaches. */
const MAX_VALUES_PER_BYTE = 1024;

/** Refuses a number of values that so many bytes cannot hold, before room is made for them. */
export function checkDensity(values: number, sizeBytes: number): void {
  if (values > MAX_VALUES_PER_BYTE * sizeBytes) {
    throw damaged(`a page of ${values} values has ${sizeBytes} bytes`);
  }
}

function readerOf({ bytes, at, total }: ValueStream): Reader {
  checkDensity(total, bytes.length - at);
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: at };
}

function varint(reader: Reader): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = reader.view.getUint8(reader.offset);
    reader.offset += 1;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) {
      break;
    }
  }
  return value;
}

/** The block header, which the unpacking takes as it is; leaves the reader where it was. */
function checkHeader(reader: Reader, total: number): void {
  const start = reader.offset;
  const blockSize = varint(reader);
  const miniblocks = varint(reader);
  const count = varint(reader);
  reader.offset = start;
  const perMiniblock = blockSize / miniblocks;
  const sound =
    blockSize > 0 &&
    blockSize <= 1 << 20 &&
    Number.isInteger(perMiniblock) &&
    perMiniblock % 8 === 0;
  if (!sound || miniblocks > 4096) {
    throw damaged(`delta blocks of ${blockSize} values in ${miniblocks} parts`);
  }
  if (count !== total) {
    throw damaged(`a delta page of ${total} values says that it has ${count}`);
  }
}

function unpack<T extends Int32Array | BigInt64Array>(reader: Reader, total: number, out: T): T {
  parsing("a delta page breaks off", () => {
    checkHeader(reader, total);
    if (out.length > 0) {
      deltaBinaryUnpack(reader, out.length, out);
    }
  });
  return out;
}

/** DELTA_BINARY_PACKED: values are sums, so everything before the window is unpacked too. */
export function readDeltaIntegers(stream: ValueStream): Physical {
  const { type, total, skip, count } = stream;
  const reader = readerOf(stream);
  return type === "INT32"
    ? {
        form: "numbers",
        values: unpack(reader, total, new Int32Array(skip + count)).subarray(skip),
      }
    : {
        form: "bigints",
        values: unpack(reader, total, new BigInt64Array(skip + count)).subarray(skip),
      };
}

/** Lengths of all values; leaves the reader behind them. An empty list still has its header. */
function lengths(reader: Reader, total: number): Int32Array {
  if (total === 0) {
    parsing("a delta page breaks off", () => {
      for (let field = 0; field < 4; field += 1) {
        varint(reader);
      }
    });
    return new Int32Array(0);
  }
  const out = unpack(reader, total, new Int32Array(total));
  if (out.some((length) => length < 0)) {
    throw damaged("a delta page has a negative length");
  }
  return out;
}

export function readDeltaLengthByteArray(stream: ValueStream): Physical {
  const { bytes, total, skip, count } = stream;
  const reader = readerOf(stream);
  const all = lengths(reader, total);
  const values: Slices = { bytes, starts: new Uint32Array(count), ends: new Uint32Array(count) };
  let at = reader.offset;
  for (let index = 0; index < total; index += 1) {
    const end = at + (all[index] as number);
    if (index >= skip && index < skip + count) {
      values.starts[index - skip] = at;
      values.ends[index - skip] = end;
    }
    at = end;
  }
  if (at !== bytes.length) {
    throw damaged("the lengths of a delta page do not add up");
  }
  return { form: "slices", values };
}

/** DELTA_BYTE_ARRAY: each value starts with a prefix of the one before it. */
export function readDeltaByteArray(stream: ValueStream): Physical {
  const { bytes, total, skip, count } = stream;
  const reader = readerOf(stream);
  const prefixes = lengths(reader, total);
  const suffixes = lengths(reader, total);
  const wanted = skip + count;
  let size = 0;
  let at = reader.offset;
  let previous = 0;
  for (let index = 0; index < total; index += 1) {
    const prefix = prefixes[index] as number;
    if (prefix > previous) {
      throw damaged("a value continues one that is shorter");
    }
    previous = prefix + (suffixes[index] as number);
    size += index < wanted ? previous : 0;
    at += suffixes[index] as number;
  }
  if (at !== bytes.length) {
    throw damaged("the lengths of a delta page do not add up");
  }
  if (size > MAX_UNFOLDED) {
    throw tooLarge(`A page of the table unfolds to ${size} bytes`, "Read other columns");
  }
  const out = new Uint8Array(size);
  const values: Slices = {
    bytes: out,
    starts: new Uint32Array(count),
    ends: new Uint32Array(count),
  };
  let from = reader.offset;
  let written = 0;
  let last = 0;
  for (let index = 0; index < wanted; index += 1) {
    const prefix = prefixes[index] as number;
    const suffix = suffixes[index] as number;
    out.copyWithin(written, last, last + prefix);
    out.set(bytes.subarray(from, from + suffix), written + prefix);
    last = written;
    written += prefix + suffix;
    from += suffix;
    if (index >= skip) {
      values.starts[index - skip] = last;
      values.ends[index - skip] = written;
    }
  }
  return { form: "slices", values };
}
