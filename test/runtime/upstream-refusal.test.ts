import { describe, expect, test } from "vitest";
import { Secret } from "../../src/secret.ts";
import { type Refusal, refusalError, retryAfterMs } from "../../src/upstream/refusal.ts";
import { setbackOf } from "../../src/upstream/setback.ts";
import { quotable } from "../../src/upstream/upstream-text.ts";
import { operation, parameter } from "../helpers/upstream-under-test.ts";

const list = operation("/cells/{spec_id}", [
  parameter("spec_id", "path", { argument: "cell_spec_id" }),
  parameter("limit", "query"),
]);

function refused(status: number, body: unknown, more: Partial<Refusal> = {}) {
  return refusalError({
    what: "GET /cells/s-1",
    status,
    mediaType: "application/json",
    text: typeof body === "string" ? body : JSON.stringify(body),
    waitMs: undefined,
    from: "api",
    credentialVariable: "TEST_API_KEY",
    secrets: [new Secret("key-1234")],
    operation: list,
    args: { cell_spec_id: "not-a-uuid", limit: 5 },
    ...more,
  });
}

describe("refusalError", () => {
  test.each([
    [304, "NOT_ALLOWED"],
    [400, "UPSTREAM_REFUSED"],
    [401, "CREDENTIAL_REFUSED"],
    [403, "NOT_ALLOWED"],
    [404, "NOT_FOUND"],
    [405, "UPSTREAM_REFUSED"],
    [406, "UPSTREAM_REFUSED"],
    [408, "UPSTREAM_UNAVAILABLE"],
    [409, "UPSTREAM_REFUSED"],
    [410, "UPSTREAM_REFUSED"],
    [413, "UPSTREAM_REFUSED"],
    [415, "UPSTREAM_REFUSED"],
    [422, "UPSTREAM_REFUSED"],
    [429, "RATE_LIMITED"],
    [500, "UPSTREAM_UNAVAILABLE"],
    [501, "UPSTREAM_UNAVAILABLE"],
    [503, "UPSTREAM_UNAVAILABLE"],
  ])("makes %i of the API %s", (status, code) => {
    expect(refused(status, "")).toMatchObject({
      code,
      message: `GET /cells/s-1 was answered with ${status}`,
      hint: expect.stringMatching(/^[A-Z].*[^.]$/),
    });
  });

  test.each([[401], [403]])("does not blame a credential for %i of a store", (status) => {
    expect(refused(status, "", { from: "store" }).code).toBe("UPSTREAM_REFUSED");
  });

  test("names the variable of a refused credential", () => {
    expect(refused(401, "").hint).toContain("TEST_API_KEY");
  });

  test("says CREDENTIAL_MISSING for 401 where none was sent", () => {
    expect(refused(401, "", { credentialVariable: undefined }).code).toBe("CREDENTIAL_MISSING");
  });

  test.each([
    [
      "standardized",
      { error_code: "NOT_FOUND", message: "No such cell", detail: null },
      "NOT_FOUND: No such cell",
    ],
    ["a detail text", { detail: "Not Found" }, "Not Found"],
    ["a detail object", { detail: { error_code: "CONFLICT", message: "busy" } }, "CONFLICT: busy"],
    [
      "problem+json",
      { title: "Gone", detail: "Deleted in May", status: 404 },
      "Gone: Deleted in May",
    ],
    ["error text", { error: "bad thing" }, "bad thing"],
    ["an error object", { error: { code: "E1", message: "bad thing" } }, "E1: bad thing"],
    ["OAuth", { error: "invalid_token", error_description: "too old" }, "too old"],
    ["a list of errors", { errors: [{ message: "first" }, "second"] }, "first; second"],
    ["a bare list", [{ message: "first" }], "first"],
    ["a JSON text", JSON.stringify("just text"), "just text"],
    ["broken JSON", '{"detail": "cut o', '{"detail": "cut o'],
  ])("quotes %s", (_, body, quote) => {
    expect(refused(404, body).message).toBe(
      `GET /cells/s-1 was answered with 404; the upstream says: "${quote}"`,
    );
  });

  test.each([
    ["null", null],
    ["nothing known", { status: 404 }],
    ["nothing", ""],
  ])("quotes nothing of %s", (_, body) => {
    expect(refused(404, body).message).toBe(
      `GET /cells/s-1 was answered with 404${body === null ? '; the upstream says: "null"' : ""}`,
    );
  });

  test("names the arguments that a FastAPI list complains of, in the tool's words", () => {
    const detail = [
      { loc: ["query", "limit"], msg: "Input should be at most 1000", type: "less_than_equal" },
      { loc: ["path", "spec_id"], msg: "Input should be a valid UUID", type: "uuid" },
    ];
    expect(refused(422, { detail })).toMatchObject({
      code: "INVALID_ARGUMENT",
      message:
        'GET /cells/s-1 was answered with 422; the upstream says: "limit: Input should be at most 1000; cell_spec_id: Input should be a valid UUID"',
      hint: "Correct limit and call again",
    });
  });

  test.each([
    [{ errors: [{ field: "limit", message: "too big" }] }],
    [{ title: "Bad", "invalid-params": [{ name: "limit", reason: "too big" }] }],
    [{ errors: [{ pointer: "#/limit", detail: "too big" }] }],
  ])("finds the argument in %j", (body) => {
    expect(refused(400, body)).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining('"limit: too big"'),
    });
  });

  test("finds the argument whose value a database quotes", () => {
    const message = 'invalid input syntax for type uuid: "not-a-uuid"';
    expect(refused(400, { error_code: "BAD_REQUEST", message })).toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: "Correct cell_spec_id and call again",
    });
  });

  test("does not take a complaint about something else for an argument's", () => {
    const detail = [{ loc: ["header", "x-version"], msg: "Field required" }];
    expect(refused(422, { detail })).toMatchObject({
      code: "UPSTREAM_REFUSED",
      message: expect.stringContaining('"x-version: Field required"'),
    });
  });

  test("reduces an HTML page to its title", () => {
    const page = "<!DOCTYPE html><html><title>\n502 Bad\n Gateway</title><body>nginx/1.2</body>";
    for (const mediaType of ["text/html", ""]) {
      expect(refused(502, page, { mediaType }).message).toBe(
        'GET /cells/s-1 was answered with 502; the upstream says: "an HTML page titled "502 Bad Gateway""',
      );
    }
  });
});

describe("quotable", () => {
  const secrets = [new Secret("key-1234")];
  test.each([
    ["cuts to 500 characters", "x".repeat(900), `${"x".repeat(499)}…`],
    ["keeps no secret", "your key key-1234 is bad", "your key **** is bad"],
    [
      "keeps no query of a link",
      "see https://s.co/f.parquet?token=abc&x=1 or 'http://a/b?c'",
      "see https://s.co/f.parquet?… or 'http://a/b?…'",
    ],
    [
      "keeps no Python trace",
      'boom\nTraceback (most recent call last):\n  File "/srv/app.py", line 3\nKeyError',
      "boom",
    ],
    ["keeps no JavaScript trace", "boom\n    at run (/srv/app.js:3:4)\n    at x", "boom"],
    ["keeps no control characters", "a\u001b[31mb\u200bc\r\n\td", "a[31mbc d"],
  ])("%s", (_, text, wanted) => {
    expect(quotable(text, secrets)).toBe(wanted);
  });
});

describe("retryAfterMs", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  test.each([
    [undefined, undefined],
    ["0", 0],
    ["120", 120_000],
    ["Thu, 01 Jan 2026 00:00:05 GMT", 5000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["tomorrow", undefined],
    ["-5x", undefined],
  ])("reads %j as %j ms", (value, wanted) => {
    expect(retryAfterMs(value, now)).toBe(wanted);
  });
});

describe("setbackOf", () => {
  test.each([
    ["ECONNREFUSED", "UPSTREAM_UNAVAILABLE", "later"],
    ["ECONNRESET", "UPSTREAM_UNAVAILABLE", "later"],
    ["EAI_AGAIN", "UPSTREAM_UNAVAILABLE", "later"],
    ["ENOTFOUND", "UPSTREAM_UNAVAILABLE", "never"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "UPSTREAM_UNAVAILABLE", "never"],
    ["CERT_HAS_EXPIRED", "UPSTREAM_UNAVAILABLE", "never"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "UPSTREAM_UNAVAILABLE", "never"],
    ["HPE_INVALID_CONSTANT", "UNREADABLE_ANSWER", "never"],
    ["Z_BUF_ERROR", "UPSTREAM_UNAVAILABLE", "later"],
    ["Z_DATA_ERROR", "UNREADABLE_ANSWER", "never"],
  ])("makes %s %s, again %s", (code, wanted, again) => {
    const setback = setbackOf(Object.assign(new Error("x"), { code }), "GET /x", "a.org", false);
    expect([setback?.failure.code, setback?.again]).toEqual([wanted, again]);
  });

  test("asks again at once after a drop of a connection that was kept", () => {
    const error = Object.assign(new Error("x"), { code: "ECONNRESET" });
    expect(setbackOf(error, "GET /x", "a.org", true)?.again).toBe("now");
  });

  test.each([[new TypeError("bug")], [Object.assign(new Error("x"), { code: "ENOSPC" })], [null]])(
    "leaves %s to others",
    (error) => {
      expect(setbackOf(error, "GET /x", "a.org", false)).toBeUndefined();
    },
  );
});
