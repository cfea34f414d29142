/** An API whose files lie in a store, and an upstream that reads them; made anew for every test. */
import { afterEach, expect, vi } from "vitest";
import type { ByteRange, ByteSource } from "../../src/byte-source.ts";
import type { CallContext } from "../../src/contract.ts";
import type { UpstreamOptions } from "../../src/upstream/upstream.ts";
import { freshCall } from "./call-context.ts";
import { type FaultServer, fault, startFaultServer } from "./fault-server.ts";
import type { Behaviour, FileOptions } from "./serve-file.ts";
import { operation, parameter, type UnderTest, upstreamAt } from "./upstream-under-test.ts";

export const MEBIBYTE = 1024 * 1024;
/** What opening reads of a file [bytes]. */
export const TAIL = 128 * 1024;
export const download = operation("/files/{id}", [parameter("id", "path")], { accept: [] });

/** Bytes of which any two stretches differ (xorshift). */
export function fileOf(length: number, seed = 1): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  let word = seed;
  for (let index = 0; index < words.length; index++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    words[index] = word;
  }
  return new Uint8Array(words.buffer, 0, length);
}

export const LARGE = fileOf(3 * MEBIBYTE);

export let api: FaultServer;
export let store: FaultServer;
export let under: UnderTest;
export let call: CallContext;

/** An API whose every file lies behind a link with a number that grows. */
export async function start(
  file: Behaviour | readonly Behaviour[],
  options: Partial<UpstreamOptions> = {},
): Promise<void> {
  store = await startFaultServer({ "/f": file });
  api = await startFaultServer({
    "*": fault.redirect((_, hit) => `${store.url}/f?link=${hit}`),
  });
  under = upstreamAt(api.url, options);
  call = freshCall();
}

/** A store's file with the tag "v1". */
export function serve(bytes: Uint8Array, more: FileOptions = {}): Behaviour {
  return fault.file(bytes, { etag: '"v1"', ...more });
}

/** Opens a file, for the test's own call by default. */
export function open(context: CallContext = call, id = "f-1"): Promise<ByteSource> {
  return under.upstream.openFile(download, { id }, context);
}

/** Reads ranges; each must come once. */
export async function read(
  source: ByteSource,
  ranges: readonly ByteRange[],
): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  await source.read(ranges, (index, bytes) => {
    expect(parts[index]).toBeUndefined();
    parts[index] = bytes;
  });
  return parts;
}

/** Reads ranges and compares each with the file. */
export async function check(
  source: ByteSource,
  bytes: Uint8Array,
  ranges: ByteRange[],
): Promise<void> {
  const parts = await read(source, ranges);
  expect(parts).toHaveLength(ranges.length);
  ranges.forEach(({ start, end }, index) => {
    expect(Buffer.compare(parts[index] as Uint8Array, bytes.subarray(start, end))).toBe(0);
  });
}

/** `[start, end]` pairs as ranges. */
export function ranges(...pairs: [number, number][]): ByteRange[] {
  return pairs.map(([start, end]) => ({ start, end }));
}
/** The `Range` of every request that reached the store. */
export function asked(): (string | undefined)[] {
  return store.log.map(({ headers }) => headers.range);
}

/** Forgets everything: the next `open` is by a new upstream. */
export async function restart(): Promise<void> {
  await under.upstream.close();
  under = upstreamAt(api.url);
}

/** From now on it is 61 s later. */
export function age(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 61_000);
}

afterEach(async () => {
  vi.restoreAllMocks();
  // A test may need nothing but the files.
  await under?.upstream.close();
  await api?.close();
  await store?.close();
});
