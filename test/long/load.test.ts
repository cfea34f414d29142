/** 64 clients over HTTP, records, lists and windows mixed, against the demo API. VITRINE_LOAD_MS: how long, 60 s by default [ms]. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HostedServer, startHosted } from "../helpers/hosted-server.ts";
import { type Demo, startDemo } from "../helpers/ionworks-demo.ts";
import type { Call, Load, Report } from "./clients.ts";

const CLIENTS = 64;
const MS = Number(process.env.VITRINE_LOAD_MS ?? 60_000);
const MEBIBYTE = 1024 * 1024;
const WARM_MS = 3_000;

let demo: Demo;
let server: HostedServer;
let forwarder: ChildProcess;
let forwarderUrl: string;
let calls: Call[];

const script = (name: string) => new URL(name, import.meta.url).pathname;
const run = (name: string, ...args: string[]) =>
  spawn(process.execPath, ["--import", "tsx", script(name), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });

beforeAll(async () => {
  demo = await startDemo({ rows: 300_000, linkLifetimeMs: 30_000 });
  const id = await demo.measurement("NMC-217-A01", "Cycle ageing 0.5C/1C 25 degC");
  await (await fetch(await demo.link(id))).arrayBuffer();
  const window = (offset: number): Call => ({
    name: "get_measurement_time_series",
    arguments: {
      measurement_id: id,
      columns: ["Time [s]", "Voltage [V]", "Current [A]"],
      offset,
      limit: 100,
    },
  });
  const record = { name: "get_measurement", arguments: { measurement_id: id } };
  calls = Array.from({ length: 40 }, (_, turn) => [
    record,
    window((turn * 7_919) % 290_000),
    { name: "list_cell_specs", arguments: {} },
    window((turn * 104_729) % 290_000),
  ]).flat();
  server = await startHosted({ args: ["--base-url", demo.url] });
  forwarder = run("forwarder.ts", demo.url, demo.key);
  const lines = createInterface({ input: forwarder.stdout as NodeJS.ReadableStream });
  forwarderUrl = JSON.parse((await once(lines, "line"))[0]).url;
}, 180_000);

afterAll(async () => {
  forwarder.kill();
  await server.stop();
  await demo.close();
});

async function drive(url: string, ms: number, some = calls): Promise<Report> {
  const load: Load = { url, key: demo.key, clients: CLIENTS, ms, calls: some };
  const child = run("clients.ts", JSON.stringify(load));
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += String(chunk);
  });
  await once(child, "close");
  return JSON.parse(text) as Report;
}

/** Memory of the server now [MiB]. */
function residentMebibytes(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / MEBIBYTE;
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

function table(title: string, ms: number, { answers, latencies }: Report): void {
  const lines = Object.entries(latencies).map(([tool, sorted]) => {
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => at(sorted, part).toFixed(0));
    return `| ${tool} | ${sorted.length} | ${p50} | ${p95} | ${p99} |`;
  });
  console.info(
    [
      `${title}: ${((answers / ms) * 1000).toFixed(0)} calls/s`,
      "| tool | calls | p50 [ms] | p95 [ms] | p99 [ms] |",
      "|---|---|---|---|---|",
      ...lines,
    ].join("\n"),
  );
}

const allOf = ({ latencies }: Report) =>
  Object.values(latencies)
    .flat()
    .sort((a, b) => a - b);

describe("64 clients", () => {
  test("get no error, and memory stays flat and under 400 MiB", async () => {
    await drive(server.url, WARM_MS);
    const memory: number[] = [];
    const timer = setInterval(() => memory.push(residentMebibytes()), 500);
    const report = await drive(server.url, MS);
    clearInterval(timer);
    table("Vitrine", MS, report);
    const third = Math.floor(memory.length / 3);
    const early = Math.max(...memory.slice(0, third));
    const late = Math.max(...memory.slice(-third));
    console.info(
      `memory: ${early.toFixed(0)} MiB in the first third, ${late.toFixed(0)} in the last`,
    );
    expect(report.lost).toEqual([]);
    expect(report.errors).toEqual({});
    expect(report.answers).toBeGreaterThan(CLIENTS);
    expect(Math.max(...memory)).toBeLessThan(400);
    expect(late).toBeLessThan(early * 1.25);
  });

  test("are served at 0.7 of the rate of a proxy that only forwards, or more", async () => {
    const ms = MS / 3;
    await drive(forwarderUrl, WARM_MS);
    const [plain, own] = [await drive(forwarderUrl, ms), await drive(server.url, ms)];
    table("Forwarder", ms, plain);
    table("Vitrine", ms, own);
    const records = calls.filter(({ name }) => name !== "get_measurement_time_series");
    const plainRecords = await drive(forwarderUrl, ms, records);
    const ownRecords = await drive(server.url, ms, records);
    const ratio = own.answers / plain.answers;
    console.info(
      [
        `mixed: ${ratio.toFixed(2)} of the forwarder's rate`,
        `p99 ${at(allOf(own), 0.99).toFixed(0)} ms against ${at(allOf(plain), 0.99).toFixed(0)} ms`,
        `records and lists alone: ${(ownRecords.answers / plainRecords.answers).toFixed(2)}`,
      ].join("; "),
    );
    expect(plain.lost).toEqual([]);
    expect(own.lost).toEqual([]);
    expect(ratio).toBeGreaterThanOrEqual(0.7);
  });

  test("all get an answer while 1 of 100 requests upstream fails", async () => {
    const statuses = [500, 503, 0, 429, 502];
    let failed = 0;
    const { traffic, faults } = demo;
    const start = traffic.requests.api + traffic.requests.storage;
    const timer = setInterval(() => {
      const due = (traffic.requests.api + traffic.requests.storage - start) / 100;
      for (; failed < due; failed++) {
        const side = failed % 10 === 9 ? "storage" : "api";
        faults.failNext({ side, times: 1, status: statuses[failed % statuses.length] as number });
      }
    }, 20);
    const report = await drive(server.url, MS / 2);
    clearInterval(timer);
    table(`Vitrine, ${failed} faults`, MS / 2, report);
    expect(failed).toBeGreaterThan(0);
    expect(report.lost).toEqual([]);
    const told = Object.values(report.errors).reduce((sum, count) => sum + count, 0);
    console.info(`errors: ${JSON.stringify(report.errors)}`);
    expect(told).toBeLessThan(report.answers / 100);
  });
});
