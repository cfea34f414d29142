/** Text as an Arrow column. */
import { type Data, makeData, Utf8 } from "apache-arrow";

export function textData(values: readonly (string | null)[]): Data {
  const encoded = values.map((value) => Buffer.from(value ?? "", "utf8"));
  const valueOffsets = new Int32Array(values.length + 1);
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  let end = 0;
  let nullCount = 0;
  for (const [row, value] of values.entries()) {
    end += encoded[row]?.length ?? 0;
    valueOffsets[row + 1] = end;
    if (value === null) {
      nullCount += 1;
    } else {
      nullBitmap[row >> 3] = (nullBitmap[row >> 3] as number) | (1 << (row & 7));
    }
  }
  const data = new Uint8Array(Buffer.concat(encoded, end));
  return makeData({
    type: new Utf8(),
    length: values.length,
    nullCount,
    nullBitmap,
    valueOffsets,
    data,
  });
}
