/** A port that answers HTTP: bounded in time and number, and closed without losing an answer. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ListenAddress } from "../listen-address.ts";
import type { Log } from "../log.ts";
import { HttpRefusal } from "./http-body.ts";
import { sendJson } from "./http-message.ts";

export interface HttpLimits {
  /** Longest time to the end of a request's headers, and of the whole request [ms]. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often slow connections are looked for [ms]. */
  readonly checkMs: number;
  /** Longest time that a connection stays open without a request; proxies in front keep theirs for 60 s [ms]. */
  readonly keepAliveMs: number;
  /** Most connections; more are closed at once. */
  readonly connections: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 1_000,
  keepAliveMs: 65_000,
  connections: 1_024,
};

export interface ListenerOptions {
  readonly listen: ListenAddress;
  readonly limits: HttpLimits;
  /** Longest time to an answer [ms]. */
  readonly answerMs: number;
  /** Answers a request. @throws HttpRefusal for one that is not served */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Told of every request that is over: its status, 0 where none was sent. */
  readonly onAnswer?: (status: number) => void;
  readonly log: Log;
}

export interface HttpListener {
  /** Address without path, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly draining: boolean;
  /** Takes no new connection, answers what is in flight, and settles then; at the latest after `answerMs`. */
  drain(): Promise<void>;
}

/** How long a connection may take to learn why its request was not read to its end [ms]. */
const REFUSED_MS = 500;

const INTERNAL_ERROR = -32_603;

/** Path of a request, without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

/** Answers a request that is not served. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  log: Log,
): void {
  if (response.destroyed) {
    return;
  }
  if (!(error instanceof HttpRefusal)) {
    log.error("a request failed inside the server", { error });
  }
  const { status, code, message } =
    error instanceof HttpRefusal ? error : new HttpRefusal(500, "Internal error", INTERNAL_ERROR);
  if (!request.complete) {
    // What is still on its way is not waited for; but whoever sends it should see the answer before the end.
    response.setHeader("connection", "close");
    request.resume();
    response.once("finish", () => {
      setTimeout(() => request.destroy(), REFUSED_MS).unref();
    });
  }
  sendJson(response, status, { jsonrpc: "2.0", error: { code, message }, id: null });
}

/** Starts to listen. @throws Error where the address cannot be had */
export async function listenHttp(options: ListenerOptions): Promise<HttpListener> {
  const { listen, limits, answerMs, log } = options;
  let draining = false;
  /** Connections, and how many requests each has in progress. Node's own idle ones leave out those that never asked. */
  const connections = new Map<Socket, number>();
  const count = (socket: Socket, change: number): void => {
    connections.set(socket, (connections.get(socket) ?? 0) + change);
  };
  const closeIdle = (): void => {
    for (const [socket, requests] of connections) {
      if (requests === 0) {
        socket.destroySoon();
      }
    }
  };
  const server = createServer(
    {
      connectionsCheckingInterval: limits.checkMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    (request, response) => {
      const startedMs = performance.now();
      response.setHeader("cache-control", "no-store");
      response.setHeader("x-content-type-options", "nosniff");
      if (draining) {
        response.setHeader("connection", "close");
      }
      const { socket } = request;
      count(socket, 1);
      response.once("close", () => {
        count(socket, -1);
        if (draining) {
          closeIdle();
        }
        const status = response.headersSent ? response.statusCode : 0;
        options.onAnswer?.(status);
        log.debug("a request is over", {
          method: request.method,
          path: pathOf(request).slice(0, 100),
          status,
          whole: response.writableFinished,
          ms: Math.round(performance.now() - startedMs),
        });
      });
      options.answer(request, response).catch((error: unknown) => {
        refuse(request, response, error, log);
      });
    },
  );
  server.on("connection", (socket) => {
    count(socket, 0);
    socket.once("close", () => connections.delete(socket));
  });
  server.maxConnections = limits.connections;
  // Nobody reads, nobody writes, for longer than any answer may take.
  server.timeout = answerMs + limits.requestMs;

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  return {
    url: `http://${host}:${port}`,
    get draining() {
      return draining;
    },
    async drain() {
      draining = true;
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      closeIdle();
      const late = setTimeout(() => server.closeAllConnections(), answerMs);
      await closed;
      clearTimeout(late);
    },
  };
}
