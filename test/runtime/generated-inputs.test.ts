/** Inputs that nobody would write: no crash, no hang over 5 s, no unhandled rejection, one of the closed codes. */
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type CallOutcome, callTool, type Runtime } from "../../src/call.ts";
import { createLog } from "../../src/log.ts";
import { ionworks } from "../../src/servers.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import type { Upstream } from "../../src/upstream/upstream.ts";
import { fault, startFaultServer } from "../helpers/fault-server.ts";
import { fixture } from "../helpers/fixture-table.ts";
import { bounds } from "../helpers/fuzz.ts";
import { startFixture } from "../helpers/http-fixture.ts";
import { ask, JSON_HEADERS } from "../helpers/http-request.ts";
import { memorySource } from "../helpers/memory-source.ts";
import { upstreamAt } from "../helpers/upstream-under-test.ts";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
afterEach(() => expect(unhandled).toEqual([]));

const tables = createTableReader();
afterAll(() => tables.close());
const lines: string[] = [];
const log = createLog({ level: "error", secrets: [], write: (line) => lines.push(line) });
const runtimeOf = (upstream: Upstream): Runtime => ({
  upstream,
  tables,
  maxResultBytes: 40_960,
  log,
});

const { tools } = ionworks.descriptor;
const toolNamed = (name: string) => tools.find((tool) => tool.name === name) ?? fail(name);
function fail(name: string): never {
  throw new Error(`no tool ${name}`);
}

const CODES =
  /^(INVALID_ARGUMENT|NOT_FOUND|NOT_ALLOWED|UPSTREAM_REFUSED|UNREADABLE_ANSWER|TOO_LARGE|TIMED_OUT|UPSTREAM_UNAVAILABLE)$/;

/** A sound result, or a short error of the closed set that is not the server's own. */
function expectClosed(outcome: CallOutcome): void {
  const text = outcome.content[0].text;
  expect(text.length).toBeLessThan(50_000);
  const value = JSON.parse(text);
  if (outcome.isError) {
    expect(value.error.code, text).toMatch(CODES);
    expect(text.length).toBeLessThan(4_000);
  }
  expect(lines).toEqual([]);
}

const signal = () => ({ signal: new AbortController().signal });

describe("generated arguments", () => {
  test("of every tool are taken or refused, 300 cases", async () => {
    const server = await startFaultServer({ "*": fault.status(404) });
    const { upstream } = upstreamAt(server.url);
    const runtime = runtimeOf(upstream);
    const names = [
      ...new Set(tools.flatMap((tool) => Object.keys(tool.inputSchema.properties ?? {}))),
    ];
    const args = fc.oneof(
      fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }),
      fc.dictionary(fc.string(), fc.anything({ maxDepth: 2 }), { maxKeys: 4 }),
      fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tools), args, async (tool, some) => {
        expectClosed(await callTool(runtime, tool, some, signal()));
      }),
      bounds(300),
    );
    await upstream.close();
    await server.close();
  }, 300_000);
});

describe("generated answers", () => {
  test("in JSON, whole or cut anywhere, are read or refused for a record, a page and a table, 100 cases", async () => {
    const server = await startFaultServer({});
    const { upstream } = upstreamAt(server.url);
    const runtime = runtimeOf(upstream);
    let id = 0;
    const kinds = ["get_measurement", "list_cell_specs", "get_measurement_cycles"].map(toolNamed);
    const json = fc.json({ maxDepth: 5 });
    const cycles = fc
      .dictionary(fc.string(), fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 5 }))
      .map((columns) => JSON.stringify({ cycles: columns }));
    const page = fc
      .record({ items: fc.jsonValue({ maxDepth: 2 }), total: fc.jsonValue({ maxDepth: 0 }) })
      .map((body) => JSON.stringify(body));
    const body = fc
      .tuple(fc.oneof(json, cycles, page), fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean())
      .map(([text, part, cut]) => (cut ? text.slice(0, Math.floor(text.length * part)) : text));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds), body, async (tool, text) => {
        id += 1;
        server.routes = { "*": fault.answer(200, { "content-type": "application/json" }, text) };
        const measurement_id = `55555555-5555-4555-8555-${String(id).padStart(12, "0")}`;
        const args = tool.name === "list_cell_specs" ? {} : { measurement_id };
        expectClosed(await callTool(runtime, tool, args, signal()));
      }),
      bounds(100),
    );
    await upstream.close();
    await server.close();
  }, 300_000);

  test("in Parquet with 1 to 40 other bytes in the footer are read or refused, 100 cases", async () => {
    const good = fixture("index-brotli");
    const footer = new DataView(good.buffer, good.byteOffset).getUint32(good.length - 8, true);
    const start = good.length - 8 - footer;
    const place = fc.integer({ min: start, max: good.length - 1 });
    const edits = fc.array(fc.tuple(place, fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(edits, async (some) => {
        const bytes = good.slice();
        for (const [at, value] of some) {
          bytes[at] = value;
        }
        const context = { ...signal(), cost: { requests: 0, bytes: 0 } };
        const open = () => Promise.resolve(memorySource(bytes));
        const read = tables.readParquet(open, { offset: 0, limit: 50 }, context);
        await read.then(
          ({ totalRows }) => expect(totalRows).toBeGreaterThanOrEqual(0),
          (error: { code?: string }) => expect(error.code, String(error)).toMatch(CODES),
        );
      }),
      bounds(100),
    );
  }, 300_000);
});

describe("generated HTTP headers", () => {
  test("are served or refused with 2xx or 4xx, 150 cases, and the server lives on", async () => {
    const service = await startFixture();
    const name = fc.constantFrom(
      ...["host", "origin", "accept", "content-type", "content-encoding", "x-lab-key"],
      ...["authorization", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"],
      ...["traceparent", "tracestate", "x-forwarded-proto", "forwarded", "cookie", "expect"],
    );
    const value = fc
      .oneof(fc.string({ maxLength: 200 }), fc.string({ unit: "binary", maxLength: 50 }))
      .map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim());
    const headers = fc.dictionary(name, value, { minKeys: 1, maxKeys: 5 });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    await fc.assert(
      fc.asyncProperty(headers, async (some) => {
        const all = { ...JSON_HEADERS, ...some };
        const { status } = await ask(service.url, { method: "POST", headers: all, body });
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
      }),
      bounds(150),
    );
    const well = await ask(service.url, { method: "POST", headers: JSON_HEADERS, body });
    expect(well.status).toBe(200);
  }, 300_000);
});
