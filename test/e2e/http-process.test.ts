import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type FaultServer, fault, type Routes, startFaultServer } from "../helpers/fault-server.ts";
import { hostedForTest } from "../helpers/hosted-server.ts";
import { ask, askMcp, messageOf } from "../helpers/http-request.ts";
import { spawnServer } from "../helpers/spawned-server.ts";

const ERA = "2026-07-28";
const CAPABILITIES = "/discovery/capabilities";
const KEY = { "x-ionworks-key": "key-of-caller" };

async function apiWith(routes: Routes): Promise<FaultServer> {
  const api = await startFaultServer(routes);
  onTestFinished(() => api.close());
  return api;
}

const discover = (url: string) =>
  askMcp(url, ERA, "tools/call", { name: "discover_capabilities", arguments: {} }, KEY);

describe.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s", (signal) => {
  test("while nothing is asked ends the server with exit code 0", async () => {
    const server = await hostedForTest({});
    server.child.kill(signal);
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(server.stderr).toBe("");
  });

  test("while 3 calls are in flight answers them, refuses a new one, and exits with 0", async () => {
    const waiting: (() => void)[] = [];
    const api = await apiWith({
      [CAPABILITIES]: (request, response) => {
        waiting.push(() => fault.json({ whole: true })(request, response, 0));
      },
    });
    const server = await hostedForTest({ args: ["--base-url", api.url] });
    const calls = [discover(server.url), discover(server.url), discover(server.url)];
    await api.until(() => waiting.length === 3);
    server.child.kill(signal);
    await expect
      .poll(() =>
        ask(`${server.base}/healthz`).then(
          ({ status }) => status,
          (error) => error.code,
        ),
      )
      .toBe("ECONNREFUSED");
    for (const answer of waiting) {
      answer();
    }
    const answers = await Promise.all(calls);
    expect(answers.map(({ result }) => result.structuredContent)).toEqual(
      Array(3).fill({ whole: true }),
    );
    expect(await server.exit).toEqual({ code: 0, signal: null });
  });
});

describe("a call in flight", () => {
  test("that outlasts its deadline is answered TIMED_OUT before the end", async () => {
    const api = await apiWith({ [CAPABILITIES]: fault.stall() });
    const server = await hostedForTest({
      args: ["--base-url", api.url, "--timeout-ms", "700", "--try-timeout-ms", "600"],
    });
    const call = discover(server.url);
    await api.until(() => api.log.length > 0);
    server.child.kill("SIGTERM");
    const { result } = await call;
    expect(JSON.parse(result.content[0].text).error.code).toBe("TIMED_OUT");
    expect((await server.exit).code).toBe(0);
  });

  test("is given up at a second signal and told so, and the exit code is 0", async () => {
    const api = await apiWith({ [CAPABILITIES]: fault.stall() });
    const server = await hostedForTest({ args: ["--base-url", api.url] });
    const call = discover(server.url);
    await api.until(() => api.log.length > 0);
    server.child.kill("SIGTERM");
    await expect
      .poll(() =>
        ask(`${server.base}/healthz`).then(
          ({ status }) => status,
          (error) => error.code,
        ),
      )
      .toBe("ECONNREFUSED");
    server.child.kill("SIGTERM");
    expect((await server.exit).code).toBe(0);
    expect((await call).result.isError).toBe(true);
  });

  test("whose client goes away ends its request upstream", async () => {
    const api = await apiWith({ [CAPABILITIES]: fault.stall() });
    const server = await hostedForTest({ args: ["--base-url", api.url] });
    const { headers, body } = messageOf(ERA, "tools/call", {
      name: "discover_capabilities",
      arguments: {},
    });
    const controller = new AbortController();
    const call = fetch(server.url, {
      method: "POST",
      headers: { ...headers, ...KEY },
      body,
      signal: controller.signal,
    }).catch(() => undefined);
    await api.until(() => api.log.length === 1);
    controller.abort();
    await call;
    await api.until(() => api.log[0]?.aborted === true);
  });
});

describe("--http", () => {
  test("listens on this machine alone, and says where in one line of stdout", async () => {
    const server = await hostedForTest({});
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(server.metrics).toBeUndefined();
  });

  test("on a port that is taken ends with exit code 1 and one line", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => {
      other.close();
    });
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const server = spawnServer({ args: ["--http", String(port)] });
    expect((await server.exit).code).toBe(1);
    expect(server.stderr.trim().split("\n")).toHaveLength(1);
    expect(server.stderr).toContain("EADDRINUSE");
  });

  test("does not end with its input: nobody holds the other end", async () => {
    const server = await hostedForTest({});
    server.child.stdin.end();
    for (let count = 0; count < 5; count += 1) {
      expect((await ask(`${server.base}/healthz`)).status).toBe(200);
    }
  });

  test("becomes ready by itself", async () => {
    const server = await hostedForTest({});
    await expect
      .poll(() => ask(`${server.base}/readyz`).then(({ status }) => status), { timeout: 30_000 })
      .toBe(200);
  });

  test("is described by --help, and --print-config shows its origin", async () => {
    const help = spawnServer({ args: ["--help"] });
    await help.exit;
    const text = help.lines.map((line) => line.text).join("\n");
    for (const flag of ["--http", "--metrics", "--allowed-host", "--trust-proxy"]) {
      expect(text).toContain(flag);
    }
    const shown = spawnServer({
      args: ["--http", "8080", "--print-config"],
      env: { VITRINE_METRICS: "9090" },
    });
    await shown.exit;
    const rows = shown.lines.map((line) => line.text.split(/ {2,}/));
    expect(rows).toContainEqual(["http", "8080", "command line"]);
    expect(rows).toContainEqual(["metrics", "9090", "environment"]);
  });
});

describe("--demo", () => {
  test("needs no key over HTTP, and a caller's own is not used", async () => {
    const server = await hostedForTest({ args: ["--demo"] });
    const { result } = await discover(server.url);
    expect(result.isError).toBeUndefined();
    expect((await server.stop()).code).toBe(0);
  });
});

describe("--metrics", () => {
  test("counts calls, errors and upstream requests at a port of their own", async () => {
    const api = await apiWith({ [CAPABILITIES]: [fault.json({ a: 1 }), fault.status(403)] });
    const server = await hostedForTest({ args: ["--base-url", api.url, "--metrics", "0"] });
    await discover(server.url);
    await discover(server.url);
    await askMcp(server.url, ERA, "tools/call", { name: "discover_capabilities", arguments: {} });
    const { status, headers, text } = await ask(server.metrics ?? "");
    expect(status).toBe(200);
    expect(headers["content-type"]).toContain("version=0.0.4");
    const lines = text.split("\n");
    expect(lines).toContain('vitrine_calls_total{tool="discover_capabilities"} 3');
    expect(lines).toContain('vitrine_call_errors_total{code="NOT_ALLOWED"} 1');
    expect(lines).toContain('vitrine_call_errors_total{code="CREDENTIAL_MISSING"} 1');
    expect(lines).toContain("vitrine_upstream_requests_total 2");
    expect(lines).toContain('vitrine_http_answers_total{status="200"} 3');
    expect(lines).toContain("vitrine_calls_in_flight 0");
    expect(text).not.toContain("key-of-caller");
    expect((await ask(`${server.base}/metrics`)).status).toBe(404);
  });
});
