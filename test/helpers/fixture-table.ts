/** The table of `fixtures/tables`, computed: what a reader has to give back. */
import { readFileSync } from "node:fs";
import type { Cell } from "../../src/contract.ts";

export const FIXTURE_ROWS = 3_000;

export const FIXTURES = [
  "polars-zstd",
  "plain-snappy",
  "v2-delta-gzip",
  "index-brotli",
  "dictionary-lz4",
] as const;

export function fixture(name: (typeof FIXTURES)[number]): Uint8Array {
  const url = new URL(`../fixtures/tables/${name}.parquet`, import.meta.url);
  return new Uint8Array(readFileSync(url));
}

/** Column `v` of row `i`: NaN and null both come as null. */
export function fixtureV(i: number): number | null {
  return i % 7 === 3 || i % 500 === 250 ? null : 3 + (i % 100) / 100;
}

const START_MS = Date.UTC(2024, 0, 1);

/** Row `i` as cells, in column order t, v, n, k, s, at. */
export function fixtureRow(i: number): Cell[] {
  const k = Math.floor(i / 300);
  const second = new Date(START_MS + 1000 * i).toISOString().slice(0, 19);
  return [
    i / 2,
    fixtureV(i),
    (2n ** 53n + BigInt(i)).toString(),
    k,
    i % 11 === 5 ? null : `step ${k}`,
    `${second}.000001Z`,
  ];
}
