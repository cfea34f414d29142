/** How a store serves a file: ranges, tags, preconditions; and the ways it can get them wrong. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** What a route does with a request. `hit` counts the route's requests, from 0. */
export type Behaviour = (
  request: IncomingMessage,
  response: ServerResponse,
  hit: number,
) => void | Promise<void>;

/** Answers in one go; `content-length` is set unless given. */
export function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  body: string | Uint8Array = "",
): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
  response.end(body);
}

/** How a route serves a file's bytes. */
export interface FileOptions {
  readonly etag?: string;
  readonly lastModified?: string;
  readonly type?: string;
  /**
   * `honour` (default) answers ranges; `ignore` sends all with 200; `wrong` shifts every range by one byte; `short` and
   * `long` send one byte less or more than they say; `unsaid` leaves Content-Range out; `encoded` compresses the part.
   */
  readonly range?: "honour" | "ignore" | "wrong" | "short" | "long" | "unsaid" | "encoded";
  /** Leaves Content-Length out of a 200 answer. */
  readonly chunked?: boolean;
}

function parseRange(header: string | undefined, size: number): [number, number] | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) {
    return undefined;
  }
  return first === ""
    ? [Math.max(0, size - Number(last)), size]
    : [Number(first), last === "" ? size : Math.min(size, Number(last) + 1)];
}

function preconditionFails(request: IncomingMessage, options: FileOptions): boolean {
  const { "if-match": match, "if-unmodified-since": since } = request.headers;
  return (
    (match !== undefined && match !== options.etag) ||
    (since !== undefined && Date.parse(options.lastModified ?? "") > Date.parse(since as string))
  );
}

/** Serves a file as object stores do, or as they should not. */
export function serveFile(bytes: Uint8Array, options: FileOptions): Behaviour {
  const { etag, lastModified, range = "honour", chunked } = options;
  const known = {
    "content-type": options.type ?? "application/octet-stream",
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { "last-modified": lastModified }),
  };
  return (request, response) => {
    if (preconditionFails(request, options)) {
      send(response, 412, {});
      return;
    }
    if (etag !== undefined && request.headers["if-none-match"] === etag) {
      response.writeHead(304, known).end();
      return;
    }
    const asked = range === "ignore" ? undefined : parseRange(request.headers.range, bytes.length);
    if (asked === undefined) {
      response.writeHead(200, {
        ...known,
        ...(chunked ? {} : { "content-length": bytes.length }),
      });
      response.end(bytes);
      return;
    }
    const [start, end] = asked;
    if (start >= bytes.length) {
      send(response, 416, { "content-range": `bytes */${bytes.length}` });
      return;
    }
    const shift = range === "wrong" ? 1 : 0;
    let part: Uint8Array = bytes.subarray(start - (start > 0 ? shift : 0), end);
    const said = `bytes ${end - part.length}-${end - 1}/${bytes.length}`;
    if (range === "short") {
      part = part.subarray(1);
    } else if (range === "long") {
      part = Buffer.concat([part, new Uint8Array(1)]);
    } else if (range === "encoded") {
      part = gzipSync(part);
    }
    send(
      response,
      206,
      {
        ...known,
        ...(range === "unsaid" ? {} : { "content-range": said }),
        ...(range === "encoded" ? { "content-encoding": "gzip" } : {}),
      },
      part,
    );
  };
}
