/** The transport alone, over a registry of test tools, with limits short enough to be waited for. */
import { onTestFinished } from "vitest";
import type { CallOptions, CallOutcome } from "../../src/call.ts";
import { createLog } from "../../src/log.ts";
import type { ToolListing, ToolRegistry } from "../../src/registry.ts";
import { type HttpOptions, type HttpService, serveOverHttp } from "../../src/transport/http.ts";
import { createGuard } from "../../src/transport/http-guard.ts";
import { HTTP_LIMITS } from "../../src/transport/http-listener.ts";

export interface Call {
  readonly tool: string;
  readonly args: unknown;
  readonly options: CallOptions;
  /** Answers it. */
  end(): void;
}

export interface HttpFixture extends HttpService {
  readonly base: string;
  /** Calls that reached the registry, in order. */
  readonly calls: Call[];
  /** Log lines, of every level. */
  readonly lines: string[];
  readonly statuses: number[];
  /** Waits until so many calls have come. */
  until(calls: number): Promise<void>;
}

const SCHEME = {
  name: "key",
  variable: "LAB_KEY",
  in: "header",
  parameter: "X-Key",
  requestHeaders: ["X-Lab-Key", "Authorization"],
} as const;

const listing = (name: string): ToolListing => ({
  name,
  title: name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
});

const outcome = (structured: Record<string, string>): CallOutcome => ({
  content: [{ type: "text", text: JSON.stringify(structured) }],
  structuredContent: structured,
});

/** `echo` answers at once; `wait` answers when it is told to, or when it is cancelled. */
export async function startFixture(options: Partial<HttpOptions> = {}): Promise<HttpFixture> {
  const calls: Call[] = [];
  const lines: string[] = [];
  const statuses: number[] = [];
  const registry: ToolRegistry = {
    name: "lab-mcp",
    title: "Lab",
    version: "1",
    instructions: "Read.",
    tools: [listing("echo"), listing("wait")],
    has: (name) => name === "echo" || name === "wait",
    call: (tool, args, callOptions) =>
      new Promise((resolve) => {
        const end = (): void => resolve(outcome({ tool, said: "whole" }));
        calls.push({ tool, args, options: callOptions, end });
        callOptions.signal.addEventListener("abort", () =>
          resolve({ content: [{ type: "text", text: "cancelled" }], isError: true }),
        );
        if (tool === "echo") {
          end();
        }
      }),
  };
  const secrets: HttpOptions["secrets"] = new Set();
  const service = await serveOverHttp(registry, {
    listen: { host: "127.0.0.1", port: 0 },
    guard: createGuard({
      host: "127.0.0.1",
      allowedHosts: [],
      allowedOrigins: ["https://app.example.org"],
      trustProxy: false,
    }),
    schemes: [SCHEME],
    callMs: 5_000,
    limits: HTTP_LIMITS,
    secrets,
    ready: () => true,
    onAnswer: (status) => statuses.push(status),
    log: createLog({ level: "debug", secrets, write: (line) => lines.push(line) }),
    ...options,
  });
  onTestFinished(async () => {
    for (const call of calls) {
      call.end();
    }
    await service.drain();
  });
  return {
    ...service,
    base: service.url.replace(/\/mcp$/, ""),
    calls,
    lines,
    statuses,
    async until(count) {
      for (let waited = 0; calls.length < count; waited += 5) {
        if (waited > 5_000) {
          throw new Error(`${calls.length} instead of ${count} calls came within 5 s`);
        }
        await new Promise((done) => setTimeout(done, 5));
      }
    },
  };
}
