import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type FaultServer, fault, startFaultServer } from "../helpers/fault-server.ts";
import {
  MODERN_META,
  PROGRAM,
  type SpawnedServer,
  spawnServer,
} from "../helpers/spawned-server.ts";

type Behaviour = ReturnType<typeof fault.stall>;

const ID = "11111111-1111-4111-8111-111111111111";
const PATH = `/cell_measurements/${ID}`;
const RECORD = { id: ID, name: "Cycle ageing" };
const KEY = "key-that-must-not-show";

async function startApi(behaviour: Behaviour): Promise<FaultServer> {
  const api = await startFaultServer({ [PATH]: behaviour });
  onTestFinished(() => api.close());
  return api;
}

function spawnFor(api: FaultServer, ...args: string[]): SpawnedServer {
  return spawnServer({ args, env: { IONWORKS_API_URL: api.url, IONWORKS_API_KEY: KEY } });
}

const askMeasurement = (server: SpawnedServer) =>
  server.ask("tools/call", { name: "get_measurement", arguments: { measurement_id: ID } });

const answerAfter =
  (ms: number, value: unknown): Behaviour =>
  async (request, response, hit) => {
    await after(ms);
    await fault.json(value)(request, response, hit);
  };

const ENDED_WELL = { code: 0, signal: null };

describe("end of input", () => {
  test("ends an idle server with exit code 0 and nothing on stderr", async () => {
    const server = spawnServer();
    await server.initialize();
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
    expect(server.stderr).toBe("");
  });

  test("ends a server that was asked nothing", async () => {
    const server = spawnServer();
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
    expect(server.lines).toEqual([]);
  });

  test("answers 3 requests that came in one write before it, the last without a line end", async () => {
    const server = spawnServer();
    const message = (id: number, method: string, params: unknown) =>
      JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const clientInfo = { name: "test", version: "1" };
    server.write(
      [
        message(1, "initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo,
        }),
        message(2, "ping", {}),
        message(3, "tools/list", {}),
      ].join("\n"),
    );
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
    expect(server.lines.map(({ json }) => json.id)).toEqual([1, 2, 3]);
  });

  test("waits for the answer of a call in flight", async () => {
    const api = await startApi(answerAfter(600, RECORD));
    const server = spawnFor(api);
    await server.initialize();
    const id = askMeasurement(server);
    await api.until(() => api.count(PATH) === 1);
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
    expect((await server.answer(id)).result.structuredContent).toEqual(RECORD);
  });

  test("delivers an answer of 1.8 MB whole to a reader that starts late", async () => {
    const record = { ...RECORD, notes: "x".repeat(900_000) };
    const api = await startApi(fault.json(record));
    const server = spawnFor(api, "--max-result-bytes", "1000000");
    await server.initialize();
    server.child.stdout.pause();
    const id = askMeasurement(server);
    server.endInput();
    await api.until(() => api.count(PATH) === 1);
    await after(200);
    server.child.stdout.resume();
    expect(await server.exit).toEqual(ENDED_WELL);
    const { result } = await server.answer(id);
    expect(result.structuredContent.notes).toHaveLength(900_000);
    expect(result.content[0].text).toBe(JSON.stringify(result.structuredContent));
  });

  test("does not wait for a call that was cancelled", async () => {
    const api = await startApi(fault.stall());
    const server = spawnFor(api);
    await server.initialize();
    const id = askMeasurement(server);
    await api.until(() => api.count(PATH) === 1);
    server.send({ method: "notifications/cancelled", params: { requestId: id } });
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
    expect(server.lines.some(({ json }) => json.id === id)).toBe(false);
  });

  test("is not outlasted by a call without answer: the call's deadline ends it", async () => {
    const api = await startApi(fault.stall());
    const server = spawnFor(api, "--timeout-ms", "400");
    await server.initialize();
    const id = askMeasurement(server);
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
    expect(JSON.parse((await server.answer(id)).result.content[0].text).error.code).toBe(
      "TIMED_OUT",
    );
  });
});

describe("a standing subscription", () => {
  test("is acknowledged, and does not hold the server at the end of input", async () => {
    const server = spawnServer();
    await server.request("tools/list", { _meta: MODERN_META });
    server.ask("subscriptions/listen", {
      _meta: MODERN_META,
      notifications: { toolsListChanged: true },
    });
    for (let waited = 0; server.lines.length < 2 && waited < 5_000; waited += 20) {
      await after(20);
    }
    expect(server.lines[1]?.json.method).toBe("notifications/subscriptions/acknowledged");
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
  });
});

describe("signals", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s during a call ends the server with exit code 0",
    async (signal) => {
      const api = await startApi(fault.stall());
      const server = spawnFor(api);
      await server.initialize();
      askMeasurement(server);
      await api.until(() => api.count(PATH) === 1);
      server.child.kill(signal);
      expect(await server.exit).toEqual(ENDED_WELL);
      expect(server.stderr).toBe("");
      await api.until(() => api.log[0]?.aborted === true);
    },
  );

  test("SIGTERM ends a server whose answer nobody reads", async () => {
    const api = await startApi(fault.json({ ...RECORD, notes: "x".repeat(900_000) }));
    const server = spawnFor(api, "--max-result-bytes", "1000000");
    await server.initialize();
    server.child.stdout.pause();
    askMeasurement(server);
    await api.until(() => api.count(PATH) === 1);
    await after(200);
    const exited = once(server.child, "exit");
    server.child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    server.child.stdout.resume();
  });
});

describe("a host that is gone", () => {
  test("a closed stdout ends the server with exit code 0 and nothing on stderr", async () => {
    const server = spawnServer();
    await server.initialize();
    server.child.stdout.destroy();
    server.ask("tools/list");
    const [code] = await once(server.child, "exit");
    expect(code).toBe(0);
    expect(server.stderr).toBe("");
  });

  test("the death of the parent ends the server though its input stays open", async () => {
    // A third process holds the other end of the server's input, as the host's other children may.
    const script = `
      const { spawn } = require("node:child_process");
      const server = spawn(process.execPath, [${JSON.stringify(PROGRAM)}], { stdio: ["pipe", "pipe", "inherit"] });
      const holder = spawn("sleep", ["60"], { stdio: ["ignore", server.stdin, "ignore"] });
      server.stdout.once("data", () => process.stdout.write(server.pid + " " + holder.pid + "\\n"));
      server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n');`;
    const parent = spawn(process.execPath, ["-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [pids] = await once(parent.stdout, "data");
    const [server = 0, holder = 0] = String(pids).trim().split(" ").map(Number);
    onTestFinished(() => void process.kill(holder, "SIGKILL"));
    const alive = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    expect(alive(server)).toBe(true);
    parent.kill("SIGKILL");
    for (let waited = 0; alive(server) && waited < 10_000; waited += 50) {
      await after(50);
    }
    expect([alive(server), alive(holder)]).toEqual([false, true]);
  });
});

describe("input that is no message", () => {
  test.each([
    ["text", "hello\n"],
    ["half a message", '{"jsonrpc":"2.0","id":9,\n'],
    ["a batch", '[{"jsonrpc":"2.0","id":9,"method":"ping"}]\n'],
    ["an answer to nothing", '{"jsonrpc":"2.0","id":9,"result":{}}\n'],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x0a]).toString("latin1")],
    ["empty lines", "\n\r\n\n"],
    [
      "a message of 11 MiB",
      `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"${"x".repeat(11 * 1024 * 1024)}"}}\n`,
    ],
  ])("%s is skipped, and the next request answered", async (_, text) => {
    const server = spawnServer();
    await server.initialize();
    server.write(text);
    const { result } = await server.request("tools/list");
    expect(result.tools).toHaveLength(15);
    expect(server.lines).toHaveLength(2);
  });

  test("a request that is not valid is answered with -32600 under its id", async () => {
    const server = spawnServer();
    await server.initialize();
    server.write('{"jsonrpc":"2.0","id":"odd","method":"tools/list","params":5}\n');
    expect((await server.answer("odd")).error.code).toBe(-32600);
    expect((await server.request("ping")).result).toEqual({});
  });

  test("a message in 300 pieces is read as one", async () => {
    const server = spawnServer();
    await server.initialize();
    const text = `${JSON.stringify({ jsonrpc: "2.0", id: "pieces", method: "ping", params: { _meta: { é: "ü".repeat(120) } } })}\n`;
    for (const byte of Buffer.from(text)) {
      server.child.stdin.write(Uint8Array.of(byte));
    }
    expect((await server.answer("pieces")).result).toEqual({});
  });
});

describe("stdout and stderr", () => {
  test("stdout carries JSON-RPC alone and stderr JSON lines without the key, at --log-level debug", async () => {
    const api = await startApi(fault.answer(401, {}, `{"detail":"bad key ${KEY}"}`));
    const server = spawnFor(api, "--log-level", "debug");
    await server.initialize();
    await server.answer(askMeasurement(server));
    server.write("garbage\n");
    await server.request("ping");
    server.endInput();
    expect(await server.exit).toEqual(ENDED_WELL);
    expect(server.lines).toHaveLength(3);
    for (const { json } of server.lines) {
      expect(json.jsonrpc).toBe("2.0");
    }
    const logged = server.stderr.trim().split("\n");
    expect(logged.length).toBeGreaterThan(1);
    for (const line of logged) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.stringMatching(/^(warn|info|debug)$/),
      });
    }
    expect(api.mentioning(KEY)).toHaveLength(1);
    expect(server.stderr + JSON.stringify(server.lines)).not.toContain(KEY);
  });
});

describe("cancelling", () => {
  test("ends the request to the API, and the call has no answer", async () => {
    const api = await startApi(fault.stall());
    const server = spawnFor(api);
    await server.initialize();
    const id = askMeasurement(server);
    await api.until(() => api.count(PATH) === 1);
    server.send({ method: "notifications/cancelled", params: { requestId: id } });
    await api.until(() => api.log[0]?.aborted === true);
    expect((await server.request("ping")).result).toEqual({});
    expect(server.lines.some(({ json }) => json.id === id)).toBe(false);
  });
});
