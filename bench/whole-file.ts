/**
 * The whole-file way in Node: download everything, decode everything, slice. A program of its own, so that its memory is its own.
 *
 *     tsx bench/whole-file.ts URL OFFSET LIMIT   → one JSON line {"ms", "bytes", "peak_mib", "rows"}
 */
import { parquetMetadata, parquetRead } from "hyparquet";
import { decompress, prepareCodecs } from "../src/tables/codecs.ts";
import { peakMiB } from "./process.ts";

const [url = "", offset = "0", limit = "500"] = process.argv.slice(2);
await prepareCodecs();
const start = performance.now();
const file = await (await fetch(url)).arrayBuffer();
const metadata = parquetMetadata(file);
const columns = new Map<string, unknown[][]>();
await parquetRead({
  file: { byteLength: file.byteLength, slice: async (from, to) => file.slice(from, to) },
  metadata,
  compressors: { ZSTD: (input, bytes) => decompress("ZSTD", input, bytes) },
  onChunk: ({ columnName, columnData }) => {
    const chunks = columns.get(columnName) ?? [];
    chunks.push(columnData as unknown[]);
    columns.set(columnName, chunks);
  },
});
const rows: Record<string, unknown>[] = [];
const names = [...columns.keys()];
for (let row = Number(offset); row < Number(offset) + Number(limit); row += 1) {
  rows.push(Object.fromEntries(names.map((name) => [name, cell(columns.get(name) ?? [], row)])));
}
const text = JSON.stringify(rows, (_, value) =>
  typeof value === "bigint" ? Number(value) : value,
);
process.stdout.write(
  `${JSON.stringify({ ms: performance.now() - start, bytes: file.byteLength, peak_mib: peakMiB(process.pid), rows: rows.length, text_bytes: text.length })}\n`,
);

function cell(chunks: readonly unknown[][], row: number): unknown {
  let place = row;
  for (const chunk of chunks) {
    if (place < chunk.length) {
      return chunk[place];
    }
    place -= chunk.length;
  }
  return undefined;
}
