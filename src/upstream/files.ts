/** Opening the file an operation leads to: link, version, size and end in as few requests as there can be. */
import { FileChanged } from "../byte-source.ts";
import type { Api, Asked, Origin } from "./api.ts";
import { bodyType, readExactly, readStart, decodeText } from "./body.ts";
import type { Reply } from "./exchange.ts";
import type { Flights } from "./flights.ts";
import {
  type FileKeeper,
  type Handle,
  type Handles,
  TIME_TO_LIVE_MS,
  versionOf,
} from "./handles.ts";
import type { Limits } from "./limits.ts";
import { isRedirect } from "./redirect.ts";
import { partOf, requirePart, unreadable } from "./part.ts";
import { RemoteFile } from "./remote-file.ts";
import { freezeHandle, thawHandle } from "./shared-handle.ts";
import { type SealedStore, shareWork } from "./shared-store.ts";
import { readFileWhole, type WholeFile } from "./spool.ts";
import { htmlTitle, isHtml } from "./upstream-text.ts";

/**
 * End of the file that is asked for on opening [bytes]: footer and page indexes of a file with ten million rows are 107 kB.
 */
const TAIL = 128 * 1024;

/** Start of an HTML page that is read for its title [bytes]. */
const MAX_TITLE_BYTES = 16 * 1024;

async function refuseHtml(reply: Reply, what: string): Promise<void> {
  const { mediaType, charset } = bodyType(reply);
  if (isHtml(mediaType, "")) {
    const text = decodeText(await readStart(reply, MAX_TITLE_BYTES), charset, false);
    throw unreadable(what, `it is ${htmlTitle(text)}`);
  }
}

/** What an opened file is called among replicas. */
function nameOf(key: string): string {
  return `open ${key}`;
}

export interface SharedFiles {
  readonly handles: Handles;
  readonly flights: Flights;
}

/** The files behind operations as one identity sees them. */
export class Files implements FileKeeper {
  readonly #api: Api;
  readonly #maxFileBytes: number;
  readonly #handles: Handles;
  readonly #flights: Flights;
  readonly #store: SealedStore | undefined;

  /**
   * @param shared what all identities share; its keys keep them apart
   * @param store what replicas share, as this identity sees it
   */
  constructor(api: Api, shared: SharedFiles, maxFileBytes: number, store: SealedStore | undefined) {
    this.#api = api;
    this.#maxFileBytes = maxFileBytes;
    this.#handles = shared.handles;
    this.#flights = shared.flights;
    this.#store = store;
  }

  /** Opens a file for one call; whoever opens the same file meanwhile shares the requests. */
  async open(asked: Asked, key: string, call: Limits): Promise<RemoteFile> {
    call.check("opening a file");
    const doing = `opening ${this.#api.describe(asked, "store")}`;
    const handle =
      this.#handles.fresh(key) ??
      (await this.#flights.join(`open ${key}`, call, doing, (shared) =>
        this.#openShared(asked, key, doing, shared),
      ));
    return new RemoteFile(handle, this, this.#api, call, this.#store);
  }

  async changed(handle: Handle): Promise<FileChanged> {
    await Promise.all([this.#handles.forget(handle), this.#store?.delete(nameOf(handle.key))]);
    return new FileChanged();
  }

  async relink(handle: Handle, failed: Origin, call: Limits): Promise<void> {
    if (handle.origin !== failed) {
      return;
    }
    const { asked, id } = handle;
    const doing = `asking for a new link to ${this.#api.describe(asked, "store")}`;
    const origin = await this.#flights.join(`link ${id}`, call, doing, (shared) =>
      this.#api.ask(asked, shared, async (reply, from) => {
        if (isRedirect(reply.status)) {
          return this.#api.redirected(asked, from, reply);
        }
        if (reply.status === 200) {
          throw await this.changed(handle);
        }
        return this.#api.refuse(asked, from.from, reply);
      }),
    );
    if (handle.origin === failed) {
      handle.origin = origin;
      this.#share(handle);
    }
  }

  async fetchWhole(handle: Handle, call: Limits, useRange: boolean): Promise<void> {
    const doing = `reading the whole of ${this.#api.describe(handle.asked, "store")}`;
    await this.#flights.join(`whole ${handle.id} ${useRange}`, call, doing, async (shared) => {
      if (useRange) {
        const head = new Uint8Array(handle.tailStart);
        const file = new RemoteFile(handle, this, this.#api, shared, this.#store);
        await file.readParts([{ start: 0, end: head.length }], (_, bytes) => head.set(bytes));
        const whole = new Uint8Array(handle.size);
        whole.set(head);
        whole.set(handle.tail, handle.tailStart);
        handle.tail = whole;
        handle.tailStart = 0;
      } else {
        await this.#refetch(handle, shared);
      }
      await this.#handles.keep(handle);
      this.#share(handle);
    });
  }

  /** Gives other replicas a file as it is known here, for as long as it is trusted. */
  #share(handle: Handle): void {
    const frozen = this.#store && freezeHandle(handle);
    const lifeMs = handle.checkedMs + TIME_TO_LIVE_MS - performance.now();
    if (frozen !== undefined && lifeMs > 0) {
      this.#store?.set(nameOf(handle.key), frozen, lifeMs);
    }
  }

  /** Opens a file as another replica did lately, or anew. */
  async #openShared(asked: Asked, key: string, doing: string, call: Limits): Promise<Handle> {
    if (this.#store === undefined) {
      return this.#open(asked, key, call);
    }
    const before = this.#handles.get(key);
    let handle: Handle | undefined;
    await shareWork(this.#store, {
      names: [nameOf(key)],
      lifeMs: TIME_TO_LIVE_MS,
      call,
      doing,
      use: (_, bytes) => {
        handle = thawHandle(bytes, { id: this.#handles.nextId(), key, asked });
      },
      fetch: async () => {
        handle = await this.#open(asked, key, call);
        this.#share(handle);
      },
    });
    const opened = handle as unknown as Handle;
    if (before?.version === opened.version && this.#handles.has(before)) {
      // The same version, and more of it may be at hand.
      before.origin = opened.origin;
      before.checkedMs = opened.checkedMs;
      return before;
    }
    await this.#handles.keep(opened);
    return opened;
  }

  async #refetch(handle: Handle, call: Limits): Promise<void> {
    const { asked } = handle;
    const headers = { "accept-encoding": "identity" };
    const file = await this.#api.follow(asked, handle.origin, headers, call, (reply, from) =>
      reply.status === 200
        ? this.#readWhole(asked, from, reply, call)
        : this.#api.refuse(asked, from.from, reply),
    );
    if (file.size !== handle.size) {
      await file.spool?.close();
      throw await this.changed(handle);
    }
    handle.tail = file.tail;
    handle.tailStart = file.tailStart;
    handle.spool = file.spool;
  }

  async #open(asked: Asked, key: string, call: Limits): Promise<Handle> {
    const before = this.#handles.get(key);
    const conditional: Record<string, string> =
      before?.etag === undefined ? {} : { "if-none-match": before.etag };
    const first = await this.#api.ask(
      asked,
      call,
      async (reply, origin) =>
        isRedirect(reply.status)
          ? { next: await this.#api.redirected(asked, origin, reply) }
          : { handle: await this.#receive(asked, key, reply, origin, true, before, call) },
      before?.inline ? conditional : {},
    );
    let { handle } = first;
    const { next } = first;
    if (next !== undefined) {
      const ask = (headers: Record<string, string>): Promise<Handle | undefined> =>
        this.#api.follow(asked, next, headers, call, (reply, origin) =>
          this.#receive(asked, key, reply, origin, false, before, call),
        );
      const identity = { "accept-encoding": "identity" };
      handle =
        (await ask({ ...identity, ...conditional, range: `bytes=-${TAIL}` })) ??
        // An empty file has no last bytes: 416.
        (await ask(identity));
    }
    if (handle === undefined) {
      throw unreadable(this.#api.describe(asked, "store"), "no byte range is good enough for it");
    }
    await this.#handles.keep(handle);
    return handle;
  }

  /** Makes a handle of an answer; undefined where the store cannot satisfy the range. */
  async #receive(
    asked: Asked,
    key: string,
    reply: Reply,
    origin: Origin,
    inline: boolean,
    before: Handle | undefined,
    call: Limits,
  ): Promise<Handle | undefined> {
    if (reply.status === 304 && before !== undefined) {
      if (!this.#handles.has(before)) {
        // Pushed out meanwhile, its bytes with it.
        throw new FileChanged();
      }
      before.origin = origin;
      before.checkedMs = performance.now();
      return before;
    }
    if (reply.status === 416 && !inline) {
      return undefined;
    }
    if (reply.status !== 200 && reply.status !== 206) {
      return this.#api.refuse(asked, origin.from, reply);
    }
    const file =
      reply.status === 200
        ? await this.#readWhole(asked, origin, reply, call)
        : await this.#readTail(asked, reply);
    return {
      id: this.#handles.nextId(),
      key,
      asked,
      version: versionOf(key, reply, file.size, file.tail),
      size: file.size,
      etag: reply.header("etag"),
      lastModified: reply.header("last-modified"),
      origin,
      inline,
      tail: file.tail,
      tailStart: file.tailStart,
      spool: file.spool,
      checkedMs: performance.now(),
    };
  }

  async #readWhole(asked: Asked, origin: Origin, reply: Reply, call: Limits): Promise<WholeFile> {
    const what = this.#api.describe(asked, origin.from);
    await refuseHtml(reply, what);
    return readFileWhole(reply, this.#maxFileBytes, what, (done) =>
      call.progress?.(done, reply.length, "bytes read"),
    );
  }

  async #readTail(asked: Asked, reply: Reply): Promise<WholeFile> {
    const what = this.#api.describe(asked, "store");
    await refuseHtml(reply, what);
    const part = partOf(reply, what);
    const tailStart = Math.max(0, part.size - TAIL);
    requirePart(part, tailStart, part.size, what);
    const tail = new Uint8Array(part.size - tailStart);
    await readExactly(reply, tail.length, what, (piece, place) => tail.set(piece, place));
    return { size: part.size, tail, tailStart };
  }
}
