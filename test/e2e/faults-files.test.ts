/** Files that are damaged or change while they are read: rows are right, or there are none. */
import { parquetMetadata } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fault } from "../helpers/fault-server.ts";
import { expectRefusal, FaultyServer, type Outcome } from "../helpers/faulty-server.ts";
import { FIXTURE_ROWS, fixture, fixtureV } from "../helpers/fixture-table.ts";
import { largeTable, largeValue } from "../helpers/large-table.ts";
import type { Behaviour, FileOptions } from "../helpers/serve-file.ts";

let under: FaultyServer;
/** Written with a checksum in each page: pyarrow, Brotli, dictionaries. */
const sound = fixture("index-brotli");
let versions: Uint8Array[];

beforeAll(async () => {
  versions = [largeTable(0), largeTable(1)];
  under = await FaultyServer.start();
});
afterAll(() => under.stop());

function places(): Record<string, number[]> {
  const buffer = sound.slice().buffer;
  const { row_groups } = parquetMetadata(buffer);
  const chunks = row_groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data }) =>
      meta_data !== undefined && ["t", "v"].includes(meta_data.path_in_schema[0] ?? "")
        ? [meta_data]
        : [],
    ),
  );
  const footer = sound.length - 8 - new DataView(buffer).getUint32(sound.length - 8, true);
  const spread = (start: number, end: number, count: number): number[] =>
    Array.from({ length: count }, (_, index) =>
      Math.floor(start + ((index + 0.5) * (end - start)) / count),
    );
  const dictionaries = chunks.filter((chunk) => chunk.dictionary_page_offset !== undefined);
  return {
    footer: spread(footer, sound.length, 60),
    "page header": chunks.flatMap((chunk) => {
      const start = Number(chunk.data_page_offset);
      return spread(start, start + 16, 8);
    }),
    page: chunks.flatMap((chunk) => {
      const start = Number(chunk.data_page_offset) + 60;
      return spread(start, start + Number(chunk.total_compressed_size) / 2, 4);
    }),
    dictionary: dictionaries.flatMap((chunk) =>
      spread(Number(chunk.dictionary_page_offset), Number(chunk.data_page_offset), 8),
    ),
  };
}

const expectedRows = (offset: number) =>
  Array.from({ length: 40 }, (_, index) => ({
    t: (offset + index) / 2,
    v: fixtureV(offset + index),
  }));

describe("one flipped byte", () => {
  test.each(Object.entries(places()))(
    "in a %s gives an error of the closed set or the right rows, and the next call works",
    async (_, flips) => {
      expect(flips.length).toBeGreaterThan(7);
      let refused = 0;
      for (const place of flips) {
        const copy = Uint8Array.from(sound);
        copy[place] = (copy[place] as number) ^ 0xff;
        const id = under.offer(fault.file(copy, { etag: `"flip-${place}"` }));
        const outcome = await under.window(id, 20);
        if (outcome.isError === true) {
          refused += 1;
          // A column of another name is an argument that does not fit.
          expectRefusal(outcome, "UNREADABLE_ANSWER|TOO_LARGE|INVALID_ARGUMENT");
        } else {
          expect(outcome.value.rows, `byte ${place}`).toEqual(expectedRows(20));
        }
      }
      expect(refused).toBeGreaterThan(0);
      const next = await under.window(under.offer(fault.file(sound, { etag: '"sound"' })), 1_000);
      expect(next.value).toMatchObject({ total_rows: FIXTURE_ROWS, rows: expectedRows(1_000) });
    },
  );
});

function rowsOf({ value }: Outcome): number[] {
  return value.rows?.map((row: { v: number }) => row.v);
}

const largeRows = (offset: number, version: number) =>
  Array.from({ length: 40 }, (_, index) => largeValue(offset + index, version));

/** The first version for so many requests, then the second for good. */
function changing(after: number, options: (version: number) => FileOptions): Behaviour {
  return (request, response, hit) => {
    const version = hit < after ? 0 : 1;
    const bytes = versions[version] as Uint8Array;
    return fault.file(bytes, options(version))(request, response, hit);
  };
}

describe("a file that changes between two ranges of one call", () => {
  const date = (version: number) => new Date(Date.UTC(2026, 0, 1 + version)).toUTCString();
  test.each([
    ["by its tag", 1, (v: number) => ({ etag: `"v${v}"` })],
    ["by its tag, after two requests", 2, (v: number) => ({ etag: `"v${v}"` })],
    ["by a weak tag", 1, (v: number) => ({ etag: `W/"v${v}"` })],
    ["by its date", 1, (v: number) => ({ lastModified: date(v) })],
  ] as const)("is known %s and read as one version", async (_, after, options) => {
    const id = under.offer(changing(after, options));
    const outcome = await under.window(id, 150_000);
    expect(outcome.isError, JSON.stringify(outcome.value).slice(0, 200)).toBeUndefined();
    expect([largeRows(150_000, 0), largeRows(150_000, 1)]).toContainEqual(rowsOf(outcome));
    expect(under.store.count()).toBeGreaterThan(after);
  });

  test("at every request is refused in time rather than mixed", async () => {
    const id = under.offer((request, response, hit) =>
      fault.file(versions[hit % 2] as Uint8Array, { etag: `"v${hit}"` })(request, response, hit),
    );
    expectRefusal(await under.window(id, 150_000), "UPSTREAM_UNAVAILABLE|UNREADABLE_ANSWER");
  });
});

describe("a Parquet file that breaks off", () => {
  test.each([0.1, 0.5, 0.9, 0.999])("after %d of it is refused", async (part) => {
    const cut = sound.subarray(0, Math.floor(sound.length * part));
    expectRefusal(await under.window(under.offer(fault.file(cut)), 20), "UNREADABLE_ANSWER");
  });

  test("on the way is fetched again, once", async () => {
    const bytes = fault.file(sound, { etag: '"a"' });
    const half = fault.dropMidBody(1_000, sound.length, { "content-type": "application/x" });
    const outcome = await under.window(under.offer([half, bytes]), 20);
    expect(outcome.value.rows).toEqual(expectedRows(20));
  });
});
