import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { createGuard, type GuardOptions } from "../../src/transport/http-guard.ts";

const guard = (options: Partial<GuardOptions> = {}) =>
  createGuard({
    host: "127.0.0.1",
    allowedHosts: [],
    allowedOrigins: [],
    trustProxy: false,
    ...options,
  });

describe("refusal", () => {
  test.each([
    ["localhost", {}],
    ["localhost:8080", {}],
    ["127.0.0.1:8080", {}],
    ["[::1]:8080", {}],
    ["LOCALHOST", {}],
    ["10.0.0.7:8080", { host: "10.0.0.7" }],
    ["[fd00::7]", { host: "fd00::7" }],
    ["cells.example.org", { allowedHosts: ["cells.example.org"] }],
    ["cells.example.org:443", { host: "0.0.0.0", allowedHosts: ["cells.example.org"] }],
  ])("answers to host %j", (host, options) => {
    expect(guard(options).refusal({ host })).toBeUndefined();
  });

  test.each([
    ["evil.example", {}],
    ["localhost.evil.example", {}],
    ["127.0.0.1.evil.example", {}],
    ["evil.example@localhost:80@x", {}],
    ["localhost evil", {}],
    ["", {}],
    ["0.0.0.0:8080", { host: "0.0.0.0" }],
    ["[::]", { host: "::" }],
    ["sub.cells.example.org", { allowedHosts: ["cells.example.org"] }],
  ])("refuses host %j and names --allowed-host", (host, options) => {
    expect(guard(options).refusal({ host })).toContain("--allowed-host");
  });

  test.each([
    ["http://localhost:6274", {}],
    ["https://127.0.0.1", {}],
    ["http://[::1]:3000", {}],
    ["https://app.example.org", { allowedOrigins: ["https://app.example.org"] }],
    ["https://cells.example.org", { allowedHosts: ["cells.example.org"] }],
  ])("lets pages of %j call", (origin, options) => {
    expect(guard(options).refusal({ host: "localhost", origin })).toBeUndefined();
  });

  test.each([
    ["https://evil.example", {}],
    ["null", {}],
    ["", {}],
    ["file://localhost", {}],
    ["http://app.example.org", { allowedOrigins: ["https://app.example.org"] }],
    ["https://app.example.org:8443", { allowedOrigins: ["https://app.example.org"] }],
    ["https://app.example.org.evil.example", { allowedOrigins: ["https://app.example.org"] }],
  ])("refuses pages of %j and names --allowed-origin", (origin, options) => {
    expect(guard(options).refusal({ host: "localhost", origin })).toContain("--allowed-origin");
  });
});

describe("mayRead", () => {
  test("holds for origins that were allowed by name alone", () => {
    const { mayRead } = guard({ allowedOrigins: ["https://app.example.org"] });
    expect(mayRead("https://app.example.org")).toBe(true);
    expect(mayRead("http://localhost:3000")).toBe(false);
    expect(mayRead(undefined)).toBe(false);
  });
});

describe("isPrivate", () => {
  const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
    ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

  test.each(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])("holds for %s", (address) => {
    expect(guard().isPrivate(from(address))).toBe(true);
  });

  test.each(["10.0.0.7", "::ffff:10.0.0.7", "fe80::1", "::127.0.0.1", undefined])(
    "does not hold for %s",
    (address) => {
      expect(guard().isPrivate(from(address))).toBe(false);
    },
  );

  test.each(["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"])(
    "does not hold for what a proxy nobody told of passes on with %s",
    (header) => {
      expect(guard().isPrivate(from("127.0.0.1", { [header]: "https" }))).toBe(false);
    },
  );

  test.each([
    ["https", true],
    ["HTTPS", true],
    ["https, https", true],
    ["http", false],
    ["https, http", false],
    ["", false],
  ])("behind a trusted proxy, X-Forwarded-Proto %j gives %s", (said, wanted) => {
    const trusting = guard({ trustProxy: true });
    expect(trusting.isPrivate(from("10.0.0.7", { "x-forwarded-proto": said }))).toBe(wanted);
  });

  test("behind a trusted proxy, this machine is no exception", () => {
    expect(guard({ trustProxy: true }).isPrivate(from("127.0.0.1"))).toBe(false);
  });
});
