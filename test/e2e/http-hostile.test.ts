/** Callers who ask for more than their share: they are refused in few words or wait in line, and others are answered. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HostedServer, startHosted } from "../helpers/hosted-server.ts";
import { ask, askMcp, messageOf } from "../helpers/http-request.ts";
import { type Demo, startDemo } from "../helpers/ionworks-demo.ts";

const WINDOW = "get_measurement_time_series";
const ERA = "2026-07-28";

let demo: Demo;
let server: HostedServer;
let id: string;

beforeAll(async () => {
  demo = await startDemo({ rows: 100_000 });
  server = await startHosted({ args: ["--base-url", demo.url] });
  id = await demo.measurement("NMC-217-A01", "Cycle ageing 0.5C/1C 25 degC");
  await (await fetch(await demo.link(id))).arrayBuffer();
}, 120_000);
afterAll(async () => {
  await server.stop();
  await demo.close();
});

async function call(key: string, name: string, args: Record<string, unknown>) {
  const headers = { "x-ionworks-key": key };
  const { result } = await askMcp(
    server.url,
    ERA,
    "tools/call",
    { name, arguments: args },
    headers,
  );
  return result;
}

const long = "x".repeat(900_000);
const HOSTILE: [string, Record<string, unknown>][] = [
  ["a column name of 0.9 MB", { columns: [long] }],
  ["10,000 columns", { columns: Array.from({ length: 10_000 }, (_, i) => `Column ${i} [V]`) }],
  ["an unknown argument of 0.9 MB", { [long]: 1 }],
  ["an id of 0.9 MB", { measurement_id: long }],
  [
    "5,000 conditions",
    {
      where: Array.from({ length: 5_000 }, () => ({ column: "Time [s]", op: ">", value: 1 })),
    },
  ],
  [
    "a list of 50,000 values in a condition",
    { where: [{ column: "x", op: "in", value: Array.from({ length: 50_000 }, (_, i) => i) }] },
  ],
];

describe("hostile arguments", () => {
  test.each(HOSTILE)(
    "with %s are refused in under 2 kB with at most 2 requests upstream",
    async (_, args) => {
      const before = demo.traffic.requests.api;
      const result = await call(demo.key, WINDOW, { measurement_id: id, ...args });
      expect(result.isError).toBe(true);
      const { text } = result.content[0];
      expect(demo.traffic.requests.api - before).toBeLessThanOrEqual(2);
      expect(text.length).toBeLessThan(2_000);
      expect(JSON.parse(text).error.code).toMatch(/^(INVALID_ARGUMENT|NOT_FOUND|TOO_LARGE)$/);
    },
  );

  test("over 1 MiB are refused with 413, and the server answers the next request", async () => {
    const args = { measurement_id: "x".repeat(1_100_000) };
    const { headers, body } = messageOf(ERA, "tools/call", { name: WINDOW, arguments: args });
    expect((await ask(server.url, { method: "POST", headers, body })).status).toBe(413);
    expect((await call(demo.key, "list_cell_specs", {})).isError).toBeUndefined();
  });
});

describe("100 windows at once from one caller", () => {
  test("are all answered, and 5 calls of another caller do not wait for them", async () => {
    let done = 0;
    const windows = Array.from({ length: 100 }, async (_, index) => {
      const columns = ["Time [s]", "Voltage [V]"];
      const args = { measurement_id: id, columns, offset: index * 900, limit: 100 };
      const result = await call(demo.key, WINDOW, args);
      done += 1;
      return result;
    });
    let before = 0;
    for (let turn = 0; turn < 5; turn++) {
      const result = await call(demo.partnerKey, "list_cell_specs", {});
      expect(result.isError).toBeUndefined();
      before = turn === 0 ? done : before;
    }
    expect(before).toBeLessThan(100);
    const results = await Promise.all(windows);
    expect(results.filter(({ isError }) => isError === true)).toEqual([]);
    expect(results.every(({ structuredContent }) => structuredContent.row_count === 100)).toBe(
      true,
    );
  });
});
