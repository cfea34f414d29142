/** Byte ranges of the object store (RFC 9110, one range per request). */

/** Half-open: `start` inclusive, `end` exclusive. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes that a `Range` header asks for.
 * @param size of the object [bytes]
 * @returns undefined: the whole object (no header, another unit, several ranges or nonsense, as the standard allows);
 *   "unsatisfiable": 416
 */
export function readRange(
  header: string | undefined,
  size: number,
): Slice | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) {
    return undefined;
  }
  if (first === "") {
    // A suffix that is longer than the object is the whole object.
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) {
    return undefined;
  }
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  return start >= size ? "unsatisfiable" : { start, end };
}
