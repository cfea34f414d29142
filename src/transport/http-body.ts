/** Bodies of requests: JSON, whole, and not too much of it. */
import type { IncomingMessage } from "node:http";

/** A request that is answered with a status instead of being served. */
export class HttpRefusal extends Error {
  readonly status: number;
  /** JSON-RPC's code. */
  readonly code: number;

  constructor(status: number, message: string, code = -32_000, cause?: unknown) {
    super(message, { cause });
    this.name = "HttpRefusal";
    this.status = status;
    this.code = code;
  }
}

const PARSE_ERROR = -32_700;

async function readWhole(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new HttpRefusal(413, `The request's body is larger than ${maxBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    throw tooLarge();
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  // Without `destroyOnReturn`, so that the answer to a body that is too large still finds its way.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += (part as Buffer).length;
    if (bytes > maxBytes) {
      throw tooLarge();
    }
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/**
 * Reads a request's JSON body.
 * @param maxBytes longest body that is read [bytes]
 * @throws HttpRefusal 413 for more, 415 for another type or encoding, 400 for what is not JSON
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new HttpRefusal(415, "The request's body must be application/json");
  }
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw new HttpRefusal(415, "The request's body must not be compressed");
  }
  const body = await readWhole(request, maxBytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new HttpRefusal(400, "The request's body is not JSON in UTF-8", PARSE_ERROR, error);
  }
}
