/** One HTTP server on loopback: reads requests, asks a handler, applies faults, keeps a record of what came. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type DemoRequest, GATEWAY_PAGE, type Handler, html } from "./answer.ts";
import type { FaultPlan, OriginName } from "./faults.ts";
import { sendAnswer } from "./send-answer.ts";

/** What a test may look at: one request as it arrived. */
export interface RequestRecord {
  readonly origin: OriginName;
  readonly method: string;
  /** Path and query, still percent-encoded; the value of `key` is replaced by `***`. */
  readonly url: string;
  /** How a credential came, if one came. */
  readonly credential: "cookie" | "key" | "header" | undefined;
  readonly range: string | undefined;
  readonly userAgent: string | undefined;
  /** 0 where the connection was closed without an answer. */
  readonly status: number;
  /** Body bytes handed to the socket. */
  readonly bytes: number;
}

export interface Origin {
  readonly name: OriginName;
  readonly handle: Handler;
  /** The service's own way to say a status. */
  readonly problem: (status: number) => Answer;
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

const MOST_RECORDS = 10_000;
const MOST_BODY_BYTES = 65_536;

/** Opens a port (0: any free one) on 127.0.0.1 for an origin. */
export async function serve(
  origin: Origin,
  faults: FaultPlan,
  records: RequestRecord[],
  port = 0,
): Promise<Served> {
  const server = createServer(async (message, response) => {
    try {
      const request = await readRequest(message);
      const fault = faults.take(origin.name, request);
      if (fault?.kind === "drop") {
        records.push({ ...recordOf(origin.name, request), status: 0, bytes: 0 });
        message.socket.destroy();
        return;
      }
      const answer = faultAnswer(origin, fault) ?? origin.handle(request);
      const labelled = {
        ...answer,
        headers: { ...answer.headers, "X-Demo": "synthetic data, not a real archive" },
      };
      const record = { ...recordOf(origin.name, request), status: 0, bytes: 0 };
      records.push(record);
      records.splice(0, Math.max(0, records.length - MOST_RECORDS));
      await sendAnswer(response, request, labelled, fault, record);
    } catch (error) {
      message.socket.destroy(error instanceof Error ? error : undefined);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${bound}`, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}

/** The answer that a fault puts in place of the true one. */
function faultAnswer(origin: Origin, fault: ReturnType<FaultPlan["take"]>): Answer | undefined {
  if (fault?.kind === "gateway-page" && fault.status === 403) {
    return html(403, GATEWAY_PAGE);
  }
  if (fault?.kind !== "status") {
    return undefined;
  }
  const problem = origin.problem(fault.status);
  return fault.retryAfterS === undefined
    ? problem
    : { ...problem, headers: { ...problem.headers, "Retry-After": String(fault.retryAfterS) } };
}

async function readRequest(message: IncomingMessage): Promise<DemoRequest> {
  let body = "";
  message.setEncoding("utf8");
  for await (const chunk of message) {
    body = (body + chunk).slice(0, MOST_BODY_BYTES);
  }
  const url = message.url ?? "/";
  const mark = url.indexOf("?");
  return {
    method: message.method ?? "GET",
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
    headers: message.headers,
    body,
  };
}

function recordOf(
  origin: OriginName,
  request: DemoRequest,
): Omit<RequestRecord, "status" | "bytes"> {
  const { headers, query } = request;
  const shown = new URLSearchParams(query);
  if (shown.has("key")) {
    shown.set("key", "***");
  }
  return {
    origin,
    method: request.method,
    url: request.path + (shown.size > 0 ? `?${shown}` : ""),
    credential: credentialOf(request),
    range: headers.range,
    userAgent: headers["user-agent"],
  };
}

function credentialOf({ headers, query }: DemoRequest): RequestRecord["credential"] {
  if (headers.cookie !== undefined) {
    return "cookie";
  }
  if (query.has("key")) {
    return "key";
  }
  return headers.authorization === undefined && headers["x-edi-key"] === undefined
    ? undefined
    : "header";
}
