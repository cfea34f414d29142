import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { PROGRAM } from "../helpers/spawned-server.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const RECORD = { id: ID, name: "Cycle ageing", tags: ["ageing"], owner: null };
const NAMES = [
  "discover_capabilities",
  "get_cell_instance",
  "get_cell_spec",
  "get_material",
  "get_material_property_data",
  "get_material_property_dataset",
  "get_measurement",
  "get_measurement_cycles",
  "get_measurement_steps",
  "get_measurement_time_series",
  "list_cell_instances",
  "list_cell_specs",
  "list_material_property_datasets",
  "list_materials",
  "list_measurements",
];

let api: FaultServer;
beforeAll(async () => {
  api = await startFaultServer({
    [`/cell_measurements/${ID}`]: fault.json(RECORD),
    "/cell_specifications": fault.json({ items: [RECORD, RECORD], total: 7 }),
    [`/cell_measurements/${ID}/cycles`]: fault.json({
      cycles: { "Cycle count": [1, 2, 3], "Discharge capacity [A.h]": [4.98, 4.97, 4.95] },
    }),
  });
});
afterAll(() => api.close());

const parameters = () => ({
  command: process.execPath,
  args: [PROGRAM],
  env: { PATH: process.env.PATH ?? "", IONWORKS_API_URL: api.url, IONWORKS_API_KEY: "k" },
});

interface Result {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
}

/** A connected client, whatever its kind. */
interface Connected {
  readonly protocol: string | undefined;
  list(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): Promise<Result>;
}

async function connectOlder(): Promise<Connected> {
  const client = new OlderClient({ name: "test", version: "1" });
  await client.connect(new OlderTransport(parameters()));
  onTestFinished(() => client.close());
  return {
    protocol: undefined,
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as Result,
  };
}

const connectModern =
  (mode: "legacy" | "auto" | { pin: "2026-07-28" }) => async (): Promise<Connected> => {
    const client = new ModernClient(
      { name: "test", version: "1" },
      { versionNegotiation: { mode } },
    );
    await client.connect(new ModernTransport(parameters()));
    onTestFinished(() => client.close());
    return {
      protocol: client.getNegotiatedProtocolVersion(),
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => (await client.callTool({ name, arguments: args })) as Result,
    };
  };

describe.each([
  ["client 1.x", connectOlder, undefined],
  ["client 2.x, legacy", connectModern("legacy"), "2025-11-25"],
  ["client 2.x, auto", connectModern("auto"), "2026-07-28"],
  ["client 2.x, pinned to 2026-07-28", connectModern({ pin: "2026-07-28" }), "2026-07-28"],
] as const)("%s", (_, connect, protocol) => {
  test("negotiates its revision and lists the 15 tools by name", async () => {
    const client = await connect();
    expect(client.protocol).toBe(protocol);
    expect(await client.list()).toEqual(NAMES);
  });

  // The clients validate structuredContent against the tool's output schema themselves, and throw.
  test("reads a record, a page and a table in both channels", async () => {
    const client = await connect();
    await client.list();
    const record = await client.call("get_measurement", { measurement_id: ID });
    expect(record.structuredContent).toEqual(RECORD);
    const page = await client.call("list_cell_specs", { limit: 2 });
    expect(page.structuredContent).toMatchObject({
      count: 2,
      total: 7,
      has_more: true,
      next_offset: 2,
    });
    const table = await client.call("get_measurement_cycles", { measurement_id: ID, limit: 2 });
    expect(table.structuredContent).toMatchObject({ row_count: 2, total_rows: 3, next_offset: 2 });
    for (const { content, structuredContent } of [record, page, table]) {
      expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
    }
  });

  test("gets a failure as a result with text alone", async () => {
    const client = await connect();
    await client.list();
    const { isError, content, structuredContent } = await client.call("get_cell_spec", {
      cell_spec_id: "22222222-2222-4222-8222-222222222222",
    });
    expect(isError).toBe(true);
    expect(structuredContent).toBeUndefined();
    expect(JSON.parse(content[0]?.text ?? "").error.code).toBe("NOT_FOUND");
  });
});
