/** Calls of made-up tools over sockets: a fault server at one end, a call's outcome at the other. */
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { z } from "zod";
import { type CallOutcome, callTool, type Runtime } from "../../src/call.ts";
import type {
  JsonObject,
  OperationBinding,
  ResultPlan,
  ToolDescriptor,
} from "../../src/contract.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { createUpstream } from "../../src/upstream/upstream.ts";
import { type FaultServer, startFaultServer } from "./fault-server.ts";

export let far: FaultServer;
let runtime: Runtime;

/** One upstream, one decoder thread for all tests of a file. */
export function useAnswers(): void {
  beforeAll(async () => {
    far = await startFaultServer({});
    runtime = {
      upstream: createUpstream({
        baseUrl: far.url,
        headers: {},
        variable: () => undefined,
        userAgent: "test",
        random: () => 0,
        sleep: (_, done) => {
          setImmediate(done);
          return () => undefined;
        },
      }),
      // Every call reads anew, so that each test sees its own answer.
      tables: createTableReader({ jsonTtlMs: 0 }),
      maxResultBytes: 40_960,
      log: Object.fromEntries(
        ["debug", "info", "warn", "error"].map((level) => [level, () => undefined]),
      ) as unknown as Runtime["log"],
    };
  });
  afterEach(() => {
    far.routes = {};
  });
  afterAll(async () => {
    await Promise.all([runtime.upstream.close(), runtime.tables.close()]);
    await far.close();
  });
}

const QUERY = ["limit", "offset", "page", "cursor", "q"];

/** `GET /data`, with every paging parameter that a scheme may hand over. */
const data = (accept: readonly string[] = []): OperationBinding => ({
  operationId: "data",
  method: "GET",
  path: "/data",
  parameters: QUERY.map((name) => ({
    name,
    argument: name,
    in: "query",
    style: "form",
    explode: true,
    required: false,
  })),
  accept,
});

const toolOf = (result: ResultPlan, operation = data()): ToolDescriptor => ({
  name: "get_data",
  title: "t",
  description: "d",
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  arguments: () => z.record(z.string(), z.unknown()),
  operation,
  result,
});

/** Calls the tool of a result plan. */
export function call(
  result: ResultPlan,
  args: Record<string, unknown> = {},
  more: Partial<Runtime> & { accept?: readonly string[]; signal?: AbortSignal } = {},
): Promise<CallOutcome> {
  const { accept, signal = new AbortController().signal, ...changed } = more;
  return callTool({ ...runtime, ...changed }, toolOf(result, data(accept)), args, { signal });
}

/** What a call gave, once it is known that it gave something and the same in both channels. */
export async function result(outcome: Promise<CallOutcome>): Promise<JsonObject> {
  const { content, structuredContent, isError } = await outcome;
  expect(isError, content[0].text).toBeUndefined();
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  return structuredContent as JsonObject;
}

/** The error of a call that failed. */
export async function failure(
  outcome: Promise<CallOutcome>,
): Promise<{ code: string; message: string; hint?: string }> {
  const { content, isError } = await outcome;
  expect(isError, content[0].text).toBe(true);
  return JSON.parse(content[0].text).error;
}
