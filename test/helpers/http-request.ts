/** Raw HTTP requests, with whatever headers: `fetch` would not send a foreign `Host`. */
import { type IncomingHttpHeaders, request } from "node:http";
import { MODERN_META } from "./spawned-server.ts";

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** Sends one request over a connection of its own. */
export function ask(
  url: string,
  { method = "GET", headers = {}, body }: Sent = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export type Era = "2025-11-25" | "2026-07-28";

/** Headers and body of a JSON-RPC request as a client of an era sends them. */
export function messageOf(
  era: Era,
  method: string,
  params: Record<string, unknown> = {},
): { headers: Record<string, string>; body: string } {
  const modern = era === "2026-07-28";
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  const full = modern
    ? { ...params, _meta: { ...MODERN_META, ...(params._meta as object | undefined) } }
    : params;
  return {
    headers: {
      ...JSON_HEADERS,
      "mcp-protocol-version": era,
      ...(modern ? { "mcp-method": method, ...name } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: full }),
  };
}

/** The messages of an answer, whether it is one JSON body or a stream of events. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
export function messagesOf({ headers, text }: Received): any[] {
  return headers["content-type"] === "text/event-stream"
    ? text
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => JSON.parse(line.slice(6)))
    : [JSON.parse(text)];
}

/** Sends one JSON-RPC request and gives its answer. */
export async function askMcp(
  url: string,
  era: Era,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
): Promise<any> {
  const message = messageOf(era, method, params);
  const received = await ask(url, {
    method: "POST",
    headers: { ...message.headers, ...headers },
    body: message.body,
  });
  return messagesOf(received).at(-1);
}
