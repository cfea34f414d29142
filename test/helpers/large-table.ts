/** A Parquet file of more than a megabyte, so that windows of it travel as byte ranges. */
import { parquetWriteBuffer } from "hyparquet-writer";

export const LARGE_ROWS = 200_000;

/** Value of row `i`; the whole column moves with the version. */
export const largeValue = (i: number, version = 0): number => Math.sin(i / 50) + version * 10;

/** Columns `t` (row / 2) and `v`. */
export function largeTable(version = 0): Uint8Array {
  const rows = Array.from({ length: LARGE_ROWS }, (_, index) => index);
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: "t", data: rows.map((row) => row / 2), type: "DOUBLE" },
        { name: "v", data: rows.map((row) => largeValue(row, version)), type: "DOUBLE" },
      ],
      rowGroupSize: 20_000,
    }),
  );
}
