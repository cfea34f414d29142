import { describe, expect, test } from "vitest";
import { createLog, type LogLevel } from "../../src/log.ts";
import { Secret } from "../../src/secret.ts";

function logInto(level: LogLevel, ...secrets: string[]) {
  const lines: string[] = [];
  const log = createLog({
    level,
    secrets: secrets.map((secret) => new Secret(secret)),
    write: (line) => lines.push(line),
  });
  return { log, lines };
}

describe("createLog", () => {
  test.each([
    ["error", 1],
    ["warn", 2],
    ["info", 3],
    ["debug", 4],
  ] as const)("writes at level %s %i of 4 lines", (level, count) => {
    const { log, lines } = logInto(level);
    for (const name of ["error", "warn", "info", "debug"] as const) {
      log[name]("something happened");
    }
    expect(lines).toHaveLength(count);
  });

  test("writes one JSON object a line, with time, level, message and details", () => {
    const { log, lines } = logInto("info");
    log.info("a call\nwas refused", { tool: "get_cell", rows: 3n });
    expect(lines[0]?.endsWith("\n")).toBe(true);
    expect(lines[0]?.trim().includes("\n")).toBe(false);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      level: "info",
      message: "a call\nwas refused",
      tool: "get_cell",
      rows: "3",
    });
  });

  test("hides a secret in messages, details, errors and their causes, also percent-encoded", () => {
    const secret = "pa/ss word+1";
    const { log, lines } = logInto("debug", secret);
    log.warn(`key ${secret}`, {
      url: `https://api.example/${encodeURIComponent(secret)}`,
      nested: { list: [secret, new Secret(secret)] },
      error: new Error(`refused ${secret}`, { cause: new Error(secret) }),
    });
    expect(lines[0]).not.toContain("word");
    expect(lines[0]?.match(/\*{4}/g)?.length).toBeGreaterThanOrEqual(6);
    expect(JSON.parse(lines[0] ?? "").error.cause.message).toBe("****");
  });

  test("hides the query string of every link and keeps the rest", () => {
    const { log, lines } = logInto("debug");
    log.debug(
      "GET https://store.example/a.parquet?token=abc&sig=def failed, see http://x.example/?q",
    );
    expect(JSON.parse(lines[0] ?? "").message).toBe(
      "GET https://store.example/a.parquet?**** failed, see http://x.example/?****",
    );
  });
});
