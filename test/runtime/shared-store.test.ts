import { createClient, RESP_TYPES } from "@redis/client";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { ByteSource } from "../../src/byte-source.ts";
import type { Log } from "../../src/log.ts";
import { openRedisStore } from "../../src/redis-store.ts";
import { Secret } from "../../src/secret.ts";
import { MAX_SHARED_BYTES } from "../../src/upstream/shared-store.ts";
import type { Upstream, UpstreamOptions } from "../../src/upstream/upstream.ts";
import { freshCall } from "../helpers/call-context.ts";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { download, fileOf, LARGE, MEBIBYTE, read } from "../helpers/file-store.ts";
import { REDIS, type RedisServer, startRedis } from "../helpers/redis.ts";
import { API_KEY, upstreamAt } from "../helpers/upstream-under-test.ts";

const RANGES = [
  { start: 0, end: 100_000 },
  { start: MEBIBYTE, end: MEBIBYTE + 50_000 },
];

let redis: RedisServer;
let api: FaultServer;
let store: FaultServer;
let lines: string[];
const replicas: Upstream[] = [];

const quiet = () => undefined;

function replica(options: Partial<UpstreamOptions> = {}): Upstream {
  const log: Log = {
    error: quiet,
    info: quiet,
    debug: quiet,
    warn: (message) => lines.push(message),
  };
  const { upstream } = upstreamAt(api.url, { ...options, shared: openRedisStore(redis.url, log) });
  replicas.push(upstream);
  return upstream;
}

/** What an operator of the store sees. */
async function inspect() {
  const client = createClient({ url: redis.url }).withTypeMapping({
    [RESP_TYPES.BLOB_STRING]: Buffer,
  });
  client.on("error", quiet);
  await client.connect();
  onTestFinished(() => client.destroy());
  return { client, keys: await client.keys("*") };
}

const open = (upstream: Upstream, id = "f-1"): Promise<ByteSource> =>
  upstream.openFile(download, { id }, freshCall());

async function readOnce(upstream: Upstream, file = LARGE, ranges = RANGES): Promise<void> {
  const parts = await read(await open(upstream), ranges);
  expect(
    parts.map((part, i) =>
      Buffer.compare(part, file.subarray(ranges[i]?.start ?? 0, ranges[i]?.end)),
    ),
  ).toEqual(ranges.map(() => 0));
}

const counts = () => [api.count(), store.count()];

describe.skipIf(REDIS === undefined)("a shared store (Redis or Valkey)", () => {
  beforeEach(async () => {
    lines = [];
    redis = await startRedis();
    store = await startFaultServer({ "/f": fault.file(LARGE, { etag: '"v1"' }) });
    api = await startFaultServer({
      "*": fault.redirect((_, hit) => `${store.url}/f?token=${hit}`),
    });
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((each) => each.close()));
    await Promise.all([api.close(), store.close()]);
    await redis.stop();
  });

  test("lets the second and third replica read what the first read with 0 requests", async () => {
    await readOnce(replica());
    const first = counts();
    await readOnce(replica());
    await readOnce(replica());
    expect(counts()).toEqual(first);
    expect(first).toEqual([1, 3]);
    expect(lines).toEqual([]);
  });

  test("has one of 6 replicas that ask at once fetch, each link and range once", async () => {
    await Promise.all(Array.from({ length: 6 }, () => readOnce(replica())));
    expect(counts()).toEqual([1, 3]);
    expect(store.log.map(({ headers }) => headers.range).sort()).toEqual([
      "bytes=-131072",
      "bytes=0-99999",
      `bytes=${MEBIBYTE}-${MEBIBYTE + 49_999}`,
    ]);
  });

  test("moves a small file once, whichever part of it replicas ask for", async () => {
    const small = fileOf(600_000);
    store.routes = { "/f": fault.file(small, { etag: '"s"' }) };
    await readOnce(replica(), small, [{ start: 5, end: 10 }]);
    await readOnce(replica(), small, [{ start: 300_000, end: 400_000 }]);
    expect(counts()).toEqual([1, 2]);
  });

  test("gives an identity nothing that another one read", async () => {
    await readOnce(replica());
    const scheme = { name: "k", variable: "K", in: "header", parameter: "X-API-Key" } as const;
    await readOnce(replica({ credential: { scheme, secret: new Secret("another key") } }));
    expect(counts()).toEqual([2, 6]);
  });

  test("holds neither links nor bytes nor keys in clear, every entry for at most 10 min", async () => {
    await readOnce(replica());
    const { client, keys } = await inspect();
    expect(keys).toHaveLength(3);
    for (const key of keys) {
      const value = (await client.get(key)) as Buffer;
      const life = Number(await client.pTTL(key));
      expect(life).toBeGreaterThan(0);
      expect(life).toBeLessThanOrEqual(600_000);
      for (const clear of [
        "token=",
        "127.0.0.1",
        "f-1",
        API_KEY,
        Buffer.from(LARGE.slice(0, 64)),
      ]) {
        expect(value.includes(clear) || key.includes(clear)).toBe(false);
      }
    }
  });

  test("is not believed when somebody else wrote to it: 3 entries forged, swapped or cut", async () => {
    await readOnce(replica());
    const { client, keys } = await inspect();
    const values = await Promise.all(keys.map((key) => client.get(key)));
    await client.set(keys[0] as Buffer, values[1] as Buffer);
    await client.set(keys[1] as Buffer, Buffer.from("short"));
    await client.set(keys[2] as Buffer, Buffer.alloc(100_028, 7));
    await readOnce(replica());
    expect(counts()).toEqual([2, 6]);
  });

  test("follows a file that changes: 2 replicas read the new version", async () => {
    const [a, b] = [replica(), replica()];
    await readOnce(a);
    await readOnce(b);
    const changed = fileOf(3 * MEBIBYTE, 9);
    store.routes = { "/f": fault.file(changed, { etag: '"v2"' }) };
    const far = [{ start: 2 * MEBIBYTE, end: 2 * MEBIBYTE + 10 }];
    for (const each of [a, b]) {
      await expect(readOnce(each, changed, far)).rejects.toThrow("the file changed");
      await readOnce(each, changed, far);
    }
  });

  test("does not share ranges over 2 MiB", async () => {
    const big = fileOf(MAX_SHARED_BYTES + 2 * MEBIBYTE);
    store.routes = { "/f": fault.file(big, { etag: '"b"' }) };
    const ranges = [{ start: 0, end: MAX_SHARED_BYTES + 1 }];
    await readOnce(replica(), big, ranges);
    await readOnce(replica(), big, ranges);
    expect(counts()).toEqual([1, 3]);
  });

  test("that is down from the start costs 1 log line and nothing else", async () => {
    await redis.stop();
    const alone = replica();
    await readOnce(alone);
    await readOnce(alone, LARGE, [{ start: 2 * MEBIBYTE, end: 2 * MEBIBYTE + 10 }]);
    expect(counts()).toEqual([1, 4]);
    expect(lines).toEqual(["the shared cache does not answer; calls go on without it"]);
  });

  test("that dies and comes back is left alone, then used again: 2 log lines", async () => {
    const { port } = redis;
    const first = replica();
    await readOnce(first);
    await redis.stop();
    await readOnce(first, LARGE, [{ start: 2 * MEBIBYTE, end: 2 * MEBIBYTE + 10 }]);
    redis = await startRedis(port);
    let place = 0;
    await expect
      .poll(
        async () => {
          place += 20_000;
          await readOnce(first, LARGE, [{ start: place, end: place + 10 }]);
          return lines.length;
        },
        { timeout: 20_000, interval: 200 },
      )
      .toBe(2);
    expect(lines[1]).toBe("the shared cache answers again");
  });

  test("that accepts and never answers holds no call up: 3 reads are right, 1 log line", async () => {
    const stuck = replica();
    await readOnce(stuck);
    redis.child.kill("SIGSTOP");
    for (const start of [2, 1.5, 2.5].map((part) => part * MEBIBYTE)) {
      await readOnce(stuck, LARGE, [{ start, end: start + 10 }]);
    }
    expect(lines).toEqual(["the shared cache does not answer; calls go on without it"]);
  });

  test("that asks for a password gets it from the address, and no line shows it", async () => {
    await redis.stop();
    redis = await startRedis(undefined, "pass-word-of-redis");
    await readOnce(replica());
    const first = counts();
    await readOnce(replica());
    expect(counts()).toEqual(first);
    redis = { ...redis, url: redis.url.replace("pass-word-of-redis", "wrong-pass-word") };
    await readOnce(replica());
    expect(lines.join()).not.toContain("pass-word");
    expect(lines).toHaveLength(1);
  });
});
