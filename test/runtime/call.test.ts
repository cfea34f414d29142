import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { callTool, type Runtime } from "../../src/call.ts";
import type { Explanation, OperationBinding, ToolDescriptor } from "../../src/contract.ts";
import type { TableReader } from "../../src/tables/reader.ts";
import { credentialMissing } from "../../src/credential-missing.ts";
import { createUpstream } from "../../src/upstream/upstream.ts";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import type { Behaviour } from "../helpers/serve-file.ts";

let far: FaultServer;
let runtime: Runtime;
const logged: string[] = [];

beforeAll(async () => {
  far = await startFaultServer({});
  runtime = {
    upstream: createUpstream({
      baseUrl: far.url,
      headers: {},
      variable: () => undefined,
      userAgent: "test",
      random: () => 0,
    }),
    tables: {} as TableReader,
    maxResultBytes: 40_960,
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (message: string) => logged.push(message),
    } as unknown as Runtime["log"],
  };
});
afterEach(() => {
  far.routes = {};
});
afterAll(async () => {
  await runtime.upstream.close();
  await far.close();
});

const get = (path: string, names: readonly string[]): OperationBinding => ({
  operationId: path,
  method: "GET",
  path,
  parameters: names.map((name) => ({
    name,
    argument: name,
    in: path.includes(`{${name}}`) ? "path" : "query",
    style: path.includes(`{${name}}`) ? "simple" : "form",
    explode: !path.includes(`{${name}}`),
    required: path.includes(`{${name}}`),
  })),
  accept: ["application/json"],
});

const base = {
  title: "t",
  description: "d",
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  outputSchema: { type: "object" },
} as const;

const record: ToolDescriptor = {
  ...base,
  name: "get_cell",
  inputSchema: { type: "object", properties: { id: {} } },
  arguments: () => z.strictObject({ id: z.string() }),
  operation: get("/cells/{id}", ["id"]),
  result: { kind: "record" },
};

const page: ToolDescriptor = {
  ...base,
  name: "list_cells",
  inputSchema: { type: "object", properties: { limit: {}, offset: {} } },
  arguments: () =>
    z.strictObject({ limit: z.int().min(1).optional(), offset: z.int().min(0).optional() }),
  operation: get("/cells", ["limit", "offset"]),
  result: {
    kind: "page",
    items: "/items",
    total: "/total",
    pagination: { scheme: "offset-limit", offset: "offset", limit: "limit", maximum: 100 },
    defaultLimit: 50,
    maximumLimit: 1000,
  },
};

const run = (tool: ToolDescriptor, args: unknown = {}, budget = 40_960) =>
  callTool({ ...runtime, maxResultBytes: budget }, tool, args, {
    signal: new AbortController().signal,
  });

const errorOf = (outcome: Awaited<ReturnType<typeof run>>) => {
  expect(outcome.isError).toBe(true);
  expect(outcome).not.toHaveProperty("structuredContent");
  return (
    JSON.parse(outcome.content[0]?.text ?? "") as {
      error: { code: string; message: string; hint?: string };
    }
  ).error;
};

/** An upstream of `count` cells that pages as it is asked, at most 100 at a time. */
const cells =
  (count: number, name = (index: number) => `cell ${index}`) =>
  (request: { url?: string | undefined }, response: import("node:http").ServerResponse) => {
    const query = new URL(request.url ?? "", "http://x").searchParams;
    const offset = Number(query.get("offset") ?? 0);
    const limit = Math.min(100, Number(query.get("limit") ?? 100));
    const items = Array.from(
      { length: Math.max(0, Math.min(limit, count - offset)) },
      (_, index) => ({ id: offset + index, name: name(offset + index) }),
    );
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ items, count: items.length, total: count }));
  };

describe("callTool, records", () => {
  test("gives the object as the API gives it, in both channels, with what it cost", async () => {
    far.routes = { "/cells/7": fault.json({ id: "7", ratings: { capacity: null }, tags: [] }) };
    const outcome = await run(record, { id: "7" });
    const want = { id: "7", ratings: { capacity: null }, tags: [] };
    expect(outcome.structuredContent).toEqual(want);
    expect(JSON.parse(outcome.content[0]?.text ?? "")).toEqual(want);
    expect(outcome._meta?.["vitrine/cost"]).toMatchObject({
      requests: 1,
      bytes: JSON.stringify(want).length,
      cached: false,
    });
  });

  test("gives integers beyond 2^53 as text, and text without controls", async () => {
    far.routes = {
      "/cells/7": fault.answer(
        200,
        {
          "content-type": "application/json",
        },
        '{"n":9007199254740993,"t":"a\\u001b[31m\\u200bb"}',
      ),
    };
    const outcome = await run(record, { id: "7" });
    expect(outcome.structuredContent).toEqual({ n: "9007199254740993", t: "a[31mb" });
  });

  const unreadable: [string, Behaviour][] = [
    ["a list", fault.json([1])],
    ["cut JSON", fault.answer(200, { "content-type": "application/json" }, '{"id": 1')],
    ["CSV", fault.answer(200, { "content-type": "text/csv" }, "a,b\n")],
    [
      "invalid UTF-8",
      fault.answer(200, { "content-type": "application/json" }, new Uint8Array([0x22, 0xff, 0x22])),
    ],
    ["nothing", fault.answer(200, { "content-type": "application/json" }, "")],
  ];
  for (const [what, behaviour] of unreadable) {
    test(`says UNREADABLE_ANSWER of ${what}`, async () => {
      far.routes = { "/cells/7": behaviour };
      const error = errorOf(await run(record, { id: "7" }));
      expect(error.code).toBe("UNREADABLE_ANSWER");
      expect(error.message).toContain("GET /cells/");
    });
  }

  test("says TOO_LARGE of a record beyond 1 MB, with its size", async () => {
    far.routes = { "/cells/7": fault.json({ t: "x".repeat(1_100_000) }) };
    expect(errorOf(await run(record, { id: "7" }))).toMatchObject({
      code: "TOO_LARGE",
      message: expect.stringContaining("1100008 bytes"),
    });
  });

  test("keeps both of two members that look alike, and refuses what is nested too deeply", async () => {
    far.routes = { "/cells/7": fault.json({ a: 1, "a\u200b": 2 }) };
    expect((await run(record, { id: "7" })).structuredContent).toEqual({ a: 1, "a (2)": 2 });
    const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    far.routes = { "/cells/7": fault.answer(200, { "content-type": "application/json" }, deep) };
    expect(errorOf(await run(record, { id: "7" })).code).toBe("UNREADABLE_ANSWER");
  });

  test("ends at once where the upstream switches protocols, and frees its place for the next call", async () => {
    for (let call = 0; call < 5; call += 1) {
      far.routes = {
        "/cells/7": (request) => {
          request.socket.end(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
          );
        },
      };
      expect(errorOf(await run(record, { id: "7" })).code).toBe("UPSTREAM_UNAVAILABLE");
    }
    far.routes = { "/cells/7": fault.json({ id: "7" }) };
    expect((await run(record, { id: "7" })).structuredContent).toEqual({ id: "7" });
  });

  test.each([
    ["newlines", "text/plain", `x${"\n".repeat(60_000)}x`],
    ["spaces", "text/plain", " ".repeat(60_000)],
    ["titles", "text/html", "<title".repeat(10_000)],
    ["links", "text/plain", "http://".repeat(9_000)],
  ])("quotes an error body of 60 kB of %s without a long look at it", async (_, type, body) => {
    far.routes = { "/cells/7": fault.answer(409, { "content-type": type }, body) };
    const cpu = process.cpuUsage();
    expect(errorOf(await run(record, { id: "7" })).code).toBe("UPSTREAM_REFUSED");
    // Minutes of processor time before; the bound is far from both.
    expect(process.cpuUsage(cpu).user).toBeLessThan(1_500_000);
  });

  test("asks nothing while a credential is missing, and says which variable to set", async () => {
    const outcome = await callTool(
      { ...runtime, credentialMissing: credentialMissing(["DEMO_KEY", "DEMO_TOKEN"]) },
      record,
      { id: "7" },
      { signal: new AbortController().signal },
    );
    const error = errorOf(outcome);
    expect(error.code).toBe("CREDENTIAL_MISSING");
    expect(error.message).toBe("DEMO_KEY is not set (or DEMO_TOKEN)");
    expect(outcome._meta?.["vitrine/cost"]).toMatchObject({ requests: 0 });
  });

  test("keeps what went wrong inside to itself, and logs it", async () => {
    const broken = {
      ...record,
      arguments: () => {
        throw new Error("secret path /root");
      },
    };
    const error = errorOf(await run(broken as unknown as ToolDescriptor, { id: "7" }));
    expect(error.code).toBe("INTERNAL");
    expect(JSON.stringify(error)).not.toContain("secret path");
    expect(logged).toContain("a call failed inside the server");
  });
});

describe("callTool, explanations", () => {
  const explanation: Explanation = {
    on: ["NOT_FOUND", "UPSTREAM_REFUSED"],
    operation: get("/cells/{id}", ["id"]),
    rules: [
      {
        at: "/state",
        in: ["failed"],
        code: "UPSTREAM_REFUSED",
        message: "Cell {id} has no data: processing failed ({/reason})",
        hint: "Call get_cell with id {id}",
      },
    ],
  };
  const tool: ToolDescriptor = {
    ...record,
    name: "get_data",
    operation: get("/cells/{id}/data", ["id"]),
    explain: explanation,
    hints: { NOT_FOUND: "List ids with list_cells" },
  };

  test("tells the state that another record gives, with its words", async () => {
    far.routes = {
      "/cells/7/data": fault.status(404),
      "/cells/7": fault.json({ state: "failed", reason: "no current\u001b" }),
    };
    expect(errorOf(await run(tool, { id: "7" }))).toEqual({
      code: "UPSTREAM_REFUSED",
      message: "Cell 7 has no data: processing failed (no current)",
      hint: "Call get_cell with id 7",
    });
  });

  test("tells the first failure with the tool's hint when no rule holds or the record is gone too", async () => {
    for (const other of [fault.json({ state: "ready" }), fault.status(404), fault.status(500)]) {
      far.routes = { "/cells/7/data": fault.status(404), "/cells/7": other };
      expect(errorOf(await run(tool, { id: "7" }))).toMatchObject({
        code: "NOT_FOUND",
        hint: "List ids with list_cells",
      });
    }
  });

  test("asks no second time after a failure that it does not explain", async () => {
    far.routes = { "/cells/7/data": fault.status(403) };
    const before = far.count("/cells/7");
    expect(errorOf(await run(tool, { id: "7" })).code).toBe("NOT_ALLOWED");
    expect(far.count("/cells/7")).toBe(before);
  });
});

describe("callTool, pages", () => {
  test("asks for 50 items when no limit is given, in 1 request", async () => {
    far.routes = { "/cells": cells(120) };
    const before = far.count("/cells");
    const { structuredContent } = await run(page);
    expect(structuredContent).toMatchObject({
      count: 50,
      total: 120,
      offset: 0,
      has_more: true,
      next_offset: 50,
    });
    expect(far.count("/cells") - before).toBe(1);
    expect(far.log.at(-1)?.query).toBe("?limit=50&offset=0");
  });

  test("takes 3 upstream pages of at most 100 for 250 items", async () => {
    far.routes = { "/cells": cells(1_000) };
    const before = far.log.length;
    const { structuredContent } = await run(page, { limit: 250, offset: 10 }, 1_000_000);
    expect(structuredContent).toMatchObject({ count: 250, next_offset: 260 });
    expect(far.log.slice(before).map((entry) => entry.query)).toEqual([
      "?limit=100&offset=10",
      "?limit=100&offset=110",
      "?limit=50&offset=210",
    ]);
  });

  for (const [budget, limit] of [
    [2_000, 100],
    [40_960, 1_000],
    [1_000, 7],
  ] as const) {
    test(`following next_offset reads each of 431 items once in ${budget} bytes`, async () => {
      far.routes = { "/cells": cells(431, (index) => "n".repeat(index % 90)) };
      const seen: number[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const { structuredContent } = await run(page, { limit, offset }, budget);
        expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(budget);
        const items = structuredContent?.items as { id: number }[];
        seen.push(...items.map((item) => item.id));
        offset = structuredContent?.next_offset as number | undefined;
      }
      expect(seen).toEqual(Array.from({ length: 431 }, (_, index) => index));
    });
  }

  test("lowers a limit above 1000 and says so", async () => {
    far.routes = { "/cells": cells(20) };
    const { structuredContent } = await run(page, { limit: 5_000 });
    expect(structuredContent).toMatchObject({ count: 20, has_more: false });
    expect(structuredContent?.note).toContain("limit 5000 was lowered to 1000");
  });

  test("says that an offset is past the end", async () => {
    far.routes = { "/cells": cells(20) };
    const { structuredContent } = await run(page, { offset: 30 });
    expect(structuredContent).toMatchObject({ items: [], count: 0, total: 20, has_more: false });
    expect(structuredContent?.note).toContain("offset 30 is past the end: there are 20 items");
  });

  test("cuts a bare list of everything to the asked part", async () => {
    far.routes = { "/cells": fault.json(Array.from({ length: 70 }, (_, id) => ({ id }))) };
    const { structuredContent } = await run(page, { limit: 20, offset: 60 });
    expect(structuredContent?.items).toEqual(
      Array.from({ length: 10 }, (_, index) => ({ id: 60 + index })),
    );
    expect(structuredContent).toMatchObject({ total: 70, has_more: false });
  });

  test("does not turn in circles where the total promises items that never come", async () => {
    far.routes = { "/cells": fault.json({ items: [], count: 0, total: 9 }) };
    const { structuredContent } = await run(page);
    expect(structuredContent).toMatchObject({ items: [], total: 9, has_more: false });
    expect(structuredContent?.note).toContain("counts 9 items but gave none from offset 0 on");
  });

  test("says UNREADABLE_ANSWER where there is no list", async () => {
    far.routes = { "/cells": fault.json({ items: "none" }) };
    expect(errorOf(await run(page)).message).toBe("The answer to GET /cells has no list at /items");
  });
});
