/** Every file of apache/parquet-testing (read beside the repository, skipped where it is absent). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { TableWindow } from "../../src/contract.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { freshCall } from "../helpers/call-context.ts";
import { memorySource } from "../helpers/memory-source.ts";

const FOLDER = new URL("../../../shared/data/parquet-testing/", import.meta.url);
const present = existsSync(FOLDER);

const reader = createTableReader();
afterAll(() => reader.close());

const read = (path: string): Promise<TableWindow> => {
  const source = memorySource(new Uint8Array(readFileSync(new URL(path, FOLDER))));
  return reader.readParquet(
    () => Promise.resolve(source),
    { offset: 0, limit: 5_000 },
    freshCall(),
  );
};

/** File → rows, columns, and a few cells `[column, row, value]` that its description or pyarrow gives. */
const READABLE: Record<string, [number, number, ...[string, number, unknown][]]> = {
  alltypes_dictionary: [2, 11, ["bigint_col", 1, 10], ["timestamp_col", 1, "2009-01-01T00:01:00"]],
  alltypes_plain: [8, 11, ["id", 0, 4], ["double_col", 1, 10.1], ["float_col", 1, 1.1]],
  "alltypes_plain.snappy": [2, 11, ["id", 0, 6], ["timestamp_col", 1, "2009-04-01T00:01:00"]],
  alltypes_tiny_pages: [7_300, 13, ["id", 0, 122], ["month", 4_999, 2]],
  alltypes_tiny_pages_plain: [7_300, 13, ["id", 0, 122], ["float_col", 1, 3.3]],
  binary: [12, 1, ["foo", 2, "Ag=="]],
  byte_array_decimal: [24, 1, ["value", 0, "1.00"], ["value", 23, "24.00"]],
  "byte_stream_split.zstd": [300, 2, ["f32", 0, 1.7640524], ["f64", 299, -0.17858909208732915]],
  "byte_stream_split_extended.gzip": [200, 14],
  concatenated_gzip_members: [513, 1, ["long_col", 512, 513]],
  "datapage_v1-snappy-compressed-checksum": [5_120, 2],
  "datapage_v2.snappy": [5, 5, ["a", 0, "abc"], ["b", 4, 5], ["e", 0, "[1,2,3]"], ["e", 1, null]],
  "datapage_v2_empty_datapage.snappy": [1, 1, ["value", 0, null]],
  delta_binary_packed: [200, 66, ["bitwidth64", 1, "-9223372036854775808"]],
  delta_byte_array: [1_000, 9, ["c_customer_id", 0, "AAAAAAAAIODAAAAA"]],
  delta_encoding_optional_column: [100, 17, ["c_customer_sk", 0, 100]],
  delta_length_byte_array: [1_000, 1, ["FRUIT", 1, "apple_banana_mango1"]],
  "dict-page-offset-zero": [39, 1, ["l_partkey", 0, 1_552]],
  fixed_length_byte_array: [1_000, 1, ["flba_field", 0, "AAAD6A=="]],
  fixed_length_decimal: [24, 1, ["value", 0, "1.00"]],
  fixed_length_decimal_legacy: [24, 1, ["value", 23, "24.00"]],
  float16_nonzeros_and_nans: [8, 1, ["x", 1, 1], ["x", 2, -2], ["x", 3, null]],
  floating_orders_nan_count: [50, 6],
  hadoop_lz4_compressed: [4, 3, ["c0", 0, 1_593_604_800], ["v11", 1, 7.7]],
  int32_decimal: [24, 1, ["value", 0, "1.00"]],
  int32_with_null_pages: [1_000, 1, ["int32_field", 0, -654807448]],
  int64_decimal: [24, 1, ["value", 23, "24.00"]],
  int96_from_spark: [6, 1, ["a", 0, "2024-01-01T20:34:56.123456"], ["a", 2, null], ["a", 4, null]],
  list_columns: [3, 2, ["int64_list", 1, "[null,1]"], ["utf8_list", 1, null]],
  lz4_raw_compressed: [4, 3, ["c0", 0, 1_593_604_800]],
  map_no_value: [
    3,
    3,
    ["my_map", 0, '{"1":null,"2":null,"3":null}'],
    ["my_map_no_v", 0, "[1,2,3]"],
  ],
  nan_in_stats: [2, 1, ["x", 0, 1], ["x", 1, null]],
  "nested_lists.snappy": [3, 2, ["a", 0, '[[["a","b"],["c"]],[null,["d"]]]']],
  "nested_maps.snappy": [6, 3, ["a", 0, '{"a":{"1":true,"2":false}}']],
  "nested_structs.rust": [1, 36],
  non_hadoop_lz4_compressed: [4, 3, ["c0", 0, 1_593_604_800]],
  "nonnullable.impala": [1, 6, ["Int_Array", 0, "[-1]"], ["Int_Map", 0, '{"k1":-1}']],
  null_list: [1, 1, ["emptylist", 0, "[]"]],
  "nullable.impala": [7, 6, ["int_array", 1, "[null,1,2,null,3,null]"]],
  "nulls.snappy": [8, 1, ["b_struct", 0, '{"b_c_int":null}']],
  old_list_structure: [1, 1, ["a", 0, "[[1,2],[3,4]]"]],
  overflow_i16_page_cnt: [40_000, 1, ["inc", 0, false]],
  page_v2_empty_compressed: [10, 1, ["integer_column", 9, null]],
  repeated_no_annotation: [6, 2, ["id", 5, 6]],
  rle_boolean_encoding: [68, 1, ["datatype_boolean", 0, true], ["datatype_boolean", 2, null]],
  single_nan: [1, 1, ["mycol", 0, null]],
  sort_columns: [6, 2, ["a", 0, null], ["a", 2, 1]],
  "unknown-logical-type": [3, 2, ["column with known type", 0, "known string 1"]],
};

const REFUSED: Record<string, string> = {
  "data/datapage_v1-corrupt-checksum.parquet": "the checksum of a page does not match",
  "data/nation.dict-malformed.parquet": "a page breaks off",
  "data/large_string_map.brotli.parquet": "has 1073741828 bytes",
  "data/uniform_encryption.parquet.encrypted": "uses encryption",
  "data/encrypt_columns_plaintext_footer.parquet.encrypted": "uses encryption of the column",
  "bad_data/ARROW-GH-41317.parquet": "a column has 0 rows where its row group has 3",
  "bad_data/ARROW-GH-45185.parquet": "a nested column cannot be put together",
  "bad_data/ARROW-GH-47662.parquet": "a page of 100 values has 364 bytes",
  "bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet": "ends at byte 591 of 533",
  "bad_data/ARROW-RS-GH-6229-LEVELS.parquet": "fewer values than it says",
  "bad_data/PARQUET-1481.parquet": "its footer cannot be read",
};

describe.skipIf(!present)("readParquet of apache/parquet-testing", () => {
  test.each(Object.entries(READABLE))("reads %s", async (name, [rows, columns, ...cells]) => {
    const window = await read(`data/${name}.parquet`);
    expect([window.totalRows, window.totalColumns]).toEqual([rows, columns]);
    const found = cells.map(([column, row]) => [
      column,
      row,
      window.columns.find((candidate) => candidate.name === column)?.values[row],
    ]);
    expect(found).toEqual(cells);
  });

  test.each(Object.entries(REFUSED))("refuses %s: %s", async (path, message) => {
    await expect(read(path)).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNREADABLE_ANSWER|TOO_LARGE)$/) as string,
      message: expect.stringContaining(message) as string,
    });
  });

  test("reads delta_binary_packed as its expected CSV says, all 200 × 66 values", async () => {
    const window = await read("data/delta_binary_packed.parquet");
    const csv = readFileSync(new URL("data/delta_binary_packed_expect.csv", FOLDER), "utf8");
    const [, ...lines] = csv.trim().split("\n");
    const rows = lines.map((line) => line.split(","));
    expect(rows.length).toBe(200);
    for (const [index, { values }] of window.columns.entries()) {
      expect(values.map(String)).toEqual(rows.map((row) => row[index]));
    }
  });

  test("knows every file of the folder", () => {
    const files = ["data", "bad_data"].flatMap((folder) =>
      readdirSync(new URL(folder, FOLDER)).map((file) => `${folder}/${file}`),
    );
    const known = new Set([
      ...Object.keys(READABLE).map((name) => `data/${name}.parquet`),
      ...Object.keys(REFUSED),
      "data/delta_binary_packed_expect.csv",
      // Reads as pyarrow reads it: its bit width is 0 with bytes behind it.
      "bad_data/ARROW-GH-43605.parquet",
    ]);
    expect(files.filter((file) => !known.has(file))).toEqual([]);
  });
});
