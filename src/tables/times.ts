/** Times as text and as the stored integer, without a float in between. */

/** Ticks of one second: 1 (s), 10^3 (ms), 10^6 (us) or 10^9 (ns). */
export type TicksPerSecond = 1n | 1_000n | 1_000_000n | 1_000_000_000n;

const DIGITS = new Map<bigint, number>([
  [1n, 0],
  [1_000n, 3],
  [1_000_000n, 6],
  [1_000_000_000n, 9],
]);

const SECONDS_PER_DAY = 86_400n;

function floorDivide(value: bigint, by: bigint): { quotient: bigint; rest: bigint } {
  const rest = ((value % by) + by) % by;
  return { quotient: (value - rest) / by, rest };
}

const two = (value: number | bigint): string => String(value).padStart(2, "0");

/** `YYYY-MM-DD` of a day number (1970-01-01 is 0), or undefined for years outside 1 to 9999. */
export function dateText(day: number): string | undefined {
  if (day < -719_162 || day > 2_932_896) {
    return undefined;
  }
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** Fraction with the stored digits, in groups of three; nothing where it is zero. */
function fractionText(rest: bigint, perSecond: TicksPerSecond): string {
  if (rest === 0n) {
    return "";
  }
  let digits = rest.toString().padStart(DIGITS.get(perSecond) ?? 9, "0");
  while (digits.endsWith("000")) {
    digits = digits.slice(0, -3);
  }
  return `.${digits}`;
}

function clockText(secondOfDay: bigint, rest: bigint, perSecond: TicksPerSecond): string {
  const minutes = secondOfDay / 60n;
  return `${two(minutes / 60n)}:${two(minutes % 60n)}:${two(secondOfDay % 60n)}${fractionText(rest, perSecond)}`;
}

/** `HH:MM:SS` with the stored fraction, of ticks since midnight. */
export function timeText(ticks: bigint, perSecond: TicksPerSecond): string {
  const { quotient, rest } = floorDivide(ticks, perSecond);
  return clockText(quotient, rest, perSecond);
}

/** ISO 8601 of ticks since 1970-01-01T00:00:00, with `Z` where they count in UTC; undefined outside the years 1 to 9999. */
export function timestampText(
  ticks: bigint,
  perSecond: TicksPerSecond,
  utc: boolean,
): string | undefined {
  const { quotient: seconds, rest } = floorDivide(ticks, perSecond);
  const { quotient: day, rest: secondOfDay } = floorDivide(seconds, SECONDS_PER_DAY);
  const date = dateText(Number(day));
  return date && `${date}T${clockText(secondOfDay, rest, perSecond)}${utc ? "Z" : ""}`;
}

/** A point on a scale of integers: the integer at or below it, and whether it is that integer. */
export interface Threshold {
  readonly floor: bigint;
  readonly exact: boolean;
}

const CLOCK = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,18}))?)?`;
const TIME = new RegExp(`^${CLOCK}$`);
const MOMENT = new RegExp(
  String.raw`^(\d{4})-(\d{2})-(\d{2})(?:[T ]${CLOCK})?\s*(Z|z|[+-]\d{2}:?\d{2})?$`,
);

/** Seconds and fraction as ticks. */
function toThreshold(
  seconds: bigint,
  fraction: string | undefined,
  perSecond: TicksPerSecond,
): Threshold {
  const digits = fraction ?? "";
  const scaled = BigInt(digits === "" ? 0 : digits) * perSecond;
  const unit = 10n ** BigInt(digits.length);
  return { floor: seconds * perSecond + scaled / unit, exact: scaled % unit === 0n };
}

function clockSeconds(
  hours: string | undefined,
  minutes: string | undefined,
  seconds: string | undefined,
): bigint | undefined {
  const [h, m, s] = [Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)];
  return h > 23 || m > 59 || s > 59 ? undefined : BigInt(h * 3600 + m * 60 + s);
}

/** Ticks since midnight of `HH:MM[:SS[.fraction]]`, or undefined where the text is no time. */
export function parseTime(text: string, perSecond: TicksPerSecond): Threshold | undefined {
  const match = TIME.exec(text.trim());
  const seconds = match && clockSeconds(match[1], match[2], match[3]);
  return typeof seconds === "bigint" ? toThreshold(seconds, match?.[4], perSecond) : undefined;
}

function offsetSeconds(zone: string | undefined): bigint {
  if (zone === undefined || zone === "Z" || zone === "z") {
    return 0n;
  }
  const digits = zone.replace(":", "");
  const seconds = Number(digits.slice(1, 3)) * 3600 + Number(digits.slice(3, 5)) * 60;
  return BigInt(zone.startsWith("-") ? -seconds : seconds);
}

/**
 * Ticks since 1970-01-01T00:00:00 of an ISO 8601 date or moment, or undefined where the text is neither.
 * Without a zone the text is taken on the column's own scale.
 */
export function parseTimestamp(text: string, perSecond: TicksPerSecond): Threshold | undefined {
  const match = MOMENT.exec(text.trim());
  if (match === null) {
    return undefined;
  }
  const [, year, month, date, hours, minutes, seconds, fraction, zone] = match;
  const dayMs = Date.parse(`${year}-${month}-${date}T00:00:00Z`);
  const clock = clockSeconds(hours, minutes, seconds);
  const rolledOver = !Number.isNaN(dayMs) && new Date(dayMs).getUTCDate() !== Number(date);
  if (Number.isNaN(dayMs) || rolledOver || clock === undefined) {
    return undefined;
  }
  return toThreshold(BigInt(dayMs / 1000) + clock - offsetSeconds(zone), fraction, perSecond);
}
