/**
 * The Model Context Protocol over Streamable HTTP, both eras, stateless: every request stands alone, so that any number of
 * processes can serve one address. Loaded only where it was asked for.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { CallOptions } from "../call.ts";
import { callerCredential, requestHeaders } from "../caller-credential.ts";
import type { CredentialScheme } from "../contract.ts";
import type { ListenAddress } from "../listen-address.ts";
import type { Log } from "../log.ts";
import type { ToolRegistry } from "../registry.ts";
import type { Secret } from "../secret.ts";
import { HttpRefusal, readJson } from "./http-body.ts";
import type { Guard } from "./http-guard.ts";
import { type HttpLimits, listenHttp, pathOf } from "./http-listener.ts";
import { sendJson, sendResponse, toHeaders } from "./http-message.ts";
import { createServer } from "./protocol.ts";
import { traceHeaders } from "./trace.ts";

export interface HttpOptions {
  readonly listen: ListenAddress;
  readonly guard: Guard;
  /** Credentials that callers may bring; none where everybody shares the operator's. */
  readonly schemes: readonly CredentialScheme[];
  /** Longest time of one call [ms]. */
  readonly callMs: number;
  readonly limits: HttpLimits;
  /** Holds callers' secrets for as long as their calls last, so that no log line shows one. */
  readonly secrets: Set<Secret>;
  /** Whether calls can be answered at full speed. */
  readonly ready: () => boolean;
  readonly onAnswer: (status: number) => void;
  readonly log: Log;
}

export interface HttpService {
  /** Address of the protocol's end point. */
  readonly url: string;
  /** Takes no new connection, answers what is in flight, and settles then; at the latest when calls have to be over. */
  drain(): Promise<void>;
}

type Caller = NonNullable<CallOptions["caller"]>;

/** Longest body of a request [bytes]. */
const MAX_BODY_BYTES = 1024 * 1024;

/** What is shorter protects nothing (characters). */
const SHORTEST_SECRET = 8;

/** Requests that stay open for as long as the client likes. */
const STANDING_METHOD = "subscriptions/listen";

/** Headers that a web page may send along: those of the protocol, and of traces. */
const PAGE_HEADERS = [
  "accept",
  "content-type",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "traceparent",
  "tracestate",
];

/** Headers that stay here: the protocol layer has no use for them. */
const PRIVATE_HEADERS = ["authorization", "cookie"];

function isStanding(message: unknown): boolean {
  const method = (message as { method?: unknown } | null)?.method;
  return method === STANDING_METHOD;
}

/** Starts to listen. @throws Error where the address cannot be had */
export async function serveOverHttp(
  registry: ToolRegistry,
  options: HttpOptions,
): Promise<HttpService> {
  const { guard, schemes, secrets, log } = options;
  const secretHeaders = requestHeaders(schemes).map((name) => name.toLowerCase());
  const callers = new WeakMap<Request, Caller>();
  const standing = new Set<AbortController>();

  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      return createServer(registry, { log, onListed: () => undefined, ...(caller && { caller }) });
    },
    { legacy: "stateless", onerror: (error) => log.debug("the protocol layer reports", { error }) },
  );

  const callerOf = (request: IncomingMessage): Caller => {
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const trace = traceHeaders(header);
    const credential = callerCredential(schemes, header);
    if (credential !== undefined && !guard.isPrivate(request)) {
      throw new HttpRefusal(
        403,
        `The key in ${credential.header} came over plain HTTP and was not used; connect through https (behind a proxy that speaks it, the server needs --trust-proxy)`,
      );
    }
    return { ...(credential && { credential }), ...(trace && { headers: trace }) };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const caller = callerOf(request);
    const secret = caller.credential?.secret;
    const aborter = new AbortController();
    response.once("close", () => {
      standing.delete(aborter);
      if (secret !== undefined) {
        secrets.delete(secret);
      }
      if (!response.writableFinished) {
        aborter.abort();
      }
    });
    // Whoever sends a syllable for a key shall not black out the log.
    if (secret !== undefined && secret.reveal().length >= SHORTEST_SECRET) {
      secrets.add(secret);
    }
    const message = await readJson(request, MAX_BODY_BYTES);
    if (isStanding(message)) {
      if (listener.draining) {
        throw new HttpRefusal(503, "The server is about to end");
      }
      standing.add(aborter);
    }
    const web = new Request("http://localhost/mcp", {
      method: "POST",
      headers: toHeaders(request.headers, [...secretHeaders, ...PRIVATE_HEADERS]),
      signal: aborter.signal,
    });
    callers.set(web, caller);
    await sendResponse(response, await handler.fetch(web, { parsedBody: message }));
  };

  /** Lets a web page whose origin was allowed read the answer. @returns whether that was all it asked */
  const admitPage = ({ headers, method }: IncomingMessage, response: ServerResponse): boolean => {
    if (!guard.mayRead(headers.origin)) {
      return false;
    }
    response.setHeader("access-control-allow-origin", headers.origin);
    response.setHeader("vary", "origin");
    if (method !== "OPTIONS") {
      return false;
    }
    const allowed = [...PAGE_HEADERS, ...secretHeaders].join(", ");
    response.setHeader("access-control-allow-headers", allowed);
    response.setHeader("access-control-allow-methods", "POST");
    response.writeHead(204).end();
    return true;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request);
    if (path === "/healthz" || path === "/readyz") {
      // Whoever watches over processes asks by address.
      const well = path === "/healthz" || (options.ready() && !listener.draining);
      sendJson(response, well ? 200 : 503, { status: well ? "ok" : "not ready" });
      return;
    }
    const refusal = guard.refusal(request.headers);
    if (refusal !== undefined) {
      throw new HttpRefusal(403, refusal);
    }
    if (path !== "/mcp") {
      throw new HttpRefusal(404, "There is nothing here; the protocol is spoken at /mcp");
    }
    if (admitPage(request, response)) {
      return;
    }
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      throw new HttpRefusal(405, "The protocol is spoken with POST alone");
    }
    await serve(request, response);
  };

  const { listen, limits, callMs: answerMs, onAnswer } = options;
  const listener = await listenHttp({ listen, limits, answerMs, answer, onAnswer, log });
  return {
    url: `${listener.url}/mcp`,
    async drain() {
      const drained = listener.drain();
      for (const aborter of standing) {
        aborter.abort();
      }
      await drained;
      await handler.close();
    },
  };
}
