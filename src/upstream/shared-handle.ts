/** Opened files as replicas hand them to each other. */
import type { Handle } from "./handles.ts";
import { MAX_SHARED_BYTES } from "./shared-store.ts";

type Head = Pick<Handle, "version" | "size" | "etag" | "lastModified" | "inline" | "tailStart"> & {
  readonly url: string;
  readonly from: Handle["origin"]["from"];
  /** When the file was last known to be current [ms since 1970]. */
  readonly checked: number;
};

const LENGTH_BYTES = 4;

/** Bytes that say all about a file but who asked for it; undefined where there are too many, or they are on disk. */
export function freezeHandle(handle: Handle): Uint8Array | undefined {
  if (handle.spool !== undefined || handle.tail.length > MAX_SHARED_BYTES / 2) {
    return undefined;
  }
  const { version, size, etag, lastModified, inline, tailStart, origin } = handle;
  const checked = Date.now() - (performance.now() - handle.checkedMs);
  const head: Head = {
    ...{ version, size, etag, lastModified, inline, tailStart, checked },
    url: origin.url.href,
    from: origin.from,
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, handle.tail]);
}

/** The file that {@link freezeHandle} wrote, as this process knows it. */
export function thawHandle(bytes: Uint8Array, own: Pick<Handle, "id" | "key" | "asked">): Handle {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = LENGTH_BYTES + all.readUInt32LE();
  const head = JSON.parse(all.toString("utf8", LENGTH_BYTES, end)) as Head;
  const { version, size, etag, lastModified, inline, tailStart, url, from } = head;
  return {
    ...own,
    ...{ version, size, etag, lastModified, inline, tailStart },
    origin: { url: new URL(url), from },
    tail: bytes.slice(end),
    spool: undefined,
    checkedMs: performance.now() - Math.max(0, Date.now() - head.checked),
  };
}
