/** Bounds of generated tests: few runs in the normal suite, many in `npm run test:long`. */
import type { Parameters } from "fast-check";

const LONG = process.env.VITRINE_LONG !== undefined;

/** Longest that one generated case may take [ms]. */
const CASE_MS = 5_000;

/** @param runs of the normal suite; the long one has 40 times as many, and both stop in time */
export function bounds(runs: number): Parameters<unknown> {
  return {
    numRuns: LONG ? runs * 40 : runs,
    timeout: CASE_MS,
    interruptAfterTimeLimit: LONG ? 240_000 : 15_000,
    ...(LONG ? {} : { seed: 20_261_201 }),
  };
}
