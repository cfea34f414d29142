/** Values that Parquet stores as bytes: uuids, intervals, half floats, decimals. */
import { damaged } from "./damaged.ts";
import type { Leaf } from "./parquet-file.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function uuidText(bytes: Uint8Array): string {
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Months, days and milliseconds as an ISO 8601 duration. */
function intervalText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months, days, milliseconds] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return `P${months}M${days}DT${(milliseconds ?? 0) / 1000}S`;
}

/** Text of values that are stored as something else, by the stored length it needs [bytes]. */
export function textForm(
  leaf: Leaf,
): { length: number; text(bytes: Uint8Array): string } | undefined {
  if (leaf.type.kind !== "text" || leaf.element.type !== "FIXED_LEN_BYTE_ARRAY") {
    return undefined;
  }
  if (leaf.element.logical_type?.type === "UUID") {
    return { length: 16, text: uuidText };
  }
  return leaf.element.converted_type === "INTERVAL"
    ? { length: 12, text: intervalText }
    : undefined;
}

/** Two's complement big-endian bytes. */
export function bigEndian(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`));
}

export function halfFloat(bytes: Uint8Array): number {
  const bits = ((bytes[1] ?? 0) << 8) | (bytes[0] ?? 0);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) {
    return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  }
  return exponent === 0
    ? (sign * fraction) / 2 ** 24
    : sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

/** Writes an integer as little-endian 32-bit limbs. */
export function writeLimbs(out: Uint32Array, at: number, limbs: number, value: bigint): void {
  const unsigned = BigInt.asUintN(limbs * 32, value);
  if (BigInt.asIntN(limbs * 32, unsigned) !== value) {
    throw damaged("a decimal does not fit its type");
  }
  for (let limb = 0; limb < limbs; limb += 1) {
    out[at + limb] = Number((unsigned >> BigInt(32 * limb)) & 0xffff_ffffn);
  }
}
