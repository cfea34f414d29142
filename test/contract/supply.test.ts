import { describe, expect, test } from "vitest";
import { lockedPackages, shippedPackages } from "../../scripts/shipped.ts";

/** Licences that let the programs be passed on with their packages inside. */
const LICENCES = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT AND BSD-3-Clause",
];

const locked = lockedPackages();
const shipped = await shippedPackages();
const shippedWith = (
  holds: (entry: NonNullable<ReturnType<typeof locked.get>>) => boolean,
): string[] =>
  shipped.filter((place) => {
    const entry = locked.get(place);
    return entry === undefined || holds(entry);
  });

describe("what ships", () => {
  test("is in the lock file, package by package, with the bundled ones among them", () => {
    expect(shipped.filter((place) => !locked.has(place))).toEqual([]);
    expect(shipped).toEqual(
      expect.arrayContaining([
        "node_modules/@modelcontextprotocol/server",
        "node_modules/hyparquet",
        "node_modules/zod",
      ]),
    );
  });

  test("has no package for one operating system or processor", () => {
    expect(shippedWith(({ os, cpu }) => os !== undefined || cpu !== undefined)).toEqual([]);
  });

  test("has no package with an install script", () => {
    expect(shippedWith(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
  });

  test("has licences under which it may be passed on", () => {
    expect(shippedWith(({ license = "none" }) => !LICENCES.includes(license))).toEqual([]);
  });

  test("has install scripts among the tools of development alone, and those are known", () => {
    const scripted = [...locked].flatMap(([place, { hasInstallScript, dev }]) =>
      hasInstallScript === true ? [`${place}${dev === true ? "" : " ships"}`] : [],
    );
    // They fetch or check a program for the machine; `npm ci --ignore-scripts` does without.
    expect(scripted.filter((place) => !/\/(esbuild|fsevents)$/.test(place))).toEqual([]);
  });
});
