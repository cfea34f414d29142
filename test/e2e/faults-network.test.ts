/** An API that cannot be reached, and redirects to strangers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fault } from "../helpers/fault-server.ts";
import {
  argsOf,
  expectRefusal,
  FaultyServer,
  KEY,
  KINDS,
  RECORD,
} from "../helpers/faulty-server.ts";
import { FIXTURE_ROWS, fixture } from "../helpers/fixture-table.ts";
import { freePort } from "../helpers/redis.ts";
import { serveFile } from "../helpers/serve-file.ts";

/** Headers of all that came to the TLS server. */
const seen: IncomingHttpHeaders[] = [];
let folder: string;
let tls: Server;
let tlsUrl: string;
const certificate = () => join(folder, "cert.pem");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-tls-"));
  const key = join(folder, "key.pem");
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
      ...["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate()],
    ],
    { stdio: "ignore" },
  );
  const file = serveFile(fixture("polars-zstd"), { etag: '"tls"' });
  const options = { key: readFileSync(key), cert: readFileSync(certificate()) };
  tls = createServer(options, (request, response) => {
    seen.push(request.headers);
    if (request.url === "/record") {
      void fault.json(RECORD)(request, response, 0);
    } else {
      void file(request, response, 0);
    }
  });
  await new Promise<void>((done) => tls.listen(0, "127.0.0.1", done));
  tlsUrl = `https://localhost:${(tls.address() as AddressInfo).port}`;
});
afterAll(async () => {
  tls.closeAllConnections();
  await new Promise((done) => tls.close(done));
  rmSync(folder, { recursive: true, force: true });
});

const UNREACHABLE: [string, () => Promise<string>][] = [
  ["refuses connections", async () => `http://127.0.0.1:${await freePort()}`],
  ["has a name that nobody knows", async () => "https://api.vitrine-test.invalid"],
  ["shows a certificate of its own making", async () => tlsUrl],
];

describe.each(UNREACHABLE)("an API that %s", (_, url) => {
  test("is UPSTREAM_UNAVAILABLE inside the deadline for 4 result kinds, and never sees the key", async () => {
    const under = await FaultyServer.start({}, await url());
    const before = seen.length;
    for (const { kind, tool } of KINDS) {
      expectRefusal(await under.call(tool, argsOf(kind)), "UPSTREAM_UNAVAILABLE|TIMED_OUT");
    }
    expect(seen.length).toBe(before);
    await under.stop();
  });
});

describe("a redirect to a foreign https server", () => {
  test.each([
    ["record", "/record", "get_measurement", { id: RECORD.id }],
    ["Parquet table", "/f", "get_measurement_time_series", { total_rows: FIXTURE_ROWS }],
  ] as const)(
    "is followed for a %s without the key or any header of the API",
    async (kind, at, tool, good) => {
      const under = await FaultyServer.start({
        NODE_EXTRA_CA_CERTS: certificate(),
        IONWORKS_PROJECT_ID: "44444444-4444-4444-8444-444444444444",
      });
      seen.length = 0;
      under.api.routes = { "*": fault.redirect(`${tlsUrl}${at}`) };
      const outcome = await under.call(tool, argsOf(kind));
      expect(outcome.value).toMatchObject(good);
      expect(under.api.mentioning(KEY).length).toBeGreaterThan(0);
      expect(seen.length).toBeGreaterThan(0);
      expect(JSON.stringify(seen)).not.toMatch(/iwk_|x-api-key|authorization|cookie|organization/i);
      await under.stop();
    },
  );
});
