import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HostedServer, hostedForTest, startHosted } from "../helpers/hosted-server.ts";
import { ask, askMcp, type Era, messageOf } from "../helpers/http-request.ts";
import { type Demo, startDemo } from "../helpers/ionworks-demo.ts";

const ERA: Era = "2026-07-28";
const HEADER = "x-ionworks-key";

let demo: Demo;
let server: HostedServer;
beforeAll(async () => {
  demo = await startDemo({ rows: 3_000 });
  server = await startHosted({
    args: ["--base-url", demo.url, "--log-level", "debug"],
    env: { IONWORKS_API_KEY: demo.key },
  });
});
afterAll(async () => {
  await server.stop();
  await demo.close();
});

interface Outcome {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
  readonly structuredContent?: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
  readonly _meta: any;
}

async function call(
  key: string | undefined,
  name: string,
  args: Record<string, unknown> = {},
  at = server.url,
  era = ERA,
): Promise<Outcome> {
  const headers: Record<string, string> = key === undefined ? {} : { [HEADER]: key };
  const { result } = await askMcp(at, era, "tools/call", { name, arguments: args }, headers);
  return result;
}

const errorOf = (outcome: Outcome) => JSON.parse(outcome.content[0]?.text ?? "{}").error;

/** Id of the first cell, and of its first measurement, that a key sees. */
async function firstSeries(key: string): Promise<{ specs: string[]; measurement: string }> {
  const { structuredContent: specs } = await call(key, "list_cell_specs");
  const ids: string[] = specs.items.map(({ id }: { id: string }) => id);
  for (const cell_spec_id of ids) {
    const { structuredContent: cells } = await call(key, "list_cell_instances", { cell_spec_id });
    for (const { id } of cells.items) {
      const list = await call(key, "list_measurements", { cell_instance_id: id });
      const found = list.structuredContent.items.find(
        (item: Record<string, string>) =>
          item.measurement_type === "time_series" && item.processing_status !== "failed",
      );
      if (found !== undefined) {
        return { specs: ids, measurement: found.id };
      }
    }
  }
  throw new Error("this key sees no series");
}

describe("a caller's key", () => {
  test.each(["2025-11-25", "2026-07-28"] as const)(
    "that is missing gives CREDENTIAL_MISSING with the header's name, whatever key the operator has (%s)",
    async (era) => {
      const before = demo.traffic.requests.api;
      const outcome = await call(undefined, "discover_capabilities", {}, server.url, era);
      const error = errorOf(outcome);
      expect(error.code).toBe("CREDENTIAL_MISSING");
      expect(error.message).toContain("X-Ionworks-Key");
      expect(error.hint).toContain("X-Ionworks-Key");
      expect(demo.traffic.requests.api).toBe(before);
    },
  );

  test("that is wrong gives CREDENTIAL_REFUSED with the header's name, and shows the key nowhere", async () => {
    const key = "iwk_wrong_key_of_somebody";
    const outcome = await call(key, "discover_capabilities");
    expect(errorOf(outcome)).toMatchObject({ code: "CREDENTIAL_REFUSED" });
    expect(errorOf(outcome).hint).toContain("X-Ionworks-Key");
    expect(JSON.stringify(outcome)).not.toContain(key);
  });

  test("sees its own cells: 2 keys share none of theirs", async () => {
    const [own, partner] = await Promise.all([firstSeries(demo.key), firstSeries(demo.partnerKey)]);
    expect(own.specs.length).toBeGreaterThan(0);
    expect(partner.specs.length).toBeGreaterThan(0);
    expect(own.specs.filter((id) => partner.specs.includes(id))).toEqual([]);
  });

  test("gets 0 rows of another's series in 40 calls at once, half of them the owner's", async () => {
    const [own, partner] = await Promise.all([firstSeries(demo.key), firstSeries(demo.partnerKey)]);
    const read = (key: string, measurement_id: string) =>
      call(key, "get_measurement_time_series", { measurement_id, limit: 3 });
    const keys = [demo.key, demo.partnerKey];
    const series = [own.measurement, partner.measurement];
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const [who, whose] = [index % 2, Math.floor(index / 2) % 2];
        return { who, whose, outcome: await read(keys[who] ?? "", series[whose] ?? "") };
      }),
    );
    for (const { who, whose, outcome } of outcomes) {
      if (who === whose) {
        expect(outcome.structuredContent.row_count).toBe(3);
      } else {
        expect(errorOf(outcome).code).toBe("NOT_FOUND");
      }
    }
    const again = await read(demo.key, own.measurement);
    expect(again._meta["vitrine/cost"]).toMatchObject({ requests: 0, cached: true });
    const foreign = await read(demo.partnerKey, own.measurement);
    expect(errorOf(foreign).code).toBe("NOT_FOUND");
    expect(foreign._meta["vitrine/cost"].requests).toBeGreaterThan(0);
  });

  test("gets 0 cycles of another's cell, whose table the owner has just read", async () => {
    const { measurement: measurement_id } = await firstSeries(demo.key);
    const args = { measurement_id };
    const own = await call(demo.key, "get_measurement_cycles", args);
    expect(own.content[0]?.text).toContain('"total_rows"');
    const outcome = await call(demo.partnerKey, "get_measurement_cycles", args);
    expect(errorOf(outcome).code).toBe("NOT_FOUND");
  });

  test("stands in no log line at debug level, and in no answer", async () => {
    expect(server.stderr).toContain('"level":"debug"');
    for (const key of [demo.key, demo.partnerKey, "iwk_wrong_key_of_somebody"]) {
      expect(server.stderr).not.toContain(key);
    }
  });

  test("in Authorization is not looked at: the manifest does not name it", async () => {
    const { result } = await askMcp(
      server.url,
      ERA,
      "tools/call",
      { name: "discover_capabilities", arguments: {} },
      { authorization: `Bearer ${demo.key}` },
    );
    expect(errorOf(result).code).toBe("CREDENTIAL_MISSING");
  });
});

describe("--share-operator-key", () => {
  test("lends the operator's key to callers without one, and leaves others theirs", async () => {
    const shared = await hostedForTest({
      args: ["--base-url", demo.url, "--share-operator-key"],
      env: { IONWORKS_API_KEY: demo.key },
    });
    const idsOf = async (key: string | undefined) => {
      const { structuredContent } = await call(key, "list_cell_specs", {}, shared.url);
      return structuredContent.items.map(({ id }: { id: string }) => id);
    };
    const [lent, own, partner] = await Promise.all([
      idsOf(undefined),
      idsOf(demo.key),
      idsOf(demo.partnerKey),
    ]);
    expect(lent).toEqual(own);
    expect(lent).not.toEqual(partner);
  });

  test("without an operator's key still names the header", async () => {
    const shared = await hostedForTest({ args: ["--base-url", demo.url, "--share-operator-key"] });
    const outcome = await call(undefined, "discover_capabilities", {}, shared.url);
    expect(errorOf(outcome).message).toContain("X-Ionworks-Key");
  });
});

describe("--trust-proxy", () => {
  test("takes keys that came through https alone", async () => {
    const behind = await hostedForTest({ args: ["--base-url", demo.url, "--trust-proxy"] });
    const message = messageOf(ERA, "tools/call", { name: "discover_capabilities", arguments: {} });
    const statusOf = async (headers: Record<string, string>) => {
      const all = { ...message.headers, [HEADER]: demo.key, ...headers };
      return (await ask(behind.url, { method: "POST", headers: all, body: message.body })).status;
    };
    expect(await statusOf({ "x-forwarded-proto": "https", "x-forwarded-for": "10.0.0.9" })).toBe(
      200,
    );
    expect(await statusOf({ "x-forwarded-proto": "http", "x-forwarded-for": "10.0.0.9" })).toBe(
      403,
    );
    expect(await statusOf({})).toBe(403);
  });
});
