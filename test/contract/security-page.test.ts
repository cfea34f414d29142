import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "SECURITY.md"), "utf8");

/** Files that the page names, each with the test that it names, if it does. */
const named = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .flatMap((line) =>
    [...line.matchAll(/`(test\/[^`]+\.test\.ts)`(?:: ([^|]+?))?(?=,? `test\/| \|)/g)].map(
      ([, file = "", name]) => ({ file, name: name?.trim() }),
    ),
  );

describe("SECURITY.md", () => {
  test("names at least 20 tests that hold its lines", () => {
    expect(named.length).toBeGreaterThanOrEqual(20);
  });

  test.each(named)("$file $name", ({ file, name }) => {
    expect(existsSync(join(ROOT, file))).toBe(true);
    if (name !== undefined) {
      expect(readFileSync(join(ROOT, file), "utf8")).toContain(`"${name}"`);
    }
  });

  test("has no line without a test, a command or a reason", () => {
    const [, lines = ""] = page.split("## Lines, and the tests that hold them");
    const rows = lines
      .split("## What is not defended")[0]
      ?.split("\n")
      .filter((line) => /^\| (?!line|---)/.test(line));
    expect(rows?.filter((row) => !/`(test\/|npm run )/.test(row))).toEqual([]);
  });
});
