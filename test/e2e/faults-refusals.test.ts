/** Every way in which the API words a refusal, and answers that break off. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fault } from "../helpers/fault-server.ts";
import { argsOf, expectRefusal, FaultyServer, ID, KINDS } from "../helpers/faulty-server.ts";

let under: FaultyServer;
beforeAll(async () => {
  under = await FaultyServer.start();
});
afterAll(() => under.stop());

const JSON_TYPE = { "content-type": "application/json" };
const text = JSON.stringify;

/** Bodies of `ionworks/api.md`, and those that a proxy or a bug makes. What the body says is in the answer. */
const SHAPES: [string, string, Record<string, string>, string][] = [
  [
    "standardized",
    text({ error_code: "X", message: "the reason", detail: { a: 1 } }),
    JSON_TYPE,
    "the reason",
  ],
  ["a legacy text", text({ detail: "the reason" }), JSON_TYPE, "the reason"],
  ["a legacy object", text({ detail: { message: "the reason" } }), JSON_TYPE, "the reason"],
  [
    "FastAPI's list",
    text({ detail: [{ loc: ["query", "z"], msg: "the reason", type: "x", input: 1 }] }),
    JSON_TYPE,
    "the reason",
  ],
  ["plain text", "the reason", { "content-type": "text/plain" }, "the reason"],
  ["HTML", "<html><title>the reason</title></html>", { "content-type": "text/html" }, "the reason"],
  ["a list", text(["the reason"]), JSON_TYPE, ""],
  ["null", "null", JSON_TYPE, ""],
  ["nothing", "", JSON_TYPE, ""],
  ["half of it", '{"detail": "the rea', JSON_TYPE, ""],
];

const STATUSES: [number, string][] = [
  [401, "CREDENTIAL_REFUSED"],
  [403, "NOT_ALLOWED"],
  [404, "NOT_FOUND"],
  [409, "UPSTREAM_REFUSED"],
  [422, "UPSTREAM_REFUSED|INVALID_ARGUMENT"],
];

describe.each(STATUSES)("%i", (status, codes) => {
  test.each(SHAPES)("in %s, for 4 result kinds", async (_, body, headers, says) => {
    for (const { kind, tool, path } of KINDS) {
      under.api.routes = { [path]: fault.answer(status, headers, body) };
      const outcome = await under.call(tool, argsOf(kind));
      expectRefusal(outcome, codes);
      expect(outcome.value.error.message).toContain(says);
    }
  });
});

describe.each(KINDS.filter(({ body }) => body !== undefined))(
  "$kind",
  ({ kind, tool, path, body }) => {
    const whole = text(body);
    test("that breaks off once is asked for again", async () => {
      under.api.routes = { [path]: [fault.truncated(whole), fault.json(body)] };
      expect((await under.call(tool, argsOf(kind))).isError).toBeUndefined();
    });

    test("whose JSON is cut short is UNREADABLE_ANSWER wherever it is cut, in 8 places", async () => {
      for (let part = 1; part <= 8; part++) {
        // A table is kept for a while, so each cut has its own.
        const id = ID.replace(/^1/, String(part + 1));
        const cut = whole.slice(0, Math.floor((whole.length * part) / 9));
        under.api.routes = { [path.replace(ID, id)]: fault.answer(200, JSON_TYPE, cut) };
        const args = kind === "page" ? {} : { measurement_id: id };
        expectRefusal(await under.call(tool, args), "UNREADABLE_ANSWER");
      }
    });
  },
);
