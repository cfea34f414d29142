/** Some rows of Arrow data as data of their own. */
import { type Data, makeData } from "apache-arrow";
import { bytesAt, isValid } from "./cells.ts";
import { packBits } from "./column-builder.ts";
import type { ColumnType } from "./column-type.ts";
import { type Part, rowsOf } from "./table.ts";

function validityOf(data: Data, rows: Uint32Array): { nullCount: number; nullBitmap?: Uint8Array } {
  if (data.nullCount === 0) {
    return { nullCount: 0 };
  }
  const valid = Uint8Array.from(rows, (row) => (isValid(data, row) ? 1 : 0));
  return {
    nullCount: valid.reduce((nulls, bit) => nulls + 1 - bit, 0),
    nullBitmap: packBits(valid),
  };
}

function buffersOf({ kind }: ColumnType, data: Data, rows: Uint32Array): object {
  if (kind === "text" || kind === "binary") {
    const values = Array.from(rows, (row) => bytesAt(data, row));
    const valueOffsets = new Int32Array(rows.length + 1);
    let end = 0;
    for (const [index, value] of values.entries()) {
      end += value.length;
      valueOffsets[index + 1] = end;
    }
    return { valueOffsets, data: new Uint8Array(Buffer.concat(values, end)) };
  }
  if (kind === "bool") {
    const bits = data.values as Uint8Array;
    return {
      data: packBits(Array.from(rows, (row) => ((bits[row >> 3] as number) >> (row & 7)) & 1)),
    };
  }
  const values = data.values as Float64Array;
  const taken = new (values.constructor as Float64ArrayConstructor)(rows.length);
  for (const [index, row] of rows.entries()) {
    taken[index] = values[row] as number;
  }
  return { data: taken };
}

/** The rows of `part` out of data that starts at its group's first row. */
export function takeRows(type: ColumnType, data: Data, part: Part): Data {
  if (part.rows === undefined && part.from === 0 && part.to === data.length) {
    return data;
  }
  const length = rowsOf(part);
  const rows = part.rows ?? Uint32Array.from({ length }, (_, index) => part.from + index);
  const buffers = type.kind === "null" ? {} : buffersOf(type, data, rows);
  return makeData({ type: type.arrow, length, ...validityOf(data, rows), ...buffers } as never);
}
