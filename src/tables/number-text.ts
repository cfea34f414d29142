/** What kind of number a text is, as pandas reads CSV: blanks around it do not count. */

export const NOT_NUMBER = 0;
export const INTEGER = 1;
export const FLOAT = 2;
/** `007`: a code rather than a number. */
export const ZERO_LED = 3;
/** `inf`, `-Infinity`, `nan`. */
export const SPECIAL = 4;

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;

const SPECIALS = /^[+-]?(inf|infinity|nan)$/i;

/** @param start, end place of the text, half open */
export function kindOfNumber(bytes: Uint8Array, start: number, end: number): number {
  let from = start;
  let to = end;
  while (from < to && isBlank(bytes[from])) {
    from += 1;
  }
  while (to > from && isBlank(bytes[to - 1])) {
    to -= 1;
  }
  const signed = bytes[from] === 0x2b || bytes[from] === 0x2d;
  const digits = signed ? from + 1 : from;
  let at = digits;
  while (at < to && isDigit(bytes[at])) {
    at += 1;
  }
  const whole = at - digits;
  if (at === to) {
    return whole === 0 ? NOT_NUMBER : whole > 1 && bytes[digits] === 0x30 ? ZERO_LED : INTEGER;
  }
  let fraction = 0;
  if (bytes[at] === 0x2e) {
    at += 1;
    while (at < to && isDigit(bytes[at])) {
      at += 1;
      fraction += 1;
    }
  }
  if (whole + fraction === 0) {
    const text = to - from <= 9 ? Buffer.from(bytes.subarray(from, to)).toString("latin1") : "";
    return SPECIALS.test(text) ? SPECIAL : NOT_NUMBER;
  }
  if (at < to && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    at += bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d ? 2 : 1;
    const exponent = at;
    while (at < to && isDigit(bytes[at])) {
      at += 1;
    }
    if (at === exponent) {
      return NOT_NUMBER;
    }
  }
  return at === to ? FLOAT : NOT_NUMBER;
}
