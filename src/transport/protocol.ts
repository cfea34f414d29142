/** What the SDK is told about a registry, whatever the transport: handlers of both eras, progress, trace. */
import {
  type CallToolResult,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { CallOptions } from "../call.ts";
import type { Log } from "../log.ts";
import { nearest } from "../nearest.ts";
import type { ToolRegistry } from "../registry.ts";
import type { Message } from "./line-channel.ts";
import { offerCatalogue, UNCHANGING } from "./protocol-catalogue.ts";
import { traceHeaders } from "./trace.ts";

/** Revisions answered to `initialize`, newest first; 2026-07-28 is answered without it. */
const INITIALIZE_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Shortest time between two progress notifications of one call [ms]. */
const PROGRESS_EVERY_MS = 100;

export interface ServerOptions {
  readonly log: Log;
  /** Told after each answer to `tools/list`. */
  readonly onListed: () => void;
  /** On whose behalf its calls are made; absent: the operator's. */
  readonly caller?: CallOptions["caller"];
}

/** Whether a value is a JSON-RPC message. */
export function isMessage(value: unknown): value is Message {
  return (
    isJSONRPCRequest(value) ||
    isJSONRPCNotification(value) ||
    isJSONRPCResultResponse(value) ||
    isJSONRPCErrorResponse(value)
  );
}

/** Notifications for a client that asked for them: growing, spaced, none after the answer. */
function progressOf(
  context: ServerContext,
): { send: NonNullable<CallOptions["progress"]>; stop(): void } | undefined {
  const token = context.mcpReq._meta?.progressToken;
  if (token === undefined) {
    return undefined;
  }
  let sentMs = 0;
  let last = -1;
  let open = true;
  return {
    send(done, total, message) {
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

/** Who calls: as the transport says, with the trace that the request itself names. */
function callerOf(context: ServerContext, caller: CallOptions["caller"]): CallOptions["caller"] {
  const trace = traceHeaders((name) => context.mcpReq._meta?.[name]);
  return trace === undefined ? caller : { ...caller, headers: { ...caller?.headers, ...trace } };
}

/** A server of the SDK over a registry, not connected yet. */
export function createServer(registry: ToolRegistry, options: ServerOptions): Server {
  const { name, title, version, instructions, catalogue } = registry;
  const { log, onListed } = options;
  const server = new Server(
    { name, title, version },
    {
      capabilities: {
        tools: {},
        ...(catalogue && { resources: {}, prompts: {}, completions: {} }),
      },
      instructions,
      supportedProtocolVersions: INITIALIZE_REVISIONS,
      cacheHints: {
        "server/discover": UNCHANGING,
        "tools/list": UNCHANGING,
        "resources/list": UNCHANGING,
        "resources/templates/list": UNCHANGING,
        "prompts/list": UNCHANGING,
      },
    },
  );
  server.onerror = (error) => log.debug("the protocol layer reports", { error });

  server.setRequestHandler("tools/list", () => {
    onListed();
    // The schemas are ready-made JSON: the SDK's narrower type says the same of them.
    return { tools: registry.tools } as unknown as ListToolsResult;
  });

  /** A call on behalf of whoever sent the request: cancelled with it, its progress told to them. */
  const callFor = async (context: ServerContext, tool: string, args: Record<string, unknown>) => {
    const progress = progressOf(context);
    const caller = callerOf(context, options.caller);
    const outcome = await registry.call(tool, args, {
      signal: context.mcpReq.signal,
      ...(progress === undefined ? {} : { progress: progress.send }),
      ...(caller === undefined ? {} : { caller }),
    });
    progress?.stop();
    return outcome;
  };

  server.setRequestHandler("tools/call", async (request, context) => {
    const { name: tool, arguments: args = {} } = request.params;
    if (!registry.has(tool)) {
      const near = nearest(
        tool,
        registry.tools.map((listing) => listing.name),
      );
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${tool.slice(0, 100)}${near === undefined ? "" : `; the nearest is ${near}`}`,
      );
    }
    const outcome = await callFor(context, tool, args);
    return { ...outcome } as CallToolResult;
  });
  if (catalogue !== undefined) {
    offerCatalogue(server, catalogue, callFor);
  }
  registry.extend?.(server);
  return server;
}
