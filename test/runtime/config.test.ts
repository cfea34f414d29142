import { describe, expect, test } from "vitest";
import { type Config, ConfigError, readConfig } from "../../src/config.ts";
import type { ServerDescriptor } from "../../src/contract.ts";

const SERVER: ServerDescriptor = {
  name: "lab",
  program: "lab-mcp",
  title: "Laboratory",
  instructions: "Read.",
  upstream: {
    baseUrl: "https://api.lab.example",
    baseUrlVariable: "LAB_URL",
    credentials: [{ name: "key", variable: "LAB_KEY", in: "header", parameter: "X-Key" }],
    headers: [],
  },
  variables: [
    { name: "LAB_KEY", description: "key", secret: true },
    { name: "LAB_URL", description: "address", secret: false },
    { name: "LAB_PROJECT", description: "project", secret: false },
  ],
  tools: [],
};

interface Given {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
}

const read = ({ args = [], env = {}, files = {} }: Given) =>
  readConfig(SERVER, { args, env, readFile: (path) => files[path] });

function configOf(given: Given): Config {
  const request = read(given);
  if (request.kind !== "serve" && request.kind !== "print-config") {
    throw new Error(`${request.kind} instead of settings`);
  }
  return request.config;
}

function problemsOf(given: Given): readonly string[] {
  try {
    read(given);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.problems;
    }
    throw error;
  }
  return [];
}

const originOf = (config: Config, name: string) =>
  config.settings.find((setting) => setting.name === name)?.origin;

describe("readConfig", () => {
  test("has a default for every option: 40,960 bytes, 50 s, 10 s, 40 MiB, warn", () => {
    expect(configOf({})).toMatchObject({
      demo: false,
      maxResultBytes: 40_960,
      timeoutMs: 50_000,
      tryTimeoutMs: 10_000,
      cacheBytes: 41_943_040,
      logLevel: "warn",
      baseUrl: "https://api.lab.example",
    });
  });

  test("takes a flag before the environment, that before the file, that before the default", () => {
    const file = { "/c.json": '{"timeout-ms": 3000}' };
    const env = { VITRINE_TIMEOUT_MS: "2000" };
    const from = (given: Given) => {
      const config = configOf(given);
      return [config.timeoutMs, originOf(config, "timeout-ms")];
    };
    const args = ["--config", "/c.json"];
    expect(from({ args: [...args, "--timeout-ms=1000"], env, files: file })).toEqual([
      1000,
      "command line",
    ]);
    expect(from({ args, env, files: file })).toEqual([2000, "environment"]);
    expect(from({ args, files: file })).toEqual([3000, "configuration file"]);
    expect(from({})).toEqual([50_000, "default"]);
  });

  test("reads $XDG_CONFIG_HOME/vitrine/<program>.json, else ~/.config, without being told to", () => {
    const text = '{"LAB_PROJECT": "p-1"}';
    const inXdg = {
      env: { XDG_CONFIG_HOME: "/x", HOME: "/h" },
      files: { "/x/vitrine/lab-mcp.json": text },
    };
    const inHome = { env: { HOME: "/h" }, files: { "/h/.config/vitrine/lab-mcp.json": text } };
    expect(configOf(inXdg).variables.get("LAB_PROJECT")).toBe("p-1");
    expect(configOf(inHome).variables.get("LAB_PROJECT")).toBe("p-1");
  });

  test("keeps a secret out of everything that can be printed", () => {
    const config = configOf({ env: { LAB_KEY: " s3cr3t-value\n" } });
    expect(config.secrets.get("LAB_KEY")?.reveal()).toBe("s3cr3t-value");
    expect(JSON.stringify({ ...config, secrets: [...config.secrets] })).not.toContain("s3cr3t");
    expect(config.settings).toContainEqual({
      name: "LAB_KEY",
      shown: "****",
      origin: "environment",
    });
  });

  test.each(["", "  ", "$" + "{LAB_KEY}"])("takes a key of %j for none", (text) => {
    expect(configOf({ env: { LAB_KEY: text } }).secrets.size).toBe(0);
  });

  test("takes a folder for answers that cannot be shown, an absolute one, and only without --http", () => {
    const args = ["--save-folder", "/var/saved"];
    expect(configOf({ args }).saveFolder).toBe("/var/saved");
    expect(configOf({}).saveFolder).toBeUndefined();
    expect(problemsOf({ args: ["--save-folder", "saved"] })).toEqual([
      'save-folder "saved" (command line): expected an absolute path',
    ]);
    expect(problemsOf({ args: [...args, "--http", "8080"] })).toEqual([
      "save-folder and http exclude each other: callers elsewhere could not open the file",
    ]);
  });

  test("tells 5 problems at once, each with its origin", () => {
    expect(
      problemsOf({
        args: ["--timeout-ms", "soon", "--log-level=loud", "--config", "/c.json"],
        env: { VITRINE_CACHE_BYTES: "-1", LAB_URL: "http://lab.example" },
        files: { "/c.json": '{"max-result-bytes": 2000000}' },
      }),
    ).toEqual([
      'base-url "http://lab.example" (environment): http would show the key to the network; expected https (http only to this machine)',
      'max-result-bytes "2000000" (configuration file): expected a whole number from 1000 to 1000000',
      'timeout-ms "soon" (command line): expected a whole number from 100 to 600000',
      'cache-bytes "-1" (environment): expected a whole number from 0 to 4294967296',
      'log-level "loud" (command line): expected one of error, warn, info, debug',
    ]);
  });

  test.each([
    [
      ["--max-result-byte", "5"],
      'unknown argument "--max-result-byte"; did you mean --max-result-bytes?',
    ],
    [["--https", "8080"], 'unknown argument "--https"; did you mean --http?'],
    [["-x"], 'unknown argument "-x"; --help shows what there is'],
    [["serve"], 'unknown argument "serve"; --help shows what there is'],
    [["--demo=yes"], "--demo takes no value"],
    [["--timeout-ms"], "--timeout-ms needs a value"],
    [["--help", "--nope"], 'unknown argument "--nope"; --help shows what there is'],
    [
      ["--demo", "--base-url", "https://x.example"],
      "--demo and --base-url exclude each other: the demo has its own address",
    ],
    [["--config", "/gone"], "--config /gone: there is no such file, or it cannot be read"],
  ])("refuses %j", (args, problem) => {
    expect(problemsOf({ args })).toEqual([problem]);
  });

  test.each([
    ["{", "/c.json: it is not JSON"],
    ["[]", "/c.json: it must hold one JSON object"],
    ['{"timeoutms": 1}', '/c.json: unknown name "timeoutms"; did you mean "timeout-ms"?'],
    ['{"LAB_KEY": {}}', '/c.json: "LAB_KEY" must be text or a number'],
  ])("refuses a file of %s", (text, problem) => {
    expect(problemsOf({ args: ["--config", "/c.json"], files: { "/c.json": text } })).toEqual([
      problem,
    ]);
  });

  test.each([
    ["https://api.example/v2", undefined],
    ["http://127.0.0.1:8787", undefined],
    ["http://localhost:8787", undefined],
    ["http://[::1]:8787", undefined],
    ["http://127.evil.example", "http would show"],
    ["ftp://api.example", "expected an https address"],
    ["api.example", "expected an https address"],
    ["https://api.example?x=1", "without user, query and fragment"],
  ])("takes the address %s or says why not", (address, problem) => {
    const [found] = problemsOf({ env: { LAB_URL: address } });
    expect(found?.includes(problem ?? "") ?? problem === undefined).toBe(true);
    expect(found === undefined).toBe(problem === undefined);
  });

  test("does not repeat the password of an address", () => {
    const [found] = problemsOf({ env: { LAB_URL: "https://me:hidden@api.example" } });
    expect(found).toContain("https://****@api.example");
    expect(found).not.toContain("hidden");
  });

  test("refuses a key that no header can carry, without repeating it", () => {
    const problems = problemsOf({ env: { LAB_KEY: "sec\u0000ret" } });
    expect(problems).toEqual(["LAB_KEY (environment): it holds characters that cannot be sent"]);
  });

  test("asks for help or the version whatever else is wrong with values", () => {
    expect(read({ args: ["--help"], env: { VITRINE_TIMEOUT_MS: "soon" } }).kind).toBe("help");
    expect(read({ args: ["--version"] }).kind).toBe("version");
    expect(read({ args: ["--print-config"] }).kind).toBe("print-config");
  });
});
