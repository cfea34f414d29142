/** Three replicas behind a round-robin proxy, with and without a store that they share, against the demo API's counters. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type HostedServer, hostedForTest } from "../helpers/hosted-server.ts";
import { askMcp } from "../helpers/http-request.ts";
import { type Demo, startDemo } from "../helpers/ionworks-demo.ts";
import { REDIS, startRedis } from "../helpers/redis.ts";

const ROWS = 300_000;
const OFFSETS = [1_000, 60_000, 120_000, 250_000];

let demo: Demo;
let measurement: string;

beforeAll(async () => {
  demo = await startDemo({ rows: ROWS });
  measurement = await demo.measurement("NMC-217-A01", "Cycle ageing 0.5C/1C 25 degC");
  // Made now, so that no call waits for it.
  await (await fetch(await demo.link(measurement))).arrayBuffer();
}, 180_000);
afterAll(() => demo.close());

/** Gives each connection's request to the next replica. */
async function startProxy(replicas: readonly HostedServer[]): Promise<string> {
  let turn = 0;
  const proxy = createServer((incoming, outgoing) => {
    const replica = replicas[turn++ % replicas.length] as HostedServer;
    const { method = "", headers } = incoming;
    const host = new URL(replica.base).host;
    const forwarded = request(
      `${replica.base}${incoming.url}`,
      { method, headers: { ...headers, host }, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}

async function startReplicas(count: number, ...args: string[]): Promise<HostedServer[]> {
  const start = () =>
    hostedForTest({
      args: ["--base-url", demo.url, "--share-operator-key", ...args],
      env: { IONWORKS_API_KEY: demo.key },
    });
  return Promise.all(Array.from({ length: count }, start));
}

async function window(at: string, offset: number): Promise<number[]> {
  const { result } = await askMcp(at, "2026-07-28", "tools/call", {
    name: "get_measurement_time_series",
    arguments: {
      measurement_id: measurement,
      columns: ["Time [s]", "Voltage [V]"],
      offset,
      limit: 40,
    },
  });
  expect(result.isError, result.content[0].text).toBeUndefined();
  return result.structuredContent.rows;
}

const traffic = () => ({
  api: demo.traffic.requests.api,
  storage: demo.traffic.requests.storage,
  bytes: demo.traffic.bytes.storage,
});

/** What some work moves upstream. */
async function cost(work: () => Promise<unknown>) {
  const before = traffic();
  await work();
  const after = traffic();
  return {
    api: after.api - before.api,
    storage: after.storage - before.storage,
    bytes: after.bytes - before.bytes,
  };
}

/** Each window three times in a row, so that each replica is asked for each. */
async function readAll(at: string): Promise<number[][]> {
  const rows: number[][] = [];
  for (const offset of OFFSETS.flatMap((each) => [each, each, each])) {
    rows.push(await window(at, offset));
  }
  return rows;
}

describe.skipIf(REDIS === undefined)("--cache-url", () => {
  test("lets 3 replicas behind a round-robin proxy fetch each page once, as 1 alone does", async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const [single] = await startReplicas(1);
    let expected: number[][] = [];
    const alone = await cost(async () => {
      expected = await readAll((single as HostedServer).url);
    });
    const proxy = await startProxy(await startReplicas(3, "--cache-url", redis.url));
    let rows: number[][] = [];
    const shared = await cost(async () => {
      rows = await readAll(proxy);
    });
    expect(rows).toEqual(expected);
    expect(shared).toEqual(alone);
    expect(alone.storage).toBeGreaterThan(OFFSETS.length);

    const apart = await startProxy(await startReplicas(3));
    const unshared = await cost(() => readAll(apart));
    expect(unshared.storage).toBe(3 * alone.storage);
  });

  test("lets 12 callers at once, 4 on each of 3 replicas, move each page once", async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const [single] = await startReplicas(1);
    const offset = 200_000;
    const alone = await cost(() => window((single as HostedServer).url, offset));
    const proxy = await startProxy(await startReplicas(3, "--cache-url", redis.url));
    const shared = await cost(() =>
      Promise.all(Array.from({ length: 12 }, () => window(proxy, offset))),
    );
    expect(shared).toEqual(alone);
  });

  test("goes on without the store: killed between 2 calls, every answer is right and 1 log line says so", async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const [server] = await startReplicas(1, "--cache-url", redis.url);
    const { url } = server as HostedServer;
    const before = await window(url, 5_000);
    await redis.stop();
    expect(await window(url, 5_000)).toEqual(before);
    for (const offset of OFFSETS) {
      expect(await window(url, offset)).toHaveLength(40);
    }
    expect(server?.stderr.trim().split("\n")).toHaveLength(1);
    expect(server?.stderr).toContain("the shared cache does not answer");
  });
});
