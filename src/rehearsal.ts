/**
 * Calls that nobody asked for, against a store in memory, so that the first real one finds everything loaded and compiled.
 *
 * They take the whole way, from a line of input over protocol, registry, spine, HTTP client and decoder to a line of
 * output; nothing leaves the process.
 */
import { PassThrough, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import * as z from "zod";
import { prepareArguments } from "./arguments.ts";
import type { JsonObject, OperationBinding, ResultPlan, ToolDescriptor } from "./contract.ts";
import type { Log } from "./log.ts";
import { createRegistry } from "./registry.ts";
import type { TableReader } from "./tables/reader.ts";
import { WARM_TABLE } from "./tables/warm-table.ts";
import { serveOverStdio } from "./transport/stdio.ts";
import { type MemoryAnswer, memoryConnections } from "./upstream/memory-connections.ts";
import { createUpstream } from "./upstream/upstream.ts";

/** Calls of each tool, found by measuring the first real call after them. */
const ROUNDS = 5;
/** The file is longer than what is read whole or with its end, so that pages travel by range [bytes]. */
const PADDING = 2 * 1024 * 1024;
/** Addresses of a loopback that nobody is asked at. */
const API = "http://127.0.0.1:1";
const STORE = "http://127.0.0.2:1";

const nothing = (): void => undefined;
const SILENT: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

const stored = new Uint8Array(Buffer.from(WARM_TABLE, "base64"));
/** Footer, its length, and the magic. */
const endBytes = new DataView(stored.buffer).getUint32(stored.length - 8, true) + 8;
const sizeBytes = stored.length + PADDING;

/** Bytes of the small table with a long nothing before its footer. */
function slice(start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  const dataEnd = stored.length - endBytes;
  bytes.set(stored.subarray(Math.min(start, dataEnd), Math.min(end, dataEnd)));
  const footer = stored.subarray(dataEnd);
  const at = sizeBytes - endBytes - start;
  if (end === sizeBytes) {
    bytes.set(at >= 0 ? footer : footer.subarray(-at), Math.max(0, at));
  }
  return bytes;
}

const RECORD = Buffer.from(
  JSON.stringify({
    id: "00000000-0000-4000-8000-000000000000",
    name: "Rehearsal",
    tags: ["a", "b"],
    values: { count: 12, mean: 3.25, note: null, is_ready: true },
  }),
);

function answer(head: string): MemoryAnswer {
  const [, path = ""] = head.split(" ", 2);
  if (path.startsWith("/record")) {
    return { status: 200, headers: { "content-type": "application/json" }, body: RECORD };
  }
  if (path.startsWith("/table")) {
    const location = `${STORE}/file${path}?signature=none`;
    return { status: 307, headers: { location }, body: new Uint8Array(0) };
  }
  const [, from = "", to = ""] = /\brange: bytes=(\d*)-(\d*)/i.exec(head) ?? [];
  const start = from === "" ? sizeBytes - Number(to) : Number(from);
  const end = from === "" ? sizeBytes : Number(to) + 1;
  const headers = {
    "content-type": "application/octet-stream",
    "content-range": `bytes ${start}-${end - 1}/${sizeBytes}`,
    etag: '"rehearsal"',
  };
  return { status: 206, headers, body: slice(start, end) };
}

function operation(path: string): OperationBinding {
  const common = { in: "path", style: "simple", explode: false, required: true } as const;
  return {
    operationId: path,
    method: "GET",
    path: `${path}/{id}`,
    parameters: [{ ...common, name: "id", argument: "id" }],
    accept: ["application/json"],
  };
}

function tool(name: string, result: ResultPlan): ToolDescriptor {
  const schema: JsonObject = { type: "object" };
  return {
    name,
    title: name,
    description: name,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    inputSchema: schema,
    outputSchema: schema,
    arguments: () => z.looseObject({}),
    operation: operation(`/${name}`),
    result,
  };
}

const TOOLS = [
  tool("record", { kind: "record" }),
  tool("table", { kind: "table", format: "parquet", units: { from: "column-names" } }),
];

/** A conversation over streams in memory: one message in, one line out. */
function converse(open: Parameters<typeof createRegistry>[2]) {
  const server = { name: "rehearsal", program: "rehearsal", title: "", instructions: "" };
  const upstream = { baseUrl: API, baseUrlVariable: "", credentials: [], headers: [] };
  const registry = createRegistry({ ...server, upstream, variables: [], tools: TOOLS }, "0", open);
  let onLine: (line: string) => void = nothing;
  const input = new PassThrough();
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      done();
      onLine(chunk.toString());
    },
  });
  serveOverStdio(registry, { input, output, log: SILENT, onListed: nothing, onEnd: nothing });
  const send = (message: JsonObject): void => {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  return {
    send,
    ask: (message: JsonObject): Promise<string> =>
      new Promise((resolve) => {
        onLine = resolve;
        send(message);
      }),
    end: () => input.end(),
  };
}

/**
 * Rehearses until it is fluent, or `isOver`: a call from outside is more urgent than what is left.
 * @param tools whose argument schemas are compiled
 * @returns calls that were answered, and those of them that failed
 */
export async function rehearse(
  tables: TableReader,
  tools: readonly ToolDescriptor[],
  isOver: () => boolean,
): Promise<{ calls: number; failed: number }> {
  const upstream = createUpstream({
    baseUrl: API,
    headers: {},
    variable: nothing as () => undefined,
    userAgent: "rehearsal",
    connections: memoryConnections(answer),
  });
  const runtime = { upstream, tables, maxResultBytes: 40_000, log: SILENT };
  const { send, ask, end } = converse(async () => runtime);
  const done = { calls: 0, failed: 0 };
  const call = async (name: string, args: JsonObject): Promise<void> => {
    await setImmediate();
    if (!isOver()) {
      const params = { name, arguments: args };
      const line = await ask({ id: done.calls, method: "tools/call", params });
      done.calls += 1;
      done.failed += line.includes('"isError":true') ? 1 : 0;
    }
  };
  const clientInfo = { name: "rehearsal", version: "0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await ask({ id: "initialize", method: "initialize", params });
  send({ method: "notifications/initialized" });
  for (let round = 0; round < ROUNDS && !isOver(); round += 1) {
    const id = String(round);
    await call("table", { id, offset: 100, limit: 500, layout: "columns" });
    await call("table", { id, offset: 600, limit: 500 });
    await call("record", { id });
  }
  for (const one of tools) {
    await setImmediate();
    if (isOver()) {
      break;
    }
    prepareArguments(one);
  }
  end();
  await upstream.close();
  return done;
}
