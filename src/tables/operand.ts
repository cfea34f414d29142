/** The value of a condition, read as its column's type. */
import { parseExactJson } from "../json.ts";
import type { ColumnType } from "./column-type.ts";
import { parseTime, parseTimestamp, type Threshold } from "./times.ts";

/** A number for float columns, a place on the integer scale for everything counted, bytes for text. */
export type Operand =
  | { readonly form: "number"; readonly value: number }
  | { readonly form: "threshold"; readonly value: Threshold }
  | { readonly form: "bytes"; readonly value: Uint8Array };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/;
const INFINITY = /^([+-]?)inf(?:inity)?$/i;

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") {
    return Number.isNaN(value) ? undefined : value;
  }
  const text = typeof value === "string" ? value.trim() : "";
  const infinity = INFINITY.exec(text);
  if (infinity !== null) {
    return infinity[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** A decimal number's text times 10^scale, exactly. */
function scaled(text: string, scale: number): Threshold | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!NUMBER.test(text) || match === null) {
    return undefined;
  }
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(`${whole}${fraction}` || "0") * (sign === "-" ? -1n : 1n);
  const power = Number(exponent) - fraction.length + scale;
  if (Math.abs(power) > 5000) {
    return undefined;
  }
  if (power >= 0) {
    return { floor: digits * 10n ** BigInt(power), exact: true };
  }
  const unit = 10n ** BigInt(-power);
  const rest = ((digits % unit) + unit) % unit;
  return { floor: (digits - rest) / unit, exact: rest === 0n };
}

/** A number that JSON could not carry exactly is refused: it has to come as text. */
function integerThreshold(value: unknown, scale: number): Threshold | undefined {
  if (typeof value === "number") {
    const safe = Number.isFinite(value) && (Math.abs(value) < 2 ** 53 || value % 1 !== 0);
    return safe ? scaled(String(value), scale) : undefined;
  }
  return typeof value === "string" ? scaled(value.trim(), scale) : undefined;
}

function boolThreshold(value: unknown): Threshold | undefined {
  const word = String(value).trim().toLowerCase();
  return word === "true" || word === "false"
    ? { floor: word === "true" ? 1n : 0n, exact: true }
    : undefined;
}

function dateThreshold(value: unknown): Threshold | undefined {
  const seconds = typeof value === "string" ? parseTimestamp(value, 1n) : undefined;
  if (seconds === undefined) {
    return undefined;
  }
  const rest = ((seconds.floor % 86_400n) + 86_400n) % 86_400n;
  return { floor: (seconds.floor - rest) / 86_400n, exact: rest === 0n && seconds.exact };
}

function base64Bytes(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64").replaceAll("=", "") === text.replaceAll("=", "")
    ? bytes
    : undefined;
}

function thresholdOf(type: ColumnType, value: unknown): Threshold | undefined {
  switch (type.kind) {
    case "integer":
      return integerThreshold(value, 0);
    case "decimal":
      return integerThreshold(value, type.scale ?? 0);
    case "bool":
      return boolThreshold(value);
    case "date":
      return dateThreshold(value);
    case "timestamp":
      return typeof value === "string" ? parseTimestamp(value, type.perSecond ?? 1n) : undefined;
    case "time":
      return typeof value === "string" ? parseTime(value, type.perSecond ?? 1n) : undefined;
    default:
      return undefined;
  }
}

/** Reads one value, or undefined where it cannot be understood for the type. */
export function operandOf(type: ColumnType, value: unknown): Operand | undefined {
  switch (type.kind) {
    case "float": {
      const number = numberOf(value);
      // A float32 is shown in its shortest form, so what it is compared with is rounded as it was.
      const rounded =
        number !== undefined && type.dtype === "float32" ? Math.fround(number) : number;
      return rounded === undefined ? undefined : { form: "number", value: rounded };
    }
    case "text":
      return typeof value === "string"
        ? { form: "bytes", value: Buffer.from(value, "utf8") }
        : undefined;
    case "binary": {
      const bytes = typeof value === "string" ? base64Bytes(value) : undefined;
      return bytes && { form: "bytes", value: bytes };
    }
    case "null":
      return { form: "number", value: Number.NaN };
    default: {
      const threshold = thresholdOf(type, value);
      return threshold && { form: "threshold", value: threshold };
    }
  }
}

/** The values of `in`: a list, or a JSON list in text. Undefined where it is neither. */
export function listOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) {
    return value;
  }
  if (typeof value !== "string" || !value.trim().startsWith("[")) {
    return undefined;
  }
  try {
    const list = parseExactJson(value);
    return Array.isArray(list)
      ? list.map((entry) => (typeof entry === "bigint" ? entry.toString() : entry))
      : undefined;
  } catch {
    // Text that starts like a list and is none: the caller says what was expected.
    return undefined;
  }
}

const EXAMPLES: Readonly<Record<ColumnType["kind"], unknown>> = {
  float: 3.7,
  integer: 12,
  decimal: "12.50",
  bool: true,
  text: "text",
  binary: "AAEC",
  timestamp: "2024-03-01T08:00:00Z",
  date: "2024-03-01",
  time: "08:00:00",
  null: null,
};

export const exampleOf = (type: ColumnType): unknown => EXAMPLES[type.kind];
