/** What a route answers: plain data, so that faults and ranges are applied in one place. */
import type { IncomingHttpHeaders } from "node:http";
import { type Element, writeXml } from "./xml.ts";

/** A file on disk as a body. */
interface FileBody {
  readonly path: string;
  readonly sizeBytes: number;
}

export type Body = string | Buffer | FileBody;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The bytes may be asked for in ranges; the text is their entity tag without quotes. */
  readonly rangeTag?: string;
}

/** A request with its path still percent-encoded. */
export interface DemoRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Handler = (request: DemoRequest) => Answer;

export function text(status: number, body: string, type = "text/plain"): Answer {
  return { status, headers: { "Content-Type": type }, body };
}

export function html(status: number, body: string): Answer {
  return text(status, body, "text/html");
}

export function xml(status: number, root: Element, indent = 2): Answer {
  return text(status, writeXml(root, indent), "application/xml");
}

export function json(status: number, value: unknown): Answer {
  return text(status, JSON.stringify(value), "application/json");
}

/** The page of the gateway in front of PASTA: what a client with an unwelcome User-Agent gets. */
export const GATEWAY_PAGE =
  "<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body>\r\n<center><h1>403 Forbidden</h1></center>\r\n<hr><center>nginx/1.28.0 (a demo)</center>\r\n</body>\r\n</html>\r\n";

/** Bytes in a body. */
export function sizeOf(body: Body): number {
  if (typeof body === "string") {
    return Buffer.byteLength(body);
  }
  return Buffer.isBuffer(body) ? body.length : body.sizeBytes;
}
