/**
 * An HTTP server on loopback that misbehaves on demand, and remembers who asked for what.
 *
 * Its routes are a table from path to behaviour. A list of behaviours is used up one request after the other, the last one
 * staying: `{"/cells": [fault.status(503), fault.json({items: []})]}` fails once and then answers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type Behaviour, type FileOptions, send, serveFile } from "./serve-file.ts";

/** Behaviours by path without query; `*` is for every path that has none. */
export type Routes = Record<string, Behaviour | readonly Behaviour[]>;

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** With its `?`; "" when there is none. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Status that was answered; 0 when none was. */
  status: number;
  /** Whether the client went away before the answer was whole. */
  aborted: boolean;
}

export interface FaultServer {
  readonly url: string;
  readonly log: readonly LoggedRequest[];
  /** Most requests that were open at the same time. */
  readonly peak: number;
  /** Connections made so far. */
  readonly connections: number;
  /** May be replaced while the server runs: every route then starts from its first behaviour. */
  routes: Routes;
  /** Requests of one path, or all. */
  count(path?: string): number;
  /** Requests whose address or headers hold the text. */
  mentioning(text: string): LoggedRequest[];
  /** Waits until the condition holds, at most 5 s. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startFaultServer(routes: Routes): Promise<FaultServer> {
  const log: LoggedRequest[] = [];
  const hits = new Map<string, number>();
  const sockets = new Set<Socket>();
  let current = routes;
  let open = 0;
  let peak = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    const [path = "", query] = (request.url ?? "").split(/(?=\?)/);
    const entry: LoggedRequest = {
      method: request.method ?? "",
      path,
      query: query ?? "",
      headers: request.headers as Record<string, string>,
      status: 0,
      aborted: false,
    };
    log.push(entry);
    open++;
    peak = Math.max(peak, open);
    response.on("close", () => {
      open--;
      entry.status = response.headersSent ? response.statusCode : 0;
      // A response counts as finished too when its connection is gone.
      entry.aborted = !response.writableFinished || request.socket.destroyed;
    });
    const route = current[path] ?? current["*"] ?? fault.status(404);
    const hit = hits.get(path) ?? 0;
    hits.set(path, hit + 1);
    const behaviour = typeof route === "function" ? route : route[Math.min(hit, route.length - 1)];
    void behaviour?.(request, response, hit);
  });
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const self: FaultServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    get peak() {
      return peak;
    },
    get connections() {
      return connections;
    },
    get routes() {
      return current;
    },
    set routes(replaced) {
      current = replaced;
      hits.clear();
    },
    count: (path) => log.filter((entry) => path === undefined || entry.path === path).length,
    mentioning: (text) => log.filter((entry) => JSON.stringify(entry).includes(text)),
    async until(condition) {
      for (let waited = 0; !condition(); waited += 5) {
        if (waited > 5000) {
          throw new Error("what was waited for did not happen within 5 s");
        }
        await after(5);
      }
    },
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise<void>((done) => {
        server.close(() => done());
      });
    },
  };
  return self;
}

const JSON_TYPE = { "content-type": "application/json" };
const MEBIBYTE = 1024 * 1024;

/** The behaviours. Each returns one that a route can be given. */
export const fault = {
  /** Any answer; `content-length` is set unless given. */
  answer:
    (status: number, headers: Record<string, string | number>, body: string | Uint8Array = "") =>
    (_: IncomingMessage, response: ServerResponse): void =>
      send(response, status, headers, body),

  json: (value: unknown, status = 200): Behaviour =>
    fault.answer(status, JSON_TYPE, JSON.stringify(value)),

  /** An error status with a standardized body: `{"error_code", "message", "detail"}`. */
  status: (
    status: number,
    message = `status ${status}`,
    headers: Record<string, string> = {},
  ): Behaviour =>
    fault.answer(
      status,
      { ...JSON_TYPE, ...headers },
      JSON.stringify({ error_code: "FAULT", message, detail: null }),
    ),

  /** 429; `retryAfter` in seconds, as a date, or as any text. */
  rateLimit: (retryAfter?: number | Date | string): Behaviour =>
    fault.status(
      429,
      "slow down",
      retryAfter === undefined
        ? {}
        : {
            "retry-after":
              retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter),
          },
    ),

  file: (bytes: Uint8Array, options: FileOptions = {}): Behaviour => serveFile(bytes, options),

  /** A redirect; a target that is a function sees the request and how often the route was asked. */
  redirect:
    (
      target: string | ((request: IncomingMessage, hit: number) => string),
      status = 307,
      body = "",
    ): Behaviour =>
    (request, response, hit) =>
      send(
        response,
        status,
        { location: typeof target === "string" ? target : target(request, hit) },
        body,
      ),

  /** Redirects to itself for ever. */
  redirectLoop: (): Behaviour => fault.redirect((request) => request.url ?? "/"),

  /** A redirect status without `Location`. */
  redirectNowhere: (status = 307): Behaviour => fault.answer(status, {}),

  /** Takes the request and closes the connection without a byte. */
  dropBeforeHeaders: (): Behaviour => (request) => {
    request.socket.destroy();
  },

  /** Announces `length` bytes, sends `sent` of them, and closes the connection hard. */
  dropMidBody:
    (
      sent = 100,
      length = 1000,
      headers: Record<string, string> = JSON_TYPE,
      status = 200,
    ): Behaviour =>
    (_, response) => {
      response.writeHead(status, { "content-length": length, ...headers });
      response.write(Buffer.alloc(sent, " "), () => {
        setImmediate(() => response.socket?.resetAndDestroy());
      });
    },

  /** Announces all of `body`, sends the first half and ends the connection in good order. */
  truncated:
    (body: string, headers: Record<string, string> = JSON_TYPE): Behaviour =>
    (_, response) => {
      response.writeHead(200, { "content-length": Buffer.byteLength(body), ...headers });
      response.write(body.slice(0, body.length / 2), () => {
        setImmediate(() => response.socket?.end());
      });
    },

  /** Takes the request and never answers. */
  stall: (): Behaviour => () => undefined,

  /** Sends the head and a first byte, then nothing more. */
  stallMidBody: (): Behaviour => (_, response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": 1000 });
    response.write("{");
  },

  /** One byte of `body` every `everyMs`, the first at once. */
  drip:
    (body: string, everyMs: number): Behaviour =>
    async (_, response) => {
      response.writeHead(200, { ...JSON_TYPE, "content-length": Buffer.byteLength(body) });
      const bytes = Buffer.from(body);
      for (const byte of bytes.subarray(0, -1)) {
        response.write(Uint8Array.of(byte));
        await after(everyMs);
        if (response.destroyed) {
          return;
        }
      }
      response.end(bytes.subarray(-1));
    },

  /** Flips a byte in the middle of whatever `bytes` are. */
  corrupted: (bytes: Uint8Array, options: FileOptions = {}): Behaviour => {
    const copy = Uint8Array.from(bytes);
    const middle = Math.floor(copy.length / 2);
    copy[middle] = (copy[middle] ?? 0) ^ 0xff;
    return serveFile(copy, options);
  },

  html: (title = "Sign in", status = 200): Behaviour =>
    fault.answer(
      status,
      { "content-type": "text/html; charset=utf-8" },
      `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
    ),

  empty: (status = 200): Behaviour => fault.answer(status, JSON_TYPE),

  /** JSON under another name. */
  wrongType: (value: unknown, type = "text/plain"): Behaviour =>
    fault.answer(200, { "content-type": type }, JSON.stringify(value)),

  gzip: (value: unknown): Behaviour =>
    fault.answer(
      200,
      { ...JSON_TYPE, "content-encoding": "gzip" },
      gzipSync(JSON.stringify(value)),
    ),

  /** `mebibytes` of zeros in a thousandth of their size. */
  gzipBomb: (mebibytes = 256): Behaviour => {
    const block = gzipSync(Buffer.alloc(MEBIBYTE));
    return fault.answer(
      200,
      { ...JSON_TYPE, "content-encoding": "gzip" },
      Buffer.concat(Array.from({ length: mebibytes }, () => block)),
    );
  },

  /** A JSON list of `mebibytes` of text. */
  huge: (mebibytes = 20): Behaviour => {
    const item = JSON.stringify("x".repeat(1022));
    const body = `[${Array.from({ length: mebibytes * 1024 }, () => item).join(",")}]`;
    return fault.answer(200, JSON_TYPE, body);
  },

  /** How stores refuse a link that is too old. */
  linkExpired: (status: 400 | 401 | 403 | 404 | 410 = 400): Behaviour =>
    fault.answer(
      status,
      JSON_TYPE,
      JSON.stringify({ statusCode: String(status), error: "InvalidJWT", message: "jwt expired" }),
    ),
};
