/**
 * Streamable HTTP in front of a server on stdio, for a suite that only takes an address.
 *
 * Older era: a process per session, and its requests to the client travel on the stream of the request that caused them.
 * 2026-07-28: one process for everybody; ids are replaced, so that those of different requests do not meet. Rules of HTTP that
 * a server on stdio cannot know (headers against bodies) are not this bridge's matter.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { createGuard } from "../../src/transport/http-guard.ts";

const REVISION = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

interface Message {
  jsonrpc: "2.0";
  id?: string | number;
  method?: string;
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
  result?: unknown;
  error?: { code: number; message: string };
}

/** A request that waits for its answer, and where its stream leads. */
interface Waiting {
  readonly request: Message;
  readonly settle: (answer: Message) => void;
  readonly emit: (message: Message) => void;
}

const refusal = (code: number, message: string): Message => ({
  jsonrpc: "2.0",
  error: { code, message },
});

class Process {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<string | number, Waiting>();
  /** Stream of a client that listens without asking. */
  listener: ((message: Message) => void) | undefined;

  constructor(command: readonly string[]) {
    const [program = "", ...args] = command;
    this.child = spawn(program, args);
    this.child.stderr.pipe(process.stderr);
    this.child.stdin.on("error", () => undefined);
    createInterface({ input: this.child.stdout }).on("line", (line) =>
      this.#receive(JSON.parse(line) as Message),
    );
    this.child.on("close", () => {
      for (const { settle } of this.#waiting.values()) {
        settle(refusal(-32603, "The server ended"));
      }
    });
  }

  write(message: Message): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  ask(id: string | number, request: Message, emit: Waiting["emit"]): Promise<Message> {
    return new Promise((settle) => {
      this.#waiting.set(id, { request, settle, emit });
      this.write({ ...request, id });
    });
  }

  /** Gives a request up. */
  cancel(id: string | number): void {
    if (this.#waiting.delete(id)) {
      this.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    }
  }

  #receive(message: Message): void {
    const isAnswer = message.method === undefined && message.id !== undefined;
    const waiting = isAnswer ? this.#waiting.get(message.id ?? "") : undefined;
    if (waiting !== undefined) {
      this.#waiting.delete(message.id ?? "");
      waiting.settle({ ...message, id: waiting.request.id ?? 0 });
    } else if (message.method !== undefined) {
      const emit = this.#streamOf(message) ?? this.listener;
      emit?.(message);
    }
  }

  /** By subscription, by progress token; else the request that was asked last. */
  #streamOf({ params }: Message): Waiting["emit"] | undefined {
    const open = [...this.#waiting];
    const subscription = params?._meta?.[SUBSCRIPTION];
    if (subscription !== undefined) {
      const [, waiting] = open.find(([id]) => id === subscription) ?? [];
      return (
        waiting &&
        ((message) =>
          waiting.emit({
            ...message,
            params: {
              ...message.params,
              _meta: { ...message.params?._meta, [SUBSCRIPTION]: waiting.request.id },
            },
          }))
      );
    }
    const token = params?.progressToken;
    const [, waiting] =
      (token === undefined
        ? open.filter(([, { request }]) => request.method !== "subscriptions/listen").at(-1)
        : open.find(([, { request }]) => request.params?._meta?.progressToken === token)) ?? [];
    return waiting?.emit;
  }
}

/** Statuses that revision 2026-07-28 gives errors. */
const STATUSES: Readonly<Record<number, number>> = {
  [-32601]: 404,
  [-32602]: 400,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
};

/** A process that has been asked once in the new era, so that no request of the suite decides which one it speaks. */
function startShared(command: readonly string[]): Process {
  const server = new Process(command);
  const _meta = { [REVISION]: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  server.write({ jsonrpc: "2.0", id: "era", method: "tools/list", params: { _meta } });
  return server;
}

const event = (message: Message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

export interface Bridge {
  readonly url: string;
  close(): void;
}

/** @param command program and arguments of the server */
export async function startBridge(command: readonly string[]): Promise<Bridge> {
  const sessions = new Map<string, Process>();
  let shared: Process | undefined;
  let lastId = 0;
  const guard = createGuard({
    host: "127.0.0.1",
    allowedHosts: [],
    allowedOrigins: [],
    trustProxy: false,
  });

  const sendJson = (
    response: ServerResponse,
    status: number,
    body: Message,
    headers: Record<string, string> = {},
  ) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));

  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) {
      body += String(chunk);
    }
    const message = JSON.parse(body) as Message;
    const isModern =
      message.params?._meta?.[REVISION] !== undefined ||
      request.headers["mcp-protocol-version"] === "2026-07-28";
    const headers: Record<string, string> = {};
    const known = String(request.headers["mcp-session-id"] ?? "");
    if (isModern && shared === undefined) {
      shared = startShared(command);
    }
    let server = isModern ? shared : sessions.get(known);
    if (!isModern && message.method === "initialize") {
      const session = randomUUID();
      server = new Process(command);
      sessions.set(session, server);
      headers["mcp-session-id"] = session;
    }
    if (server === undefined) {
      sendJson(response, known === "" ? 400 : 404, refusal(-32000, "There is no such session"));
      return;
    }
    if (message.id === undefined || message.method === undefined) {
      server.write(message);
      response.writeHead(202).end();
      return;
    }
    const id = isModern ? `bridge-${++lastId}` : message.id;
    response.on("close", () => server.cancel(id));
    const answer = await server.ask(id, message, (told) => {
      if (!response.headersSent) {
        response.writeHead(200, { "content-type": "text/event-stream", ...headers });
      }
      response.write(event(told));
    });
    if (response.headersSent) {
      response.end(event(answer));
    } else {
      const code = isModern ? answer.error?.code : undefined;
      sendJson(response, code === undefined ? 200 : (STATUSES[code] ?? 200), answer, headers);
    }
  };

  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    const server = sessions.get(String(request.headers["mcp-session-id"] ?? ""));
    if (server === undefined) {
      response.writeHead(405, { allow: "POST" }).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    server.listener = (message) => response.write(event(message));
  };

  const end = (request: IncomingMessage, response: ServerResponse): void => {
    const session = String(request.headers["mcp-session-id"] ?? "");
    const server = sessions.get(session);
    server?.child.stdin.end();
    response.writeHead(sessions.delete(session) ? 200 : 404).end();
  };

  const http = createServer((request, response) => {
    const refused = guard.refusal(request.headers);
    if (refused !== undefined) {
      sendJson(response, 403, refusal(-32000, refused));
    } else if (request.method === "GET") {
      listen(request, response);
    } else if (request.method === "DELETE") {
      end(request, response);
    } else {
      post(request, response).catch(() => sendJson(response, 400, refusal(-32700, "No JSON")));
    }
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close() {
      for (const server of [shared, ...sessions.values()]) {
        server?.child.kill("SIGTERM");
      }
      http.closeAllConnections();
      http.close();
    },
  };
}
