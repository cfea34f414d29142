import { describe, expect, test } from "vitest";
import { ConfigError, type Hosting, readConfig } from "../../src/config.ts";
import type { ServerDescriptor } from "../../src/contract.ts";
import { isHostName, isOrigin, parseListen } from "../../src/listen-address.ts";

const SERVER: ServerDescriptor = {
  name: "lab",
  program: "lab-mcp",
  title: "Laboratory",
  instructions: "Read.",
  upstream: {
    baseUrl: "https://api.lab.example",
    baseUrlVariable: "LAB_URL",
    credentials: [],
    headers: [],
  },
  variables: [{ name: "LAB_URL", description: "address", secret: false }],
  tools: [],
};

function hostingOf(args: readonly string[], env: Record<string, string> = {}): Hosting | undefined {
  const request = readConfig(SERVER, { args, env, readFile: () => undefined });
  return "config" in request ? request.config.hosting : undefined;
}

function problemsOf(args: readonly string[], env: Record<string, string> = {}): readonly string[] {
  try {
    hostingOf(args, env);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.problems;
    }
    throw error;
  }
  return [];
}

describe("parseListen", () => {
  test.each([
    ["8080", { host: "127.0.0.1", port: 8080 }],
    ["0", { host: "127.0.0.1", port: 0 }],
    ["65535", { host: "127.0.0.1", port: 65_535 }],
    ["0.0.0.0:80", { host: "0.0.0.0", port: 80 }],
    ["localhost:3000", { host: "localhost", port: 3000 }],
    ["[::1]:3000", { host: "::1", port: 3000 }],
    ["[::]:3000", { host: "::", port: 3000 }],
  ])("reads %j", (text, address) => {
    expect(parseListen(text)).toEqual(address);
  });

  test.each(["", "65536", "x", ":80", "::1:80", "host", "host:", "a b:80", "http://h:80", "-1"])(
    "does not read %j",
    (text) => {
      expect(parseListen(text)).toBeUndefined();
    },
  );
});

describe("isHostName", () => {
  test.each([
    ["cells.example.org", true],
    ["10.0.0.7", true],
    ["[fd00::7]", true],
    ["cells.example.org:80", false],
    ["cells.example.org:443", false],
    ["https://cells.example.org", false],
    ["cells.example.org/mcp", false],
    ["a b", false],
    ["*.example.org", false],
  ])("of %j is %s", (text, wanted) => {
    expect(isHostName(text)).toBe(wanted);
  });
});

describe("isOrigin", () => {
  test.each([
    ["https://app.example.org", true],
    ["http://localhost:3000", true],
    ["https://app.example.org/", false],
    ["https://app.example.org:443", false],
    ["app.example.org", false],
    ["null", false],
    ["file:///etc", false],
  ])("of %j is %s", (text, wanted) => {
    expect(isOrigin(text)).toBe(wanted);
  });
});

describe("hosting", () => {
  test("is absent without --http", () => {
    expect(hostingOf([])).toBeUndefined();
  });

  test("has nothing open but the loopback port unless told", () => {
    expect(hostingOf(["--http", "8080"])).toEqual({
      listen: { host: "127.0.0.1", port: 8080 },
      allowedHosts: [],
      allowedOrigins: [],
      trustProxy: false,
      shareOperatorKey: false,
    });
  });

  test("reads lists with commas, and switches", () => {
    expect(
      hostingOf([
        ...["--http", "0.0.0.0:8080", "--metrics", "0.0.0.0:9090"],
        ...["--allowed-host", "Cells.example.org, 10.0.0.7"],
        ...["--allowed-origin", "https://a.example,https://b.example"],
        ...["--trust-proxy", "--share-operator-key"],
      ]),
    ).toEqual({
      listen: { host: "0.0.0.0", port: 8080 },
      metrics: { host: "0.0.0.0", port: 9090 },
      allowedHosts: ["cells.example.org", "10.0.0.7"],
      allowedOrigins: ["https://a.example", "https://b.example"],
      trustProxy: true,
      shareOperatorKey: true,
    });
  });

  test("reads VITRINE_HTTP, VITRINE_ALLOWED_HOST and VITRINE_METRICS", () => {
    const env = {
      VITRINE_HTTP: "8080",
      VITRINE_ALLOWED_HOST: "cells.example.org",
      VITRINE_METRICS: "9090",
    };
    expect(hostingOf([], env)).toMatchObject({
      listen: { port: 8080 },
      metrics: { port: 9090 },
      allowedHosts: ["cells.example.org"],
    });
  });

  test.each([
    ["--metrics", "9090"],
    ["--allowed-host", "cells.example.org"],
    ["--allowed-origin", "https://a.example"],
    ["--trust-proxy"],
    ["--share-operator-key"],
  ])("refuses %s without --http", (...args) => {
    expect(problemsOf(args)).toEqual([`${args[0]} needs --http`]);
  });

  test.each([
    [["--http", "99999"], "PORT or HOST:PORT"],
    [["--http", "http://0.0.0.0:80"], "PORT or HOST:PORT"],
    [["--http", "1", "--metrics", "x"], "PORT or HOST:PORT"],
    [["--http", "1", "--allowed-host", "cells.example.org:443"], "host names without port"],
    [["--http", "1", "--allowed-host", "https://cells.example.org"], "host names without port"],
    [["--http", "1", "--allowed-host", "*"], "host names without port"],
    [["--http", "1", "--allowed-origin", "app.example.org"], "origins such as"],
    [["--http", "1", "--allowed-origin", "*"], "origins such as"],
  ])("refuses %j", (args, expected) => {
    const problems = problemsOf(args);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });
});

describe("--cache-url", () => {
  test.each(["redis://cache:6379", "rediss://:pass-word@cache.example.org:6380/2"])(
    "takes %j and shows no password",
    (url) => {
      const args = ["--http", "0", "--cache-url", url];
      const request = readConfig(SERVER, { args, env: {}, readFile: () => undefined });
      const { config } = request as Extract<typeof request, { config: unknown }>;
      expect(config.hosting?.cacheUrl?.reveal()).toBe(url);
      expect(JSON.stringify(config.settings)).not.toContain("pass-word");
      expect(JSON.stringify(config.settings)).toContain("cache");
    },
  );

  test.each(["http://cache", "cache:6379", "redis//x", "unix:///tmp/x"])("refuses %j", (url) => {
    expect(problemsOf(["--http", "0", "--cache-url", url])).toEqual([
      `cache-url "${url}" (command line): expected redis://HOST:PORT or rediss://HOST:PORT`,
    ]);
  });

  test("needs --http", () => {
    expect(problemsOf(["--cache-url", "redis://cache"])).toEqual(["--cache-url needs --http"]);
  });
});
