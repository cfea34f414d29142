/** Runs the whole decoder over a small table, so that the first call finds it compiled. */
import { ByteCache } from "./byte-cache.ts";
import { openParquet } from "./open-parquet.ts";
import { ParquetTable } from "./parquet-table.ts";
import { RemoteSource } from "./remote-source.ts";
import { WARM_TABLE } from "./warm-table.ts";
import { readWindow } from "./window.ts";

/** Rounds after which the engine has compiled the zstd decoder's loops; about 30 ms. */
const ROUNDS = 40;

export async function warmDecoder(): Promise<void> {
  const file = new Uint8Array(Buffer.from(WARM_TABLE, "base64"));
  const source = new RemoteSource("warm", file.length, (read, ranges) => {
    for (const [index, { start, end }] of ranges.entries()) {
      queueMicrotask(() => source.arrived(read, index, file.slice(start, end)));
    }
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    // A cache of its own: pages are decompressed every time, and nothing stays.
    const cache = new ByteCache(0);
    const table = new ParquetTable(await openParquet(source, cache), source, cache);
    await readWindow(table, { offset: 100, limit: 500 }, { cache, progress: () => undefined });
  }
}
