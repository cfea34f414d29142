/** Fewer points of a curve that is already small enough to hold. */
import type { Cell } from "../contract.ts";

/**
 * Row indices, ascending, at most `target`, that keep the first and last row and, per stretch of rows, the lowest and highest number
 * of each column. The lowest and highest number of each whole column are kept wherever `target` has room for them.
 * @param columns values by column, `(columns, rows)`
 */
export function thin(columns: readonly (readonly Cell[])[], target: number): number[] {
  const rows = columns[0]?.length ?? 0;
  if (rows <= target) {
    return Array.from({ length: rows }, (_, index) => index);
  }
  const curves = columns.filter((values) => values.some((value) => typeof value === "number"));
  const buckets = Math.max(1, Math.floor((target - 2) / Math.max(1, 2 * curves.length)));
  const keep = new Set<number>();
  for (const values of curves) {
    for (const index of extremes(values, 0, rows)) {
      keep.add(index);
    }
  }
  keep.add(0).add(rows - 1);
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const start = Math.floor((bucket * rows) / buckets);
    const end = Math.floor(((bucket + 1) * rows) / buckets);
    for (const values of curves) {
      for (const index of extremes(values, start, end)) {
        if (keep.size < target) {
          keep.add(index);
        }
      }
    }
  }
  return [...keep].sort((a, b) => a - b).slice(0, target);
}

/** Indices of the lowest and highest number in `[start, end)`; none where there is no number. */
function extremes(values: readonly Cell[], start: number, end: number): number[] {
  let low = -1;
  let high = -1;
  for (let index = start; index < end; index += 1) {
    const value = values[index];
    if (typeof value === "number") {
      if (low < 0 || value < (values[low] as number)) {
        low = index;
      }
      if (high < 0 || value > (values[high] as number)) {
        high = index;
      }
    }
  }
  return low < 0 ? [] : [low, high];
}
