import { parquetMetadata } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { cutFooter } from "../../src/tables/cut-footer.ts";
import { FIXTURES, fixture } from "../helpers/fixture-table.ts";

/** Footer of a file without the eight bytes behind it. */
function footerOf(file: Uint8Array): Uint8Array {
  const length = new DataView(file.buffer, file.byteOffset).getUint32(file.length - 8, true);
  return file.subarray(file.length - 8 - length, file.length - 8);
}

const wide = new Uint8Array(
  parquetWriteBuffer({
    columnData: Array.from({ length: 40 }, (_, index) => ({
      name: `column ${index}`,
      data: Array.from({ length: 90 }, (__, row) => (row % 5 === 0 ? null : row * index)),
      type: "DOUBLE" as const,
    })),
    rowGroupSize: 5,
    kvMetadata: [{ key: "note", value: "x".repeat(3000) }],
  }),
);

describe("cutFooter", () => {
  test.each([
    ...FIXTURES.map((name) => [name, fixture(name)] as const),
    ["40 columns in 18 row groups", wide] as const,
  ])("gives pieces of %s that parse like the whole", (_, file) => {
    const whole = parquetMetadata(file.buffer as ArrayBuffer);
    const cut = cutFooter(footerOf(file));
    const frame = parquetMetadata(cut.frame);
    expect(frame.schema).toEqual(whole.schema);
    expect(frame.num_rows).toBe(whole.num_rows);
    expect(frame.row_groups).toEqual([]);
    expect(cut.groups.map(({ rows }) => rows)).toEqual(
      whole.row_groups.map((group) => Number(group.num_rows)),
    );
    for (const [index, group] of whole.row_groups.entries()) {
      expect(cut.groups[index]?.columns).toBe(group.columns.length);
      expect(parquetMetadata(cut.only(index)).row_groups).toEqual([group]);
    }
  });

  test("refuses a footer that breaks off, wherever", () => {
    const footer = footerOf(fixture("polars-zstd"));
    for (let length = 0; length < footer.length; length += 1) {
      expect(() => cutFooter(footer.slice(0, length))).toThrow("damaged");
    }
  });

  test("refuses nesting without end and lists that are longer than the footer", () => {
    // Field 1, a list of one list of one list …
    expect(() => cutFooter(new Uint8Array(100_000).fill(0x19))).toThrow("nested too deep");
    // Field 4, 2^32 structs.
    const long = Uint8Array.of(0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0);
    expect(() => cutFooter(long)).toThrow("breaks off");
    // Field 1, a text of 2^62 bytes.
    const text = Uint8Array.of(0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0);
    expect(() => cutFooter(text)).toThrow("breaks off");
    expect(() => cutFooter(Uint8Array.of(0x18, ...Array(12).fill(0xff)))).toThrow("too long");
    expect(() => cutFooter(Uint8Array.of(0))).toThrow("no row groups");
  });
});
