import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import PROVENANCE from "../../generated/provenance.json" with { type: "json" };
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { PROGRAM } from "../helpers/spawned-server.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const RECORD = { id: ID, name: "Cycle ageing", tags: ["ageing"], owner: null };
const SERIES = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: "Time [s]", data: [0, 1], type: "DOUBLE" },
      { name: "Voltage [V]", data: [3.7, 3.6], type: "DOUBLE" },
    ],
  }),
);
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
    [`/cell_measurements/${ID}/time_series/download`]: fault.file(SERIES),
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
  resources(): Promise<string[]>;
  templates(): Promise<string[]>;
  read(uri: string): Promise<string>;
  prompts(): Promise<string[]>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  complete(request: CompletionRequest): Promise<string[]>;
}

interface CompletionRequest {
  readonly ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
  readonly argument: { name: string; value: string };
  readonly context?: { arguments: Record<string, string> };
}

/** What clients of both lines offer under the same names. */
function offersOf(client: OlderClient | ModernClient): Omit<Connected, "protocol"> {
  // The two lines' types differ where their objects do not.
  const any = client as ModernClient;
  return {
    list: async () => (await any.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await any.callTool({ name, arguments: args })) as Result,
    resources: async () => (await any.listResources()).resources.map(({ uri }) => uri),
    templates: async () =>
      (await any.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    read: async (uri) => (await any.readResource({ uri })).contents.map(textOf).join(""),
    prompts: async () => (await any.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) =>
      (await any.getPrompt({ name, arguments: args })).messages
        .map(({ content }) => textOf(content))
        .join(""),
    complete: async (request) => [...(await any.complete(request)).completion.values],
  };
}

const textOf = (content: object): string => (content as { text?: string }).text ?? "";

async function connectOlder(): Promise<Connected> {
  const client = new OlderClient({ name: "test", version: "1" });
  await client.connect(new OlderTransport(parameters()));
  onTestFinished(() => client.close());
  return {
    protocol: undefined,
    ...offersOf(client),
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
      ...offersOf(client),
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

  test("reads the guide, the tools' origin and the columns of a table", async () => {
    const client = await connect();
    expect(await client.resources()).toEqual(["ionworks://guide", "ionworks://document"]);
    expect(await client.templates()).toEqual([
      "ionworks://get_material_property_data/{dataset_id}/schema",
      "ionworks://get_measurement_cycles/{measurement_id}/schema",
      "ionworks://get_measurement_steps/{measurement_id}/schema",
      "ionworks://get_measurement_time_series/{measurement_id}/schema",
    ]);
    expect(await client.read("ionworks://guide")).toContain("Positive current is discharge");
    const { document_hash } = PROVENANCE.inputs.ionworks;
    expect(JSON.parse(await client.read("ionworks://document"))).toMatchObject({
      source: "openapi/ionworks.yaml",
      hash: document_hash,
      operations: { get_measurement_cycles: "GET /cell_measurements/{measurement_id}/cycles" },
    });
    const uri = `ionworks://get_measurement_cycles/${ID}/schema`;
    expect(JSON.parse(await client.read(uri))).toEqual({
      tool: "get_measurement_cycles",
      arguments: { measurement_id: ID },
      total_rows: 3,
      columns: [
        { name: "Cycle count", dtype: "int64" },
        { name: "Discharge capacity [A.h]", dtype: "float64", unit: "A.h" },
      ],
    });
  });

  test("is told why a resource cannot be read", async () => {
    const client = await connect();
    await expect(client.read("ionworks://nothing")).rejects.toThrow(/not found/i);
    const uri = "ionworks://get_measurement_steps/none/schema";
    await expect(client.read(uri)).rejects.toThrow(/List ids with list_measurements/);
  });

  test("picks 1 of 3 prompts, with its arguments in the text", async () => {
    const client = await connect();
    expect(await client.prompts()).toEqual([
      "compare_cells",
      "capacity_fade",
      "explain_measurement",
    ]);
    const given = { cell_instance_id: "c-1", measurement_id: ID };
    const text = await client.prompt("capacity_fade", given);
    expect(text).toContain(`measurement ${ID} of cell c-1`);
    expect(text).toContain('"Capacity retention" < 0.8');
    await expect(client.prompt("capacity_fade", {})).rejects.toThrow(/needs cell_instance_id/);
    await expect(client.prompt("capacity_fad", {})).rejects.toThrow(/nearest is capacity_fade/);
  });

  test("is offered ids by name and column names of a table", async () => {
    const client = await connect();
    const ids = await client.complete({
      ref: { type: "ref/prompt", name: "compare_cells" },
      argument: { name: "cell_spec_id", value: "ageing" },
    });
    expect(ids).toEqual([ID]);
    const columns = await client.complete({
      ref: { type: "ref/prompt", name: "explain_measurement" },
      argument: { name: "column", value: "volt" },
      context: { arguments: { measurement_id: ID } },
    });
    expect(columns).toEqual(["Voltage [V]"]);
  });
});
