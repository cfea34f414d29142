/** Files that were opened lately: where they lie, which version they are, and their ends. */
import { createHash } from "node:crypto";
import type { FileChanged } from "../byte-source.ts";
import type { Asked, Origin } from "./api.ts";
import type { Reply } from "./exchange.ts";
import type { Limits } from "./limits.ts";
import type { Spool } from "./spool.ts";

/** Most files that are remembered. */
const MAX_HANDLES = 32;
/** Most bytes of tails in memory, all files together [bytes]. */
const MAX_TAIL_BYTES = 16 * 1024 * 1024;
/** How long a file is trusted to be as it was [ms]. */
export const TIME_TO_LIVE_MS = 60_000;

/** One version of one file. What changes is only how it is reached and how much of it is at hand. */
export interface Handle {
  /** Tells handles of the same version apart. */
  readonly id: number;
  readonly key: string;
  readonly asked: Asked;
  readonly version: string;
  readonly size: number;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Where it lies. */
  origin: Origin;
  /** Whether it came as the operation's own answer, without a redirect. */
  readonly inline: boolean;
  /** Bytes `tailStart` to `size`; all of them when `tailStart` is 0. */
  tail: Uint8Array;
  tailStart: number;
  /** The whole file on disk. */
  spool: Spool | undefined;
  /** When it was last known to be current [ms, performance.now()]. */
  checkedMs: number;
}

/** Who looks after handles on behalf of those that read. */
export interface FileKeeper {
  /** Takes note that a file is no longer what was opened; returns what to throw. */
  changed(handle: Handle): Promise<FileChanged>;
  /** Gives a file a new link unless somebody has replaced `failed` already. */
  relink(handle: Handle, failed: Origin, call: Limits): Promise<void>;
  /** Brings all of a file to hand: what is missing before its tail, or all of it where the store ignores ranges. */
  fetchWhole(handle: Handle, call: Limits, useRange: boolean): Promise<void>;
}

/** Names one version of a file: `identity` and what its store says about it, or its end where the store says nothing. */
export function versionOf(identity: string, reply: Reply, size: number, tail: Uint8Array): string {
  const validator =
    reply.header("etag") ??
    reply.header("last-modified") ??
    createHash("sha256").update(tail).digest("base64url");
  return createHash("sha256")
    .update(JSON.stringify([identity, validator, size]))
    .digest("base64url");
}

/** Headers that make a store refuse to answer for another version. */
export function onlyThisVersion(handle: Handle): Record<string, string> {
  const { etag, lastModified } = handle;
  // A weak tag never matches under If-Match.
  if (etag !== undefined && !etag.startsWith("W/")) {
    return { "if-match": etag };
  }
  return lastModified === undefined ? {} : { "if-unmodified-since": lastModified };
}

/** Whether an answer says that it speaks of another version. */
export function isOtherVersion(handle: Handle, reply: Reply): boolean {
  const [mine, theirs] =
    handle.etag === undefined
      ? [handle.lastModified, reply.header("last-modified")]
      : [handle.etag, reply.header("etag")];
  return mine !== undefined && theirs !== undefined && mine !== theirs;
}

/** Least recently used first out, bounded in number, tail bytes and spooled bytes. */
export class Handles {
  readonly #handles = new Map<string, Handle>();
  readonly #maxSpoolBytes: number;
  #lastId = 0;

  /** @param maxSpoolBytes most bytes of temporary files [bytes]; the newest is kept whatever its size */
  constructor(maxSpoolBytes: number) {
    this.#maxSpoolBytes = maxSpoolBytes;
  }

  /** Tells a new handle from all others. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** The remembered file, current or not. */
  get(key: string): Handle | undefined {
    return this.#handles.get(key);
  }

  /** Whether this is what is remembered of its file. */
  has(handle: Handle): boolean {
    return this.#handles.get(handle.key) === handle;
  }

  /** The remembered file, if it was current within the last 60 s. */
  fresh(key: string): Handle | undefined {
    const handle = this.#handles.get(key);
    if (handle === undefined || performance.now() - handle.checkedMs > TIME_TO_LIVE_MS) {
      return undefined;
    }
    this.#handles.delete(key);
    this.#handles.set(key, handle);
    return handle;
  }

  /** Remembers a file, or takes note that one has grown at hand. Other versions of it are forgotten. */
  async keep(handle: Handle): Promise<void> {
    const before = this.#handles.get(handle.key);
    this.#handles.delete(handle.key);
    this.#handles.set(handle.key, handle);
    if (before !== undefined && before !== handle) {
      await before.spool?.close();
    }
    for (const oldest of [...this.#handles.values()]) {
      if (oldest === handle || !this.#isOver()) {
        break;
      }
      await this.forget(oldest);
    }
  }

  /** Forgets a file, if it is still the one that is remembered. */
  async forget(handle: Handle): Promise<void> {
    if (this.has(handle)) {
      this.#handles.delete(handle.key);
      await handle.spool?.close();
    }
  }

  async close(): Promise<void> {
    for (const handle of [...this.#handles.values()]) {
      await this.forget(handle);
    }
  }

  #isOver(): boolean {
    const handles = [...this.#handles.values()];
    const sum = (bytes: (handle: Handle) => number): number =>
      handles.reduce((total, handle) => total + bytes(handle), 0);
    return (
      handles.length > MAX_HANDLES ||
      sum(({ tail }) => tail.length) > MAX_TAIL_BYTES ||
      sum(({ spool, size }) => (spool === undefined ? 0 : size)) > this.#maxSpoolBytes
    );
  }
}
