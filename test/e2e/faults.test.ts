/**
 * The built server against an upstream that misbehaves: every answer is right or one of the closed codes, inside the deadline, and
 * the next call works.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import { FIXTURE_ROWS, fixture, fixtureV } from "../helpers/fixture-table.ts";
import { largeTable, LARGE_ROWS, largeValue } from "../helpers/large-table.ts";
import type { Behaviour, FileOptions } from "../helpers/serve-file.ts";
import { PROGRAM, SpawnedServer } from "../helpers/spawned-server.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const KEY = "iwk_secret_of_the_test";
/** Longest time of one call here [ms], and of one try. */
const CALL_MS = 3_000;
const TRY_MS = 500;

let api: FaultServer;
let store: FaultServer;
let server: SpawnedServer;
let small: Uint8Array;
let large: Uint8Array;

beforeAll(async () => {
  [api, store] = await Promise.all([startFaultServer({}), startFaultServer({})]);
  small = fixture("polars-zstd");
  large = largeTable();
  server = new SpawnedServer({
    program: PROGRAM,
    args: [`--timeout-ms=${CALL_MS}`, `--try-timeout-ms=${TRY_MS}`, "--log-level=debug"],
    env: { IONWORKS_API_URL: api.url, IONWORKS_API_KEY: KEY },
  });
  await server.initialize();
});

afterAll(async () => {
  server.endInput();
  const { code } = await server.exit;
  await Promise.all([api.close(), store.close()]);
  expect(code).toBe(0);
  expect(server.stderr).not.toContain(KEY);
});

interface Outcome {
  readonly isError?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test asserts
  readonly value: any;
  readonly ms: number;
}

async function call(name: string, args: Record<string, unknown>): Promise<Outcome> {
  const start = performance.now();
  const { result } = await server.request("tools/call", { name, arguments: args });
  const value = JSON.parse(result.content[0].text);
  return { isError: result.isError, value, ms: performance.now() - start };
}

const RECORD = { id: ID, name: "Cycling", measurement_type: "time_series", tags: [] };
const PAGE = { items: [{ id: ID, name: "NMC" }], count: 1, total: 1 };
const CYCLES = { cycles: { "Cycle count": [0, 1], "Discharge capacity [A.h]": [5, 4.9] } };

/** Each test reads its own file: another measurement, so that nothing is kept from the test before. */
let file = 0;
function nextFile(): string {
  file += 1;
  return `22222222-2222-4222-8222-${String(file).padStart(12, "0")}`;
}

/** The three result kinds over JSON: the call, the sound answer of the API, and what the tool makes of it. */
const KINDS = [
  {
    kind: "record",
    tool: "get_measurement",
    path: `/cell_measurements/${ID}`,
    body: RECORD,
    good: { id: ID, name: "Cycling" },
  },
  {
    kind: "page",
    tool: "list_cell_specs",
    path: "/cell_specifications",
    body: PAGE,
    good: { count: 1, total: 1, has_more: false },
  },
  {
    kind: "JSON table",
    tool: "get_measurement_cycles",
    path: `/cell_measurements/${ID}/cycles`,
    body: CYCLES,
    good: { row_count: 2, total_rows: 2 },
  },
] as const;

/** A fault, then (for faults that pass) the sound answer; and the code where there is no sound answer. */
const FAULTS: [string, (sound: Behaviour) => Behaviour[], string | undefined][] = [
  ["dropped once", (sound) => [fault.dropBeforeHeaders(), sound], undefined],
  ["dropped always", () => [fault.dropBeforeHeaders()], "UPSTREAM_UNAVAILABLE"],
  ["cut in the body once", (sound) => [fault.dropMidBody(), sound], undefined],
  ["cut in the body always", () => [fault.dropMidBody()], "UPSTREAM_UNAVAILABLE|UNREADABLE_ANSWER"],
  ["stalled", () => [fault.stall()], "TIMED_OUT|UPSTREAM_UNAVAILABLE"],
  ["stalled in the body", () => [fault.stallMidBody()], "TIMED_OUT|UPSTREAM_UNAVAILABLE"],
  ["dripping", () => [fault.drip(" ".repeat(5_000), 100)], "TIMED_OUT"],
  ["429 once", (sound) => [fault.rateLimit(), sound], undefined],
  ["429 for 1 s", (sound) => [fault.rateLimit(1), sound], undefined],
  ["429 for 120 s", () => [fault.rateLimit(120)], "RATE_LIMITED"],
  ["500 once", (sound) => [fault.status(500), sound], undefined],
  ["502 always", () => [fault.html("Bad gateway", 502)], "UPSTREAM_UNAVAILABLE"],
  ["503 twice", (sound) => [fault.status(503), fault.status(503), sound], undefined],
  ["504 always", () => [fault.status(504)], "UPSTREAM_UNAVAILABLE"],
  ["401", () => [fault.status(401)], "CREDENTIAL_REFUSED"],
  ["403", () => [fault.status(403)], "NOT_ALLOWED"],
  ["404", () => [fault.status(404)], "NOT_FOUND"],
  ["409", () => [fault.status(409)], "UPSTREAM_REFUSED"],
  ["422", () => [fault.status(422)], "UPSTREAM_REFUSED|INVALID_ARGUMENT"],
  ["an HTML page", () => [fault.html()], "UNREADABLE_ANSWER"],
  ["an empty body", () => [fault.empty()], "UNREADABLE_ANSWER"],
  ["a wrong content type", () => [fault.wrongType({})], "UNREADABLE_ANSWER"],
  ["a gzip bomb", () => [fault.gzipBomb(80)], "TOO_LARGE"],
  ["20 MB of another shape", () => [fault.huge()], "UNREADABLE_ANSWER|TOO_LARGE"],
  ["a redirect loop", () => [fault.redirectLoop()], "NOT_ALLOWED"],
  ["a plain-http redirect", () => [fault.redirect("http://example.org/x")], "NOT_ALLOWED"],
];

function expectRefusal({ isError, value, ms }: Outcome, codes: string): void {
  expect(isError, JSON.stringify(value).slice(0, 300)).toBe(true);
  expect(codes.split("|")).toContain(value.error.code);
  const text = JSON.stringify(value);
  expect(text.length).toBeLessThan(2_000);
  expect(text).not.toMatch(/iwk_secret|token=|node_modules|\n\s+at |\/root\/|<html/i);
  expect(ms).toBeLessThan(CALL_MS + 1_500);
}

describe.each(KINDS)("$kind", (sound) => {
  const { kind, tool, body, good } = sound;
  test.each(FAULTS)("%s", async (name, behaviours, codes) => {
    // A table is kept for a while, so every test reads the cycles of its own measurement.
    const own = kind === "JSON table" ? nextFile() : ID;
    const path = sound.path.replace(ID, own);
    const args = kind === "page" ? {} : { measurement_id: own };
    // Twenty megabytes of list are a page of one kind only: the bare list of everything.
    const fits = kind === "page" && name === "20 MB of another shape";
    api.routes = { [path]: behaviours(fault.json(body)), "*": fault.json(RECORD) };
    const outcome = await call(tool, args);
    if (codes === undefined) {
      expect(outcome.value).toMatchObject(good);
    } else if (fits) {
      expect(outcome.value).toMatchObject({ has_more: true, total: 20 * 1024 });
      expect(JSON.stringify(outcome.value).length).toBeLessThanOrEqual(40_960);
    } else {
      expectRefusal(outcome, codes);
    }
    api.routes = { [path]: fault.json({ ...body }) };
    const next = await call(tool, args);
    expect(next.isError, JSON.stringify(next.value)).toBeUndefined();
  });
});

const tag = (version: string, more: FileOptions = {}): FileOptions => ({
  etag: `"${version}"`,
  ...more,
});

const downloadOf = (id: string) => `/cell_measurements/${id}/time_series/download`;

async function window(id: string, offset: number, columns = ["t", "v"]): Promise<Outcome> {
  return call("get_measurement_time_series", { measurement_id: id, columns, offset, limit: 40 });
}

function expectSmallRows({ value }: Outcome, offset: number): void {
  expect(value).toMatchObject({ row_count: 40, total_rows: FIXTURE_ROWS });
  expect(value.rows).toEqual(
    Array.from({ length: 40 }, (_, index) => ({
      t: (offset + index) / 2,
      v: fixtureV(offset + index),
    })),
  );
}

function expectLargeRows({ value }: Outcome, offset: number, version = 0): void {
  expect(value, JSON.stringify(value).slice(0, 300)).toMatchObject({
    row_count: 40,
    total_rows: LARGE_ROWS,
  });
  expect(value.rows.map((row: { v: number }) => row.v)).toEqual(
    Array.from({ length: 40 }, (_, index) => largeValue(offset + index, version)),
  );
}

describe("Parquet table", () => {
  const cases: [string, () => Behaviour[], string | undefined][] = [
    ["sound", () => [fault.file(small, tag("a"))], undefined],
    ["without ranges", () => [fault.file(small, tag("a", { range: "ignore" }))], undefined],
    [
      "without ranges or length",
      () => [fault.file(small, tag("a", { range: "ignore", chunked: true }))],
      undefined,
    ],
    ["dropped once", () => [fault.dropBeforeHeaders(), fault.file(small, tag("a"))], undefined],
    ["503 once", () => [fault.status(503), fault.file(small, tag("a"))], undefined],
    [
      "an expired link for ever",
      () => [fault.linkExpired()],
      "UPSTREAM_REFUSED|NOT_ALLOWED|INVALID_ARGUMENT",
    ],
    ["stalled", () => [fault.stall()], "TIMED_OUT|UPSTREAM_UNAVAILABLE"],
    ["wrong ranges", () => [fault.file(large, tag("a", { range: "wrong" }))], "UNREADABLE_ANSWER"],
    [
      "ranges that are not said",
      () => [fault.file(large, tag("a", { range: "unsaid" }))],
      "UNREADABLE_ANSWER",
    ],
    [
      "compressed ranges",
      () => [fault.file(large, tag("a", { range: "encoded" }))],
      "UNREADABLE_ANSWER",
    ],
    [
      "a cut file",
      () => [fault.file(small.subarray(0, small.length - 100), tag("a"))],
      "UNREADABLE_ANSWER",
    ],
    ["an HTML page", () => [fault.html()], "UNREADABLE_ANSWER"],
    ["an empty body", () => [fault.answer(200, {}, "")], "UNREADABLE_ANSWER"],
    [
      "JSON instead of a file",
      () => [fault.json({ statusCode: "404", error: "not_found" })],
      "UNREADABLE_ANSWER",
    ],
  ];
  test.each(cases)("%s", async (_, behaviours, codes) => {
    const id = nextFile();
    store.routes = { "/f": behaviours() };
    api.routes = {
      [downloadOf(id)]: fault.redirect(`${store.url}/f?token=secret`),
      "*": fault.json(RECORD),
    };
    const outcome = await window(id, 700);
    if (codes === undefined) {
      expectSmallRows(outcome, 700);
    } else {
      expectRefusal(outcome, codes);
    }
    store.routes = { "/f": fault.file(small, tag("next")) };
    const other = nextFile();
    api.routes = { [downloadOf(other)]: fault.redirect(`${store.url}/f?token=secret`) };
    expectSmallRows(await window(other, 1_200), 1_200);
    expect(store.mentioning(KEY)).toEqual([]);
  });

  test("a flipped byte anywhere in the file is noticed or harmless, and the server lives on", async () => {
    for (let place = 5; place < small.length; place += Math.floor(small.length / 24)) {
      const copy = Uint8Array.from(small);
      copy[place] = (copy[place] ?? 0) ^ 0xff;
      const id = nextFile();
      store.routes = { "/f": fault.file(copy, tag(`flip-${place}`)) };
      api.routes = { [downloadOf(id)]: fault.redirect(`${store.url}/f`), "*": fault.json(RECORD) };
      const { isError, value } = await window(id, 700);
      if (isError === true) {
        expect(["UNREADABLE_ANSWER", "TOO_LARGE"]).toContain(value.error.code);
      } else {
        expect(value.rows).toHaveLength(value.row_count);
      }
    }
  });

  test("a large file moves only the pages of the window, and nothing for the next one in them", async () => {
    const id = nextFile();
    store.routes = { "/f": fault.file(large, tag("a")) };
    api.routes = { [downloadOf(id)]: fault.redirect(`${store.url}/f`) };
    expectLargeRows(await window(id, 150_000), 150_000);
    const before = store.count();
    expectLargeRows(await window(id, 150_040), 150_040);
    expect(store.count()).toBe(before);
    expect(large.length).toBeGreaterThan(1_000_000);
  });

  test("a file that changes between two windows is read as a whole new version", async () => {
    const id = nextFile();
    const changed = largeTable(1);
    let current = 0;
    store.routes = {
      "/f": (request, response, hit) =>
        (current === 0 ? fault.file(large, tag("a")) : fault.file(changed, tag("b")))(
          request,
          response,
          hit,
        ),
    };
    api.routes = { [downloadOf(id)]: fault.redirect(`${store.url}/f`) };
    expectLargeRows(await window(id, 1_000), 1_000);
    current = 1;
    // Far away, so that pages have to travel: the store no longer has the version that was opened.
    expectLargeRows(await window(id, 190_000), 190_000, 1);
    expectLargeRows(await window(id, 1_000), 1_000, 1);
  });

  test("a link that expires between two windows is resolved again, once", async () => {
    const id = nextFile();
    store.routes = {
      "/f": (request, response, hit) =>
        (request.url?.endsWith("n=0") && hit >= 3
          ? fault.linkExpired()
          : fault.file(large, tag("a")))(request, response, hit),
    };
    api.routes = { [downloadOf(id)]: fault.redirect((_, hit) => `${store.url}/f?n=${hit}`) };
    expectLargeRows(await window(id, 1_000), 1_000);
    for (const offset of [100_000, 190_000, 50_000]) {
      expectLargeRows(await window(id, offset), offset);
    }
    expect(api.count(downloadOf(id))).toBeLessThanOrEqual(2);
  });
});
