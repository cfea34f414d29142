/** Bodies: read whole under a cap, or into a buffer of known length; and what their headers say about them. */
import { ToolError } from "../errors.ts";
import type { Reply } from "./exchange.ts";
import { Setback } from "./setback.ts";

/** Media type in lower case without parameters ("" when the answer names none), and its charset. */
export interface BodyType {
  readonly mediaType: string;
  readonly charset?: string;
}

/** What an answer's `Content-Type` says. */
export function bodyType(reply: Reply): BodyType {
  const [type = "", ...parameters] = (reply.header("content-type") ?? "").split(";");
  const mediaType = type.trim().toLowerCase();
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=");
    if (name.trim().toLowerCase() === "charset") {
      const charset = value
        .trim()
        .replace(/^"(.*)"$/, "$1")
        .toLowerCase();
      return { mediaType, charset };
    }
  }
  return { mediaType };
}

/**
 * Text of a body in its charset, UTF-8 where none is named.
 * @param strict whether bytes that are no text, and unknown charsets, are an error rather than replaced
 * @throws TypeError or RangeError when strict
 */
export function decodeText(
  bytes: Uint8Array,
  charset: string | undefined,
  strict: boolean,
): string {
  if (strict) {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  }
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Joins pieces into one buffer of its own. */
export function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}

/** The error of a body that is over its cap [bytes]. */
function tooLarge(what: string, cap: number): ToolError {
  return new ToolError(
    "TOO_LARGE",
    `The answer to ${what} is larger than the ${cap} bytes that are read at most`,
    { hint: "Ask for less: a smaller limit, or a more specific filter" },
  );
}

/**
 * Reads a body whole.
 * @param cap most decoded bytes; one more ends the transfer
 * @throws ToolError TOO_LARGE
 */
export async function readWhole(reply: Reply, cap: number, what: string): Promise<Uint8Array> {
  if (reply.length !== undefined && reply.length > cap) {
    throw tooLarge(what, cap);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of reply.body) {
    length += piece.length;
    if (length > cap) {
      throw tooLarge(what, cap);
    }
    pieces.push(piece);
  }
  return joined(pieces, length);
}

/** Reads at most the first `cap` bytes of a body and leaves the rest. */
export async function readStart(reply: Reply, cap: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of reply.body) {
    pieces.push(piece.subarray(0, cap - length));
    length += Math.min(piece.length, cap - length);
    if (length === cap) {
      break;
    }
  }
  return joined(pieces, length);
}

/**
 * Reads a body that must have exactly `length` bytes, handing on each piece with its place in the body.
 * @throws Setback when it is shorter, ToolError UNREADABLE_ANSWER when it is longer
 */
export async function readExactly(
  reply: Reply,
  length: number,
  what: string,
  take: (piece: Uint8Array, place: number) => void,
): Promise<void> {
  let place = 0;
  if (reply.length === length && reply.pour !== undefined) {
    // The client holds the body to the length that was announced.
    await reply.pour((piece) => {
      take(piece, place);
      place += piece.length;
    });
    return;
  }
  for await (const piece of reply.body) {
    if (place + piece.length > length) {
      throw new ToolError(
        "UNREADABLE_ANSWER",
        `The answer to ${what} has more than the ${length} bytes that were asked for`,
      );
    }
    take(piece, place);
    place += piece.length;
  }
  if (place < length) {
    const failure = new ToolError(
      "UPSTREAM_UNAVAILABLE",
      `The answer to ${what} ended after ${place} of ${length} bytes`,
      { hint: "Try again in a minute" },
    );
    throw new Setback(failure, "later");
  }
}
