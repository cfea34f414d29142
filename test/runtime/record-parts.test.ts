import { describe, expect, test } from "vitest";
import type { Json, JsonObject, ResultPlan } from "../../src/contract.ts";
import { writePart } from "../../src/result/part.ts";
import { call, failure, far, result, useAnswers } from "../helpers/answers-under-test.ts";
import { fault } from "../helpers/fault-server.ts";

useAnswers();

const NAMES = { path: "path", offset: "offset" };
const record: ResultPlan = { kind: "record", partArguments: NAMES };

interface Cut {
  path: string;
  shown: number;
  of: number;
}

const part = (value: Json, path: string, offset: number, budget: number): JsonObject =>
  writePart(value, { path, offset, names: NAMES, notes: [] }, budget);

/** What a reader has who follows every note: the value at a place, whole. */
function readAll(source: Json, budget: number): { value: Json; calls: number } {
  let calls = 0;
  const ask = (path: string, offset: number): JsonObject => {
    calls += 1;
    const answer = part(source, path, offset, budget);
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(budget);
    return answer;
  };

  /** Puts the rest of everything that `cuts` lists, all below `at`, into `value`. */
  const mend = (value: Json, at: string, cuts: readonly Cut[]): Json => {
    let mended = value;
    for (const cut of cuts) {
      const rest = readFrom(cut.path, cut.shown);
      mended = put(mended, cut.path.slice(at.length), (short) => joined(short, rest));
    }
    return mended;
  };

  const readFrom = (path: string, offset: number): Json => {
    let whole: Json | undefined;
    for (let next: number | undefined = offset; next !== undefined; ) {
      const answer = ask(path, next);
      const value = answer.value as Json;
      const cuts = (answer._cut ?? []) as unknown as Cut[];
      // Places inside are told from the answer's root: a list's first entry here is entry `offset` there.
      const start = next;
      const placed = Array.isArray(value)
        ? value.map((entry, index) =>
            mend(
              entry,
              `${path}/${start + index}`,
              cuts.filter((cut) => isWithin(cut.path, `${path}/${start + index}`)),
            ),
          )
        : mend(value, path, cuts);
      whole = whole === undefined ? placed : joined(whole, placed);
      next = answer.next_offset as number | undefined;
    }
    return whole as Json;
  };

  const root = ask("", 0);
  const { _cut: cuts = [], _note: _, ...members } = root;
  return { value: mend(members, "", cuts as unknown as Cut[]), calls };
}

const isWithin = (path: string, above: string) => path === above || path.startsWith(`${above}/`);

function joined(start: Json, rest: Json): Json {
  if (typeof start === "string") {
    return start + rest;
  }
  return Array.isArray(start)
    ? [...start, ...(rest as Json[])]
    : { ...(start as JsonObject), ...(rest as JsonObject) };
}

function put(value: Json, pointer: string, change: (inner: Json) => Json): Json {
  if (pointer === "") {
    return change(value);
  }
  const [, token = "", rest = ""] = /^\/([^/]*)(.*)$/s.exec(pointer) ?? [];
  const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
  if (Array.isArray(value)) {
    return value.map((entry, index) => (String(index) === name ? put(entry, rest, change) : entry));
  }
  const object = value as JsonObject;
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [
      key,
      key === name ? put(member, rest, change) : member,
    ]),
  );
}

/** A made-up value; the same seed gives the same one. */
function madeUp(seed: number): JsonObject {
  let state = seed * 2654435761 + 1;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const texts = ["", "a", 'quote " and \\', "line\nbreak\ttab", "ä€", "😀😀", "~1/~0"];
  const text = (): string =>
    (texts[draw(texts.length)] ?? "").repeat(1 + draw(draw(3) === 0 ? 900 : 3));
  const value = (depth: number): Json => {
    switch (draw(depth > 3 ? 4 : 7)) {
      case 0:
        return null;
      case 1:
        return draw(1000) / 8;
      case 2:
        return draw(2) === 0;
      case 3:
        return text();
      case 4:
        return Array.from({ length: draw(60) }, () => draw(10_000));
      case 5:
        return Array.from({ length: draw(12) }, () => value(depth + 1));
      default:
        return Object.fromEntries(
          Array.from({ length: draw(9) }, (_, index) => [
            `${["k", "a/b", "~", "__proto__", "1", ""][draw(6)]}${index}`,
            value(depth + 1),
          ]),
        );
    }
  };
  return Object.fromEntries(
    Array.from({ length: 1 + draw(12) }, (_, index) => [`m${index}`, value(0)]),
  );
}

describe("writePart", () => {
  for (const budget of [1000, 1500, 5000]) {
    test(`lets whoever follows the notes put 120 made-up records together again, in ${budget} bytes`, () => {
      let cutOnes = 0;
      for (let seed = 1; seed <= 120; seed += 1) {
        const source = madeUp(seed);
        const { value, calls } = readAll(source, budget);
        expect(value).toEqual(source);
        cutOnes += calls > 1 ? 1 : 0;
      }
      expect(cutOnes).toBeGreaterThan(20);
    });
  }

  test("gives an object that fits as it is", () => {
    const source = { a: 1, _note: "own" };
    expect(part(source, "", 0, 1000)).toEqual(source);
  });

  test("shortens long lists and texts and leaves short members whole", () => {
    const source = {
      id: "c-17",
      points: Array.from({ length: 20_000 }, (_, index) => index),
      log: "y".repeat(50_000),
      rating: { capacity: 5 },
    };
    const answer = part(source, "", 0, 4000);
    expect(answer).toMatchObject({ id: "c-17", rating: { capacity: 5 } });
    expect((answer.points as unknown[]).length).toBeGreaterThan(20);
    expect(answer._cut).toEqual([
      { path: "/points", shown: (answer.points as unknown[]).length, of: 20_000 },
      { path: "/log", shown: (answer.log as string).length, of: 50_000 },
    ]);
    expect(answer._note).toContain('path="/points"');
    expect(JSON.stringify(answer).length).toBeGreaterThan(2000);
  });

  test.each([
    ["/nothing", "has no member", "Did you mean"],
    ["/notes/7", "has no entry", "0 to 1"],
    ["/notes/length", "has no entry", "0 to 1"],
    ["/notes/00", "has no entry", "0 to 1"],
    ["/id/x", "single value", undefined],
    ["id", 'start with "/"', "JSON pointer"],
    ["/__proto__", "has no member", "Members: id, notes, nothin"],
  ])("says of path %s what is there instead", (path, message, hint) => {
    const source = { id: "c", notes: ["a", "b"], nothin: 1 };
    const error = (() => {
      try {
        return part(source, path, 0, 1000);
      } catch (thrown) {
        return thrown as { code: string; message: string; hint?: string };
      }
    })() as { code: string; message: string; hint?: string };
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain(message);
    if (hint !== undefined) {
      expect(error.hint).toContain(hint);
    }
  });

  test("never tears a character apart", () => {
    const source = { t: "😀".repeat(2000) };
    for (const offset of [0, 1, 2, 3]) {
      const answer = part(source, "/t", offset, 1001 + offset);
      expect((answer.value as string).isWellFormed()).toBe(true);
    }
  });
});

describe("callTool, parts of records", () => {
  const body = { id: 7, list: Array.from({ length: 9000 }, (_, n) => ({ n })), s: "t" };

  test("cuts a record over the budget and reads the named part", async () => {
    far.routes = { "/data": fault.json(body) };
    const whole = await result(call(record));
    expect(JSON.stringify(whole).length).toBeLessThanOrEqual(40_960);
    const [cut] = whole._cut as unknown as Cut[];
    expect(cut).toMatchObject({ path: "/list", of: 9000 });
    const rest = await result(call(record, { path: "/list", offset: cut?.shown }));
    expect((rest.value as unknown[])[0]).toEqual({ n: cut?.shown });
    expect(rest).toMatchObject({ path: "/list", of: 9000, offset: cut?.shown });
    expect(await result(call(record, { path: "/list/8999/n" }))).toEqual({
      path: "/list/8999/n",
      value: 8999,
    });
  });

  test("cuts a record of 20 MB to the budget", async () => {
    far.routes = { "/data": fault.json({ id: 1, t: "x".repeat(20 * 1024 * 1024) }) };
    const whole = await result(call(record));
    expect(JSON.stringify(whole).length).toBeLessThanOrEqual(40_960);
    expect(whole.id).toBe(1);
    const end = await result(call(record, { path: "/t", offset: 20 * 1024 * 1024 - 5 }));
    expect(end).toMatchObject({ value: "xxxxx" });
  });

  test("says of a 204 that there is no content", async () => {
    far.routes = { "/data": fault.empty(204) };
    expect(await result(call({ kind: "record" }))).toEqual({
      status: 204,
      note: "GET /data was answered with 204: done, and there is no content.",
    });
  });

  test("says that a path is wrong", async () => {
    far.routes = { "/data": fault.json(body) };
    expect((await failure(call(record, { path: "/lisst" }))).hint).toContain('Did you mean "list"');
  });
});

describe("callTool, answers that depart from their description", () => {
  const declared = {
    types: { id: ["string"], mass: ["number"], tags: ["array", "null"] },
    required: ["id", "mass"],
  } as const;

  test("delivers a record with a note", async () => {
    far.routes = { "/data": fault.json({ id: 7, tags: null, other: {} }) };
    expect(await result(call({ kind: "record", declared }))).toEqual({
      id: 7,
      tags: null,
      other: {},
      _note:
        "The answer departs from the service's own description: mass is missing; id is integer, not string.",
    });
  });

  test("delivers one that keeps to it without", async () => {
    far.routes = { "/data": fault.json({ id: "7", mass: 3, tags: [] }) };
    expect(await result(call({ kind: "record", declared }))).toEqual({
      id: "7",
      mass: 3,
      tags: [],
    });
  });

  test("delivers items with a note that counts them", async () => {
    const items = Array.from({ length: 8 }, (_, n) => ({ id: String(n), mass: n < 3 ? 1 : null }));
    far.routes = { "/data": fault.json({ items }) };
    const plan: ResultPlan = {
      kind: "page",
      items: "/items",
      pagination: { scheme: "none" },
      defaultLimit: 50,
      maximumLimit: 100,
      declared,
    };
    const got = await result(call(plan));
    expect(got.items).toEqual(items);
    expect(got.note).toBe(
      "The answer departs from the service's own description: mass is null, not number in 5 items from 3 on.",
    );
  });
});
