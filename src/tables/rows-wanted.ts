/** Which rows of a row group are asked for. */

/** Rows of a group: a stretch, and where not all of it is wanted, which rows (ascending, from the group's first). */
export interface RowsWanted {
  readonly from: number;
  readonly to: number;
  readonly rows?: Uint32Array;
}

/** Place of the first of the ascending `rows` that is not below `row`. */
export function firstAtLeast(rows: Uint32Array, row: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as number) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Whether any wanted row lies from `first` to `end` (exclusive). */
export function overlaps({ from, to, rows }: RowsWanted, first: number, end: number): boolean {
  if (first >= to || end <= from) {
    return false;
  }
  return rows === undefined || (rows[firstAtLeast(rows, first)] ?? end) < end;
}
