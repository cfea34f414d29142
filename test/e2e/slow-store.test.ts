import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { fixture, FIXTURE_ROWS } from "../helpers/fixture-table.ts";
import { largeTable, LARGE_ROWS } from "../helpers/large-table.ts";
import type { Behaviour } from "../helpers/serve-file.ts";
import { type SpawnedServer, spawnServer } from "../helpers/spawned-server.ts";

const LARGE = "11111111-1111-4111-8111-111111111111";
const SMALL = "22222222-2222-4222-8222-222222222222";
/** Wait of each answer of the store [ms]: a whole read takes well over a second. */
const SLOW_MS = 400;

let api: FaultServer;
let store: FaultServer;

const slowly =
  (behaviour: Behaviour): Behaviour =>
  async (request, response, hit) => {
    await after(SLOW_MS);
    if (!response.destroyed) {
      await behaviour(request, response, hit);
    }
  };

beforeAll(async () => {
  store = await startFaultServer({
    "/large": slowly(fault.file(largeTable())),
    "/small": fault.file(fixture("polars-zstd")),
  });
  const seriesOf = (id: string) => `/cell_measurements/${id}/time_series/download`;
  api = await startFaultServer({
    [seriesOf(LARGE)]: fault.redirect(`${store.url}/large`),
    [seriesOf(SMALL)]: fault.redirect(`${store.url}/small`),
  });
});
afterAll(() => Promise.all([api.close(), store.close()]));

async function start(): Promise<SpawnedServer> {
  const server = spawnServer({ env: { IONWORKS_API_URL: api.url, IONWORKS_API_KEY: "k" } });
  await server.initialize();
  return server;
}

const askLarge = (server: SpawnedServer) =>
  server.ask("tools/call", {
    name: "get_measurement_time_series",
    arguments: { measurement_id: LARGE, sample: 50 },
    _meta: { progressToken: "far" },
  });

const told = (server: SpawnedServer) =>
  server.lines
    .filter(({ json }) => json?.method === "notifications/progress")
    .map(({ json }) => json.params as { progress: number; total?: number });

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > 20_000) {
      throw new Error("what was waited for did not happen within 20 s");
    }
    await after(5);
  }
}

describe("a table behind a slow store", () => {
  test("is read with progress: bytes read, growing, of bytes needed", async () => {
    const server = await start();
    const { result } = await server.answer(askLarge(server));
    expect(result.structuredContent.total_rows).toBe(LARGE_ROWS);
    const steps = told(server);
    expect(steps.length).toBeGreaterThan(0);
    const done = steps.map(({ progress }) => progress);
    expect(done).toEqual([...new Set(done)].sort((a, b) => a - b));
    for (const { progress, total } of steps) {
      expect(total ?? 0).toBeGreaterThanOrEqual(progress);
    }
    const cost = result._meta["vitrine/cost"];
    expect(steps.at(-1)?.progress).toBeLessThanOrEqual(cost.bytes);
  });

  test("is let go by a cancel: its requests end, 0 follow, the next call is served, and no answer comes", async () => {
    const server = await start();
    const before = store.count("/large");
    const id = askLarge(server);
    await until(() => store.count("/large") > before);
    server.send({ method: "notifications/cancelled", params: { requestId: id } });
    const next = await server.request("tools/call", {
      name: "get_measurement_time_series",
      arguments: { measurement_id: SMALL, limit: 5 },
    });
    expect(next.result.structuredContent.total_rows).toBe(FIXTURE_ROWS);
    const sent = store.count("/large");
    await after(3 * SLOW_MS);
    expect(store.count("/large")).toBe(sent);
    // One wave of requests at most: what was on its way when the cancel came.
    expect(store.log.slice(-1)[0]?.path).toBe("/small");
    expect(store.log.filter(({ path, aborted }) => path === "/large" && aborted).length).toBe(
      sent - before,
    );
    expect(server.lines.some(({ json }) => json?.id === id)).toBe(false);
  });
});
