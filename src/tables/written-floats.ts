/** Whole numbers that JSON text writes as floats: `20.0` makes a column of floats, `20` does not, and a parser forgets which. */

/**
 * A member whose number has zeros only behind its point, or an exponent. The name's length is bounded and escaped
 * quotes open none, so that no text costs more than its length.
 */
const FLOAT_MEMBER = /(?<!\\)"((?:[^"\\]|\\.){0,200})"\s*:\s*-?\d+(?:\.0+(?!\d)|(?:\.\d+)?[eE])/g;

/** Names of members that hold such numbers somewhere, as the text has them. */
export function floatMembers(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = ""] of text.matchAll(FLOAT_MEMBER)) {
    names.add(name);
  }
  return new Set([...names].map((name) => JSON.parse(`"${name}"`) as string));
}
