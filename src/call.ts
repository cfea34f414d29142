/** The spine: one `tools/call` from arguments to result, and the only catch. */
import { checkArguments } from "./arguments.ts";
import type { CallContext, Cost, JsonObject, ToolDescriptor } from "./contract.ts";
import { ToolError } from "./errors.ts";
import { explain } from "./explain.ts";
import type { Log } from "./log.ts";
import { type AnyResult, type ImageContent, readAny } from "./read-any.ts";
import { readPage } from "./read-page.ts";
import { readRecord } from "./read-record.ts";
import { readTable } from "./read-table.ts";
import { jsonText } from "./result/budget.ts";
import type { TableReader } from "./tables/reader.ts";
import type { Caller } from "./upstream/credential.ts";
import type { Upstream } from "./upstream/upstream.ts";

/** What every call of one server shares. */
export interface Runtime {
  readonly upstream: Upstream;
  readonly tables: TableReader;
  /** Most bytes of a result's compact JSON. */
  readonly maxResultBytes: number;
  /** What a call is told that brings no credential; absent where the operator's is there for it, or none is needed. */
  readonly credentialMissing?: ToolError;
  /** Where answers that cannot be shown are kept; absent: they are refused. */
  readonly saveFolder?: string;
  readonly log: Log;
}

/** A `tools/call` result, ready for any transport. */
export interface CallOutcome {
  content: [{ type: "text"; text: string }, ...ImageContent[]];
  structuredContent?: JsonObject;
  isError?: true;
  _meta?: JsonObject;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** On whose behalf; absent: the operator's. */
  readonly caller?: Caller;
  readonly progress?: NonNullable<CallContext["progress"]>;
}

async function answer(
  runtime: Runtime,
  tool: ToolDescriptor,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<AnyResult> {
  switch (tool.result.kind) {
    case "record":
      return { structured: await readRecord(runtime, tool, tool.result, args, context) };
    case "page":
      return { structured: await readPage(runtime, tool, tool.result, args, context) };
    case "table":
      return { structured: await readTable(runtime, tool, tool.result, args, context) };
    case "text":
    case "file":
    case "any":
      return readAny(runtime, tool, tool.result.kind, args, context);
  }
}

/** The runtime as its caller sees it. @throws ToolError CREDENTIAL_MISSING */
function onBehalfOf(runtime: Runtime, caller: Caller | undefined): Runtime {
  if (caller?.credential === undefined && runtime.credentialMissing !== undefined) {
    throw runtime.credentialMissing;
  }
  return caller === undefined ? runtime : { ...runtime, upstream: runtime.upstream.as(caller) };
}

/** Anything that was thrown, as one of the closed codes; what is not ours is logged and said to be internal. */
function asToolError(
  error: unknown,
  context: CallContext,
  runtime: Runtime,
  tool: string,
): ToolError {
  if (error instanceof ToolError) {
    return error;
  }
  if (error instanceof RangeError && /call stack/.test(error.message)) {
    return new ToolError("UNREADABLE_ANSWER", `The answer to ${tool} is nested too deeply`, {
      cause: error,
    });
  }
  if (context.signal.aborted) {
    return new ToolError("CANCELLED", "The call was cancelled", { cause: error });
  }
  const id = Math.random().toString(36).slice(2, 10);
  runtime.log.error("a call failed inside the server", { id, tool, error });
  return new ToolError("INTERNAL", `${tool} failed inside the server (log entry ${id})`, {
    hint: "Try again; if it fails again, report the log entry to the server's operator",
    cause: error,
  });
}

function meta(cost: Cost, startedMs: number): JsonObject {
  return {
    "vitrine/cost": {
      requests: cost.requests,
      bytes: cost.bytes,
      cached: cost.requests === 0,
      ms: Math.round((performance.now() - startedMs) * 10) / 10,
    },
  };
}

/** Runs a tool. Never throws: every failure is an outcome with one of the closed codes. */
export async function callTool(
  runtime: Runtime,
  tool: ToolDescriptor,
  args: unknown,
  { caller, ...options }: CallOptions,
): Promise<CallOutcome> {
  const startedMs = performance.now();
  const context: CallContext = { ...options, cost: { requests: 0, bytes: 0 } };
  try {
    const checked = checkArguments(tool, args);
    const own = onBehalfOf(runtime, caller);
    const { structured, image } = await answer(own, tool, checked, context).catch(
      (error: unknown) => explain(own, tool, checked, context, error),
    );
    return {
      content: [
        { type: "text", text: jsonText(structured) },
        ...(image === undefined ? [] : [image]),
      ],
      structuredContent: structured,
      _meta: meta(context.cost, startedMs),
    };
  } catch (error) {
    const { code, message, hint } = asToolError(error, context, runtime, tool.name);
    runtime.log.info("a call was refused", { tool: tool.name, code, message });
    const shown = { error: { code, message, ...(hint === undefined ? {} : { hint }) } };
    return {
      content: [{ type: "text", text: JSON.stringify(shown) }],
      isError: true,
      _meta: meta(context.cost, startedMs),
    };
  }
}
