/** Runs the whole decoder over a small table, so that the first call finds it compiled. */
import { setImmediate } from "node:timers/promises";
import { ByteCache } from "./byte-cache.ts";
import { openParquet } from "./open-parquet.ts";
import { parseFooter } from "./parquet-file.ts";
import { ParquetTable } from "./parquet-table.ts";
import { RemoteSource } from "./remote-source.ts";
import { WARM_TABLE } from "./warm-table.ts";
import { readWindow } from "./window.ts";

/** Rounds after which the engine has compiled the hot loops, found by measuring the first window after them. */
const ROUNDS = 40;
/** A large file's footer has hundreds of times the columns of the small table's. */
const FOOTERS_PER_ROUND = 4;

/** @param busy whether a call waits: it is more urgent than what is left of warming up */
export async function warmDecoder(busy: () => boolean): Promise<void> {
  const file = new Uint8Array(Buffer.from(WARM_TABLE, "base64"));
  const footerLength = new DataView(file.buffer).getUint32(file.length - 8, true);
  const footer = file.subarray(file.length - 8 - footerLength, file.length - 8);
  const source = new RemoteSource("warm", file.length, (read, ranges) => {
    for (const [index, { start, end }] of ranges.entries()) {
      queueMicrotask(() => source.arrived(read, index, file.slice(start, end)));
    }
  });
  for (let round = 0; round < ROUNDS && !busy(); round += 1) {
    for (let count = 0; count < FOOTERS_PER_ROUND; count += 1) {
      parseFooter("warm", file.length, footer);
    }
    // Caches of its own: pages are decompressed every time, and nothing stays.
    const caches = { pages: new ByteCache(0), tables: new ByteCache(0) };
    const table = new ParquetTable(await openParquet(source, caches.tables), source, caches.pages);
    await readWindow(table, { offset: 100, limit: 500 }, caches.tables, () => undefined);
    await setImmediate();
  }
}
