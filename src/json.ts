/** JSON without loss: integers that a double cannot hold arrive as `bigint`. */
import { parse } from "lossless-json";
import type { Json } from "./contract.ts";

export type ExactJson =
  | null
  | boolean
  | number
  | bigint
  | string
  | ExactJson[]
  | { [key: string]: ExactJson };

/** Sixteen digits before any point: the shortest integer that may not fit (2^53 has sixteen). */
const LONG_INTEGER = /(?<![.\d])\d{16}/;
const INTEGER = /^-?\d+$/;

function exactNumber(text: string): number | bigint {
  const value = Number(text);
  return INTEGER.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

/**
 * Parses JSON text. `JSON.parse` does the work unless the text holds a long integer.
 * @throws SyntaxError with the position where the text breaks off or goes wrong
 */
export function parseExactJson(text: string): ExactJson {
  return LONG_INTEGER.test(text)
    ? (parse(text, undefined, exactNumber) as ExactJson)
    : (JSON.parse(text) as ExactJson);
}

/** Plain JSON of an exact value: integers beyond 2^53 become text. */
export function toPlainJson(value: ExactJson): Json {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return value.map(toPlainJson);
  }
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, toPlainJson(member)]),
    );
  }
  return value;
}

/**
 * The value at a JSON pointer (RFC 6901), or undefined where nothing is there.
 * Only own members count, so that a pointer cannot reach a prototype.
 */
export function atPointer(value: ExactJson, pointer: string): ExactJson | undefined {
  let current: ExactJson | undefined = value;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (current === null || typeof current !== "object" || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = (current as Record<string, ExactJson>)[key];
  }
  return current;
}
