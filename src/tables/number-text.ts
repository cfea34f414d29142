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

/** Powers of ten that a double holds exactly. */
const TENS = Array.from({ length: 23 }, (_, power) => 10 ** power);
/** Most digits that every number of so many fits into a double exactly. */
const EXACT_DIGITS = 15;

/**
 * The number that digits, a sign and a point spell, rounded correctly: up to 15 digits and 22 behind the point, both the
 * digits and the power of ten are exact, and so one division rounds once.
 * @returns undefined for everything longer or otherwise written
 */
export function shortNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  let at = start;
  const negative = bytes[at] === 0x2d;
  at += negative ? 1 : 0;
  if (end - at > EXACT_DIGITS + 1) {
    return undefined;
  }
  let digits = 0;
  let count = 0;
  let point = -1;
  for (; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte >= 0x30 && byte <= 0x39) {
      digits = digits * 10 + (byte - 0x30);
      count += 1;
    } else if (byte === 0x2e && point < 0) {
      point = at;
    } else {
      return undefined;
    }
  }
  if (count === 0 || count > EXACT_DIGITS) {
    return undefined;
  }
  const value = point < 0 ? digits : digits / (TENS[end - point - 1] as number);
  return negative ? -value : value;
}
