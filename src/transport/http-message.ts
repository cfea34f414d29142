/** Between Node's requests and responses and those of the web, which the SDK speaks. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

/** Headers without some; names in lower case. */
export function toHeaders(from: IncomingHttpHeaders, without: readonly string[]): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && !without.includes(name)) {
      headers.set(name, Array.isArray(value) ? value.join(", ") : value);
    }
  }
  return headers;
}

/** Answers with JSON, unless an answer was begun already. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** Hands an answer of the SDK on as it comes; a client that goes away ends it. */
export async function sendResponse(to: ServerResponse, from: Response): Promise<void> {
  const headers = Object.fromEntries(
    [...from.headers].filter(([name]) => name !== "connection" && name !== "cache-control"),
  );
  if (from.body === null) {
    to.writeHead(from.status, headers).end();
    return;
  }
  if (from.headers.get("content-type") !== "text/event-stream") {
    const body = Buffer.from(await from.arrayBuffer());
    to.writeHead(from.status, { ...headers, "content-length": body.length }).end(body);
    return;
  }
  to.writeHead(from.status, { ...headers, "cache-control": "no-cache, no-transform" });
  to.flushHeaders();
  await pipeline(Readable.fromWeb(from.body as ReadableStream), to);
}
