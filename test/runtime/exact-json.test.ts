import { describe, expect, test } from "vitest";
import { atPointer, parseExactJson, toPlainJson } from "../../src/json.ts";

describe("parseExactJson", () => {
  test("keeps integers beyond 2^53 exact and gives all others as numbers", () => {
    expect(
      parseExactJson(
        '{"a":9007199254740993,"b":[-9223372036854775808,9007199254740991,1.5,1e400],"c":"9007199254740993"}',
      ),
    ).toEqual({
      a: 9007199254740993n,
      b: [-9223372036854775808n, 9007199254740991, 1.5, Number.POSITIVE_INFINITY],
      c: "9007199254740993",
    });
  });

  test("reads a long fraction as the nearest double, like JSON.parse", () => {
    expect(parseExactJson("[0.12345678901234567890, 4.938712345678901]")).toEqual([
      0.12345678901234568, 4.938712345678901,
    ]);
  });

  for (const text of ["", "{", "[1,2", '{"a":9007199254740993', "NaN", "[Infinity]", "<html>"]) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    });
  }

  test("treats __proto__ as a plain key on both ways", () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":9007199254740993}}']) {
      const value = parseExactJson(text) as Record<string, unknown>;
      expect(Object.keys(value)).toEqual(["__proto__"]);
      expect((value as { x?: unknown }).x).toBeUndefined();
      expect(Object.keys(toPlainJson(value as never) as object)).toEqual(["__proto__"]);
    }
  });
});

describe("atPointer", () => {
  const value = { a: [{ "b/c": { "d~e": 7 } }], "": 1 };

  test("follows keys, indices and escapes", () => {
    expect(atPointer(value, "/a/0/b~1c/d~0e")).toBe(7);
    expect(atPointer(value, "")).toBe(value);
    expect(atPointer(value, "/")).toBe(1);
  });

  test("finds nothing that is not the value's own", () => {
    expect(atPointer(value, "/a/length/x")).toBeUndefined();
    expect(atPointer(value, "/toString")).toBeUndefined();
    expect(atPointer(value, "/__proto__")).toBeUndefined();
    expect(atPointer(value, "/a/9")).toBeUndefined();
  });
});
