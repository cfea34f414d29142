import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { type HostedServer, startHosted } from "../helpers/hosted-server.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const RECORD = { id: ID, name: "Cycle ageing", tags: ["ageing"], owner: null };
const TRACE = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

let api: FaultServer;
let server: HostedServer;
beforeAll(async () => {
  api = await startFaultServer({
    [`/cell_measurements/${ID}`]: fault.json(RECORD),
    "/cell_specifications": (request, response) => {
      const offset = Number(new URL(request.url ?? "", api.url).searchParams.get("offset") ?? 0);
      const left = Math.max(0, 2_300 - offset);
      const items = Array.from({ length: Math.min(1_000, left) }, () => ({ id: ID }));
      return fault.json({ items, total: 2_300 })(request, response, 0);
    },
    "/discovery/capabilities": fault.stall(),
  });
  server = await startHosted({ args: ["--base-url", api.url, "--max-result-bytes", "1000000"] });
});
afterAll(async () => {
  await server.stop();
  await api.close();
});

interface Result {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
}

interface CallSettings {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

/** A connected client, whatever its kind. */
interface Connected {
  readonly protocol: string | undefined;
  list(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>, settings?: CallSettings): Promise<Result>;
}

const requestInit = () => ({ headers: { "X-Ionworks-Key": "key-of-client", traceparent: TRACE } });

async function connectOlder(): Promise<Connected> {
  const client = new OlderClient({ name: "test", version: "1" });
  const transport = new OlderTransport(new URL(server.url), { requestInit: requestInit() });
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  return {
    protocol: transport.protocolVersion,
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, settings = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, settings)) as Result,
  };
}

const connectModern =
  (mode: "legacy" | "auto" | { pin: "2026-07-28" }) => async (): Promise<Connected> => {
    const client = new ModernClient(
      { name: "test", version: "1" },
      { versionNegotiation: { mode } },
    );
    await client.connect(new ModernTransport(new URL(server.url), { requestInit: requestInit() }));
    onTestFinished(() => client.close());
    return {
      protocol: client.getNegotiatedProtocolVersion(),
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args, settings = {}) =>
        (await client.callTool({ name, arguments: args }, settings)) as Result,
    };
  };

describe.each([
  ["client 1.x", connectOlder, "2025-11-25"],
  ["client 2.x, legacy", connectModern("legacy"), "2025-11-25"],
  ["client 2.x, auto", connectModern("auto"), "2026-07-28"],
  ["client 2.x, pinned to 2026-07-28", connectModern({ pin: "2026-07-28" }), "2026-07-28"],
] as const)("%s over HTTP", (_, connect, protocol) => {
  test("negotiates its revision and lists the 15 tools", async () => {
    const client = await connect();
    expect(client.protocol).toBe(protocol);
    expect(await client.list()).toHaveLength(15);
  });

  test("reads a record in both channels, with its own key and trace on the wire", async () => {
    const client = await connect();
    await client.list();
    const before = api.log.length;
    const { content, structuredContent } = await client.call("get_measurement", {
      measurement_id: ID,
    });
    expect(structuredContent).toEqual(RECORD);
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(RECORD);
    const [request] = api.log.slice(before);
    expect(request?.headers["x-api-key"]).toBe("key-of-client");
    expect(request?.headers.traceparent).toBe(TRACE);
  });

  test("gets a failure as a result with text alone", async () => {
    const client = await connect();
    await client.list();
    const result = await client.call("get_cell_spec", {
      cell_spec_id: "22222222-2222-4222-8222-222222222222",
    });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    expect(JSON.parse(result.content[0]?.text ?? "").error.code).toBe("NOT_FOUND");
  });

  test("is told progress, growing, over 3 upstream pages", async () => {
    const client = await connect();
    await client.list();
    const told: number[] = [];
    const { structuredContent } = await client.call(
      "list_cell_specs",
      { limit: 2_300 },
      { onprogress: ({ progress }) => told.push(progress) },
    );
    expect(structuredContent).toMatchObject({ total: 2_300 });
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual([...told].sort((a, b) => a - b));
  });
});

describe.each([
  ["2.x, auto", connectModern("auto")],
  ["2.x, pinned", connectModern({ pin: "2026-07-28" })],
] as const)("client %s that cancels a call", (_, connect) => {
  test("ends the request upstream with it", async () => {
    const client = await connect();
    await client.list();
    const before = api.log.length;
    const controller = new AbortController();
    const call = client.call("discover_capabilities", {}, { signal: controller.signal });
    const settled = call.catch(() => undefined);
    await api.until(() => api.log.length > before);
    expect(api.log[before]?.aborted).toBe(false);
    controller.abort();
    await settled;
    await api.until(() => api.log[before]?.aborted === true);
  });
});
