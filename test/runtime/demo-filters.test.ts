import { describe, expect, test } from "vitest";
import { byText, byTime, filterOf, like, parseTime } from "../../demo/filters.ts";
import { readRange } from "../../demo/ranges.ts";
import { Real, RealColumn, wireText } from "../../demo/wire.ts";

describe("like", () => {
  test.each([
    ["NMC622", "NMC622", true],
    ["NMC622", "nmc622", false],
    ["NMC622", "NMC%", true],
    ["NMC622", "%62%", true],
    ["NMC622", "%623", false],
    ["NMC622", "NMC6_2", true],
    ["NMC622", "NMC_2", false],
    ["NMC622", "", false],
    ["", "%", true],
    ["", "", true],
    ["50%", "50\\%", true],
    ["50 A", "50\\%", false],
    ["a_b", "a\\_b", true],
    ["axb", "a\\_b", false],
    ["a\\b", "a\\\\b", true],
    ["a.b", "a.b", true],
    ["axb", "a.b", false],
    ["line\nbreak", "line%break", true],
    ["🔋 cell", "_ cell", true],
    ["aaab", "%a%ab", true],
  ])("%j like %j is %s", (text, pattern, expected) => {
    expect(like(text, pattern)).toBe(expected);
  });

  test("takes no time on a pattern of 200 wildcards that almost fits", () => {
    expect(like("a".repeat(2000), `${"%a".repeat(200)}b`)).toBe(false);
  });

  test("refuses a pattern that ends with a lone backslash in the database's words", () => {
    expect(() => like("x", "x\\")).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe("filterOf", () => {
  test.each([
    ["LFP", "LFP", true],
    ["LFP", "lfp", false],
    ["eq.LFP", "LFP", true],
    ["neq.LFP", "LFP", false],
    ["ilike.%fp", "LFP", true],
    ["like.%fp", "LFP", false],
    ["in.(NCA,LFP)", "LFP", true],
    ['in.("a,b",c)', "a,b", true],
    ["in.(NCA)", "LFP", false],
    ["gte.LCO", "LFP", true],
    ["lt.LCO", "LFP", false],
    ["constructor.x", "LFP", false],
    ["18650.x", "18650.x", true],
  ])("%j on %j gives %s", (filter, value, expected) => {
    expect(filterOf(filter, byText)(value)).toBe(expected);
  });

  test("passes no null", () => {
    expect(filterOf("ilike.%", byText)(null)).toBe(false);
    expect(filterOf("neq.x", byText)(null)).toBe(false);
  });

  test("compares times as moments, whatever their zone", () => {
    expect(filterOf("eq.2026-03-15T10:30:00+01:00", byTime)("2026-03-15T09:30:00Z")).toBe(true);
    expect(filterOf("gte.2026-03-15", byTime)("2026-03-15T00:00:00Z")).toBe(true);
    expect(() => filterOf("gte.soon", byTime)("2026-03-15T00:00:00Z")).toThrow();
  });

  test("reads a time without a zone as UTC", () => {
    expect(parseTime("2026-03-15T09:30:00")).toBe(Date.UTC(2026, 2, 15, 9, 30));
  });
});

describe("readRange", () => {
  test.each([
    ["bytes=0-3", { start: 0, end: 4 }],
    ["bytes=4-", { start: 4, end: 10 }],
    ["bytes=4-99", { start: 4, end: 10 }],
    ["bytes=-4", { start: 6, end: 10 }],
    ["bytes=-99", { start: 0, end: 10 }],
    ["bytes=9-9", { start: 9, end: 10 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-4", undefined],
    ["bytes=0-1,4-5", undefined],
    ["bytes=-", undefined],
    ["rows=0-3", undefined],
    [undefined, undefined],
  ])("%s of 10 bytes", (header, expected) => {
    expect(readRange(header, 10)).toEqual(expected);
  });
});

describe("wireText", () => {
  test("writes real numbers with a point and integers without", () => {
    expect(wireText({ a: new Real(5), b: 5, c: new Real(0.1), d: new Real(1e21) })).toBe(
      '{"a":5.0,"b":5,"c":0.1,"d":1e+21}',
    );
  });

  test("writes NaN and infinities as null and keeps the sign of zero", () => {
    const values = [0, -0, Number.NaN, Number.POSITIVE_INFINITY, null, 1e-7];
    expect(wireText(new RealColumn(values))).toBe("[0.0,-0.0,null,null,null,1e-7]");
  });
});
