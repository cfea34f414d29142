/** JSON that remembers which whole numbers were written as floats: `20.0` makes a column of floats, `20` does not. */
import { parse } from "lossless-json";
import { type ExactJson, parseExactJson } from "../json.ts";

/** A whole number that was written with a point or an exponent. */
export class WrittenFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A number with zeros only behind its point, or with an exponent: the forms that may stand for a whole one. */
const MAY_BE_WHOLE = /[:,[]\s*-?\d+(?:\.0+(?!\d)|(?:\.\d+)?[eE])/;
const INTEGER = /^-?\d+$/;

function marked(text: string): unknown {
  const value = Number(text);
  if (INTEGER.test(text)) {
    return Number.isSafeInteger(value) ? value : BigInt(text);
  }
  return Number.isInteger(value) ? new WrittenFloat(value) : value;
}

/**
 * Parses JSON text without loss; {@link WrittenFloat} stands for floats with a whole value.
 * @throws SyntaxError
 */
export function parseMarkedJson(text: string): ExactJson {
  return MAY_BE_WHOLE.test(text)
    ? (parse(text, undefined, marked) as ExactJson)
    : parseExactJson(text);
}

/** A value without marks, nested ones included. */
export function unmarked(value: ExactJson): ExactJson {
  if (value === null || typeof value !== "object") {
    return value;
  }
  if (value instanceof WrittenFloat) {
    return value.value;
  }
  return Array.isArray(value)
    ? value.map(unmarked)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unmarked(member)]));
}
