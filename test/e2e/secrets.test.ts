import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { type HostedServer, startHosted } from "../helpers/hosted-server.ts";
import type { Behaviour } from "../helpers/serve-file.ts";
import { MODERN_META, PROGRAM } from "../helpers/spawned-server.ts";

const KEY = "iwk_operator_9f2c71";
const CALLERS = "iwk_caller_51ab08";
const ID = "11111111-1111-4111-8111-111111111111";

/** An upstream that says what it was sent. */
const quoting =
  (status: number): Behaviour =>
  (request, response, hit) =>
    fault.status(status, `not with the key ${request.headers["x-api-key"]}`)(
      request,
      response,
      hit,
    );

let api: FaultServer;
let server: HostedServer;

beforeAll(async () => {
  api = await startFaultServer({
    "/cell_specifications": fault.json({ items: [{ id: ID, name: "NMC" }], total: 1 }),
    [`/cell_specifications/${ID}`]: quoting(401),
    [`/cell_instances/${ID}`]: quoting(500),
    [`/cell_measurements/${ID}`]: fault.json({ id: ID, name: "test" }),
    "*": fault.status(404),
  });
  server = await startHosted({
    args: ["--metrics", "0", "--share-operator-key", "--log-level", "debug"],
    env: { IONWORKS_API_URL: api.url, IONWORKS_API_KEY: KEY },
  });
});
afterAll(async () => {
  await server.stop();
  await api.close();
});

async function ask(method: string, params: Record<string, unknown>, key?: string) {
  const name = params.name ?? params.uri;
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...(key === undefined ? {} : { "x-ionworks-key": key }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...params, _meta: MODERN_META },
    }),
  });
  const headers = JSON.stringify([...response.headers]);
  return headers + (await response.text());
}

const REQUESTS: readonly [string, Record<string, unknown>][] = [
  ["server/discover", {}],
  ["tools/list", {}],
  ["tools/call", { name: "list_cell_specs", arguments: {} }],
  ["tools/call", { name: "get_measurement", arguments: { measurement_id: ID } }],
  ["tools/call", { name: "get_cell_spec", arguments: { cell_spec_id: ID } }],
  ["tools/call", { name: "get_cell_instance", arguments: { cell_instance_id: ID } }],
  ["tools/call", { name: "get_cell_spec", arguments: {} }],
  ["resources/list", {}],
  ["resources/read", { uri: "ionworks://document" }],
  ["resources/read", { uri: `ionworks://get_measurement_cycles/${ID}/schema` }],
  [
    "completion/complete",
    {
      ref: { type: "ref/prompt", name: "compare_cells" },
      argument: { name: "cell_spec_id", value: "" },
    },
  ],
];

describe("the operator's and a caller's key", () => {
  test("stand in none of 22 answers, no figure and no log line at debug level, though the upstream quotes them", async () => {
    const seen: string[] = [];
    for (const key of [undefined, CALLERS]) {
      for (const [method, params] of REQUESTS) {
        seen.push(await ask(method, params, key));
      }
    }
    seen.push(await (await fetch(server.metrics ?? "")).text(), server.stderr);
    expect(seen).toHaveLength(24);
    // Both keys did travel.
    expect(api.mentioning(KEY).length).toBeGreaterThan(3);
    expect(api.mentioning(CALLERS).length).toBeGreaterThan(3);
    expect(server.stderr).toContain("debug");
    expect(seen.filter((text) => text.includes(KEY) || text.includes(CALLERS))).toEqual([]);
  });

  test("are **** in --print-config, and in its complaint about a setting that is wrong", () => {
    const env = {
      PATH: process.env.PATH ?? "",
      IONWORKS_API_KEY: KEY,
      IONWORKS_API_TOKEN: CALLERS,
    };
    const shown = spawnSync(process.execPath, [PROGRAM, "--print-config"], {
      env,
      encoding: "utf8",
    });
    expect(shown.stdout).toContain("****");
    const refused = spawnSync(process.execPath, [PROGRAM, "--timeout-ms=x"], {
      env,
      encoding: "utf8",
    });
    expect(refused.status).toBe(2);
    const all = shown.stdout + shown.stderr + refused.stdout + refused.stderr;
    expect([KEY, CALLERS].filter((key) => all.includes(key))).toEqual([]);
  });
});
