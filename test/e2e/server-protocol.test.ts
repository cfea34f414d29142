import { describe, expect, test } from "vitest";
import { MODERN_META, spawnServer } from "../helpers/spawned-server.ts";

const HOUR = { ttlMs: 3_600_000, cacheScope: "public" };

describe("initialize", () => {
  test.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "answers revision %s with itself, and lists 15 tools",
    async (revision) => {
      const server = spawnServer();
      const { result } = await server.initialize(revision);
      expect(result.protocolVersion).toBe(revision);
      expect(result.serverInfo).toMatchObject({ name: "ionworks-mcp", version: "0.1.0" });
      expect(result.capabilities).toEqual({
        tools: {},
        resources: {},
        prompts: {},
        completions: {},
      });
      const { result: list } = await server.request("tools/list");
      expect(list.tools).toHaveLength(15);
      expect(list).not.toHaveProperty("ttlMs");
    },
  );

  test("offers 2025-11-25 to a client of an unknown revision", async () => {
    const { result } = await spawnServer().initialize("2099-01-01");
    expect(result.protocolVersion).toBe("2025-11-25");
  });
});

describe("server/discover", () => {
  test("names revision 2026-07-28, and may be kept for an hour", async () => {
    const { result } = await spawnServer().request("server/discover", { _meta: MODERN_META });
    expect(result).toMatchObject({
      supportedVersions: ["2026-07-28"],
      resultType: "complete",
      ...HOUR,
    });
  });

  test("tells the same instructions as initialize", async () => {
    const modern = await spawnServer().request("server/discover", { _meta: MODERN_META });
    const legacy = await spawnServer().initialize();
    expect(modern.result.instructions.length).toBeGreaterThan(100);
    expect(modern.result.instructions.length).toBeLessThan(2048);
    expect(legacy.result.instructions).toBe(modern.result.instructions);
  });

  test("then initialize on the same pipe speaks the older era", async () => {
    const server = spawnServer();
    await server.request("server/discover", { _meta: MODERN_META });
    const { result } = await server.initialize("2025-06-18");
    expect(result.protocolVersion).toBe("2025-06-18");
    expect((await server.request("tools/list")).result.tools).toHaveLength(15);
  });

  test("and initialize in one write are both answered", async () => {
    const server = spawnServer();
    const probe = server.ask("server/discover", { _meta: MODERN_META });
    const { result } = await server.initialize();
    expect(result.protocolVersion).toBe("2025-11-25");
    expect((await server.answer(probe)).result.supportedVersions).toEqual(["2026-07-28"]);
  });

  test("of an unknown revision is refused with -32022 and the known ones", async () => {
    const _meta = { ...MODERN_META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const { error } = await spawnServer().request("server/discover", { _meta });
    expect(error).toMatchObject({ code: -32022, data: { supported: ["2026-07-28"] } });
  });
});

describe("revision 2026-07-28 without a handshake", () => {
  test("lists the tools in the first request, and the list may be kept for an hour", async () => {
    const { result } = await spawnServer().request("tools/list", { _meta: MODERN_META });
    expect(result).toMatchObject({ resultType: "complete", ...HOUR });
    expect(result.tools).toHaveLength(15);
    expect(result._meta["io.modelcontextprotocol/serverInfo"].name).toBe("ionworks-mcp");
  });

  test("refuses a request without its envelope with -32602", async () => {
    const server = spawnServer();
    await server.request("tools/list", { _meta: MODERN_META });
    expect((await server.request("tools/list")).error.code).toBe(-32602);
  });
});

describe.each([
  ["2025-11-25", undefined],
  ["2026-07-28", MODERN_META],
] as const)("tools of revision %s", (_, meta) => {
  const start = async () => {
    const server = spawnServer();
    if (meta === undefined) {
      await server.initialize();
    }
    const call = (name: string, args?: unknown) =>
      server.request("tools/call", {
        name,
        ...(args === undefined ? {} : { arguments: args }),
        ...(meta === undefined ? {} : { _meta: meta }),
      });
    return { server, call };
  };

  test("an unknown tool is a protocol error -32602 that names the nearest", async () => {
    const { call } = await start();
    const { error } = await call("get_measurment");
    expect(error.code).toBe(-32602);
    expect(error.message).toContain("get_measurement");
  });

  test("a missing argument is a result with isError and INVALID_ARGUMENT, text only", async () => {
    const { call } = await start();
    const { result } = await call("get_measurement");
    expect(result.isError).toBe(true);
    expect(result).not.toHaveProperty("structuredContent");
    const { error } = JSON.parse(result.content[0].text);
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain("measurement_id");
  });

  test("without a key, a call says which variable to set and where", async () => {
    const { call } = await start();
    const { result } = await call("discover_capabilities", {});
    const { error } = JSON.parse(result.content[0].text);
    expect(error.code).toBe("CREDENTIAL_MISSING");
    expect(error.message).toContain("IONWORKS_API_KEY");
    expect(error.hint).toContain('"env"');
  });

  test("10 calls at once are answered, each under its id", async () => {
    const { server, call } = await start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call("discover_capabilities", {})),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(10);
    expect(server.lines.length).toBeGreaterThanOrEqual(10);
  });
});

describe("tools/list", () => {
  test("is sorted, the same in both eras, and at most 16 kB", async () => {
    const modern = await spawnServer().request("tools/list", { _meta: MODERN_META });
    const server = spawnServer();
    await server.initialize();
    const legacy = await server.request("tools/list");
    const names = legacy.result.tools.map((tool: { name: string }) => tool.name);
    expect(names).toEqual([...names].sort());
    expect(modern.result.tools).toEqual(legacy.result.tools);
    expect(Buffer.byteLength(JSON.stringify(legacy.result.tools))).toBeLessThanOrEqual(16_384);
  });
});
