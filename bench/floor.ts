/** The bytes that a window cannot do without: footer, the pages that hold its rows, their dictionaries. */
import { open } from "node:fs/promises";
import { parquetMetadata, readOffsetIndex } from "hyparquet";

/** Bytes of footer, page index entries, data pages and dictionaries that rows `start` to `end` (exclusive) of all columns touch. */
export async function pageBytes(path: string, start: number, end: number): Promise<number> {
  const file = await open(path);
  const { size } = await file.stat();
  const read = async (from: number, to: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(to - from);
    await file.read(bytes, 0, to - from, from);
    return bytes;
  };
  const trailer = await read(size - 8, size);
  const footerBytes = new DataView(trailer.buffer).getUint32(0, true) + 8;
  const footer = await read(size - footerBytes, size);
  const metadata = parquetMetadata(footer.buffer as ArrayBuffer);
  let total = footerBytes;
  let first = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    if (first < end && first + rows > start) {
      for (const column of group.columns) {
        total += await chunkBytes(column, start - first, end - first, rows, read);
      }
    }
    first += rows;
  }
  await file.close();
  return total;
}

type Chunk = ReturnType<typeof parquetMetadata>["row_groups"][number]["columns"][number];

async function chunkBytes(
  chunk: Chunk,
  start: number,
  end: number,
  rows: number,
  read: (from: number, to: number) => Promise<Uint8Array>,
): Promise<number> {
  const data = chunk.meta_data;
  if (data === undefined) {
    return 0;
  }
  if (chunk.offset_index_offset === undefined || chunk.offset_index_length === undefined) {
    return Number(data.total_compressed_size);
  }
  const at = Number(chunk.offset_index_offset);
  const bytes = await read(at, at + chunk.offset_index_length);
  const index = readOffsetIndex({ view: new DataView(bytes.buffer), offset: 0 });
  const pages = index.page_locations.map((page, place, all) => ({
    bytes: page.compressed_page_size,
    offset: Number(page.offset),
    first: Number(page.first_row_index),
    last: Number(all[place + 1]?.first_row_index ?? rows),
  }));
  const touched = pages.filter((page) => page.first < end && page.last > start);
  const dictionary =
    (pages[0]?.offset ?? 0) - Number(data.dictionary_page_offset ?? pages[0]?.offset ?? 0);
  return (
    chunk.offset_index_length + dictionary + touched.reduce((sum, page) => sum + page.bytes, 0)
  );
}
