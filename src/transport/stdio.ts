/**
 * The Model Context Protocol over stdin and stdout, both eras: stateless 2026-07-28 and `initialize` of 2025-11-25 and
 * before. The only file that imports the SDK.
 */
import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { CallOptions } from "../call.ts";
import type { Log } from "../log.ts";
import { nearest } from "../nearest.ts";
import type { ToolRegistry } from "../registry.ts";
import { LineChannel, type Message } from "./line-channel.ts";

/** Revisions answered to `initialize`, newest first; 2026-07-28 is answered without it. */
const INITIALIZE_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The tool list is part of the program: anybody may keep it for an hour. */
const UNCHANGING = { ttlMs: 3_600_000, cacheScope: "public" } as const;

/** As the SDK's own limit: arguments are small, whoever sends more is mistaken. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Shortest time between two progress notifications of one call [ms]. */
const PROGRESS_EVERY_MS = 100;

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  /** Told after each answer to `tools/list`. */
  readonly onListed: () => void;
  /** Told once: the input ended and everything is answered, or the output broke. */
  readonly onEnd: () => void;
}

export interface StdioConnection {
  /** Requests that wait for their answer. */
  readonly unanswered: number;
}

function isMessage(value: unknown): value is Message {
  return (
    isJSONRPCRequest(value) ||
    isJSONRPCNotification(value) ||
    isJSONRPCResultResponse(value) ||
    isJSONRPCErrorResponse(value)
  );
}

/** Notifications for a client that asked for them: growing, spaced, none after the answer. */
function progressOf(context: ServerContext): (CallOptions & { stop(): void }) | undefined {
  const token = context.mcpReq._meta?.progressToken;
  if (token === undefined) {
    return undefined;
  }
  let sentMs = 0;
  let last = -1;
  let open = true;
  return {
    signal: context.mcpReq.signal,
    progress(done, total, message) {
      const nowMs = performance.now();
      if (!open || done <= last || (nowMs - sentMs < PROGRESS_EVERY_MS && done !== total)) {
        return;
      }
      sentMs = nowMs;
      last = done;
      const params = {
        progressToken: token,
        progress: done,
        message,
        ...(total === undefined ? {} : { total }),
      };
      context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
    stop() {
      open = false;
    },
  };
}

function createServer(registry: ToolRegistry, log: Log, onListed: () => void): Server {
  const { name, title, version, instructions } = registry;
  const server = new Server(
    { name, title, version },
    {
      capabilities: { tools: {} },
      instructions,
      supportedProtocolVersions: INITIALIZE_REVISIONS,
      cacheHints: { "server/discover": UNCHANGING, "tools/list": UNCHANGING },
    },
  );
  server.onerror = (error) => log.debug("the protocol layer reports", { error });

  server.setRequestHandler("tools/list", () => {
    onListed();
    return { tools: [...registry.tools] } as never;
  });

  server.setRequestHandler("tools/call", async (request, context) => {
    const { name: tool, arguments: args = {} } = request.params;
    if (!registry.has(tool)) {
      const near = nearest(
        tool,
        registry.tools.map((listing) => listing.name),
      );
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${tool}${near === undefined ? "" : `; the nearest is ${near}`}`,
      );
    }
    const progress = progressOf(context);
    const outcome = await registry.call(tool, args, progress ?? { signal: context.mcpReq.signal });
    progress?.stop();
    return { ...outcome } as never;
  });
  return server;
}

/** Serves a registry until its input ends; reads at once, so that no client waits for a first answer. */
export function serveOverStdio(registry: ToolRegistry, options: StdioOptions): StdioConnection {
  const { input, output, log, onListed, onEnd } = options;
  const channel = new LineChannel({
    input,
    output,
    maxLineBytes: MAX_LINE_BYTES,
    accepts: isMessage,
    onSkipped: (why) => log.warn("input was skipped", { why }),
    onEnd,
  });
  serveStdio(() => createServer(registry, log, onListed), {
    transport: channel as never,
    onerror: (error) => log.debug("the protocol layer reports", { error }),
  });
  return channel;
}
