/** An opened file as one call sees it: ranges from what is at hand, the rest by byte-range requests. */
import type { ByteRange, ByteSource } from "../byte-source.ts";
import type { Api } from "./api.ts";
import { readExactly } from "./body.ts";
import type { Reply } from "./exchange.ts";
import { type FileKeeper, type Handle, isOtherVersion, onlyThisVersion } from "./handles.ts";
import type { Limits } from "./limits.ts";
import { partOf, requirePart } from "./part.ts";
import { planRuns, RangeAssembly } from "./runs.ts";
import { MAX_SHARED_BYTES, type SealedStore, shareWork } from "./shared-store.ts";

/** Up to this size a file is read whole by the first request that needs more than its tail [bytes]. */
const SMALL_FILE = 1024 * 1024;

/** How long replicas share bytes of a file [ms]. Its version is in their name: they do not grow old. */
const BYTES_LIFE_MS = 10 * 60_000;

/** Most bytes that one read looks for in what replicas share [bytes]. */
const MAX_SHARED_READ = 8 * 1024 * 1024;

/** How stores answer a link that is no longer good. */
const EXPIRED = new Set([400, 401, 403, 404, 410]);

export class RemoteFile implements ByteSource {
  readonly version: string;
  readonly size: number;
  readonly #handle: Handle;
  readonly #keeper: FileKeeper;
  readonly #api: Api;
  readonly #call: Limits;
  readonly #shared: SealedStore | undefined;

  /** @param shared what replicas share, where they do */
  constructor(
    handle: Handle,
    keeper: FileKeeper,
    api: Api,
    call: Limits,
    shared: SealedStore | undefined,
  ) {
    this.version = handle.version;
    this.size = handle.size;
    this.#handle = handle;
    this.#keeper = keeper;
    this.#api = api;
    this.#call = call;
    this.#shared = shared;
  }

  get tail(): Uint8Array {
    return this.#handle.tail;
  }

  get tailStart(): number {
    return this.#handle.tailStart;
  }

  async read(
    ranges: readonly ByteRange[],
    onRange: (index: number, bytes: Uint8Array) => void,
  ): Promise<void> {
    const handle = this.#handle;
    const outside = ranges.some(({ start }) => start < handle.tailStart);
    if (outside && handle.size <= SMALL_FILE) {
      await this.#keeper.fetchWhole(handle, this.#call, true);
    }
    await this.readParts(ranges, onRange);
  }

  /** Reads ranges and nothing beyond what lies between near ones. */
  async readParts(
    ranges: readonly ByteRange[],
    onRange: (index: number, bytes: Uint8Array) => void,
  ): Promise<void> {
    const { tailStart, size, spool } = this.#handle;
    for (const { start, end } of ranges) {
      if (!(start >= 0 && start <= end && end <= size)) {
        throw new RangeError(`bytes ${start} to ${end} do not lie in a file of ${size} bytes`);
      }
    }
    const shared = spool === undefined ? this.#shared : undefined;
    const isShared = ({ start, end }: ByteRange): boolean =>
      start < tailStart && end > start && end - start <= MAX_SHARED_BYTES;
    const bytes = ranges.filter(isShared).reduce((sum, { start, end }) => sum + end - start, 0);
    if (shared === undefined || bytes === 0 || bytes > MAX_SHARED_READ) {
      await this.#fetch(ranges, onRange);
      return;
    }
    const indexes = [...ranges.keys()];
    const common = indexes.filter((index) => isShared(ranges[index] as ByteRange));
    const own = indexes.filter((index) => !common.includes(index));
    const rangeOf = (index: number): ByteRange => ranges[index] as ByteRange;
    await this.#fetch(own.map(rangeOf), (place, piece) => onRange(own[place] as number, piece));
    await shareWork(shared, {
      names: common.map(rangeOf).map(({ start, end }) => `${this.version} ${start}-${end}`),
      lifeMs: BYTES_LIFE_MS,
      call: this.#call,
      doing: `reading ${this.#api.describe(this.#handle.asked, "store")}`,
      use: (place, piece) => onRange(common[place] as number, piece),
      fetch: (places, keep) => {
        const wanted = places.map((place) => common[place] as number);
        return this.#fetch(wanted.map(rangeOf), (place, piece) => {
          // Kept first: its receiver may transfer the buffer.
          keep(place, piece);
          onRange(wanted[place] as number, piece);
        });
      },
    });
  }

  async #fetch(
    ranges: readonly ByteRange[],
    onRange: (index: number, bytes: Uint8Array) => void,
  ): Promise<void> {
    const { tail, tailStart, size } = this.#handle;
    const assembly = new RangeAssembly(ranges, onRange);
    assembly.completeEmpty();
    assembly.write(tail, tailStart);
    assembly.complete(tailStart, size);
    const runs = planRuns(
      ranges.map(({ start, end }) => ({ start, end: Math.min(end, tailStart) })),
    );
    const total = runs.reduce((sum, { start, end }) => sum + end - start, 0);
    let done = 0;
    const doing = `reading ${this.#api.describe(this.#handle.asked, "store")}`;
    await this.#call.together(doing, runs, async (run, call) => {
      await this.#readRun(run, assembly, call);
      done += run.end - run.start;
      call.progress?.(done, total, "bytes read");
    });
  }

  async #readRun(run: ByteRange, assembly: RangeAssembly, call: Limits): Promise<void> {
    const handle = this.#handle;
    let outcome = await this.#ask(run, assembly, call);
    if (outcome !== "whole" && outcome !== "there") {
      await this.#keeper.relink(handle, outcome.expired, call);
      outcome = await this.#ask(run, assembly, call, true);
    }
    if (outcome === "whole") {
      if (handle.spool === undefined && handle.tailStart > 0) {
        await this.#keeper.fetchWhole(handle, call, false);
      }
      const bytes =
        handle.spool === undefined
          ? handle.tail.subarray(run.start - handle.tailStart, run.end - handle.tailStart)
          : await handle.spool.read(run.start, run.end);
      assembly.write(bytes, run.start);
    }
    assembly.complete(run.start, run.end);
  }

  /** Asks for a run. `whole`: it has to be taken from the whole file; `there`: it has been written. */
  async #ask(
    run: ByteRange,
    assembly: RangeAssembly,
    call: Limits,
    relinked = false,
  ): Promise<"there" | "whole" | { readonly expired: Handle["origin"] }> {
    const handle = this.#handle;
    if (handle.spool !== undefined || handle.tailStart === 0) {
      return "whole";
    }
    const { asked, origin } = handle;
    const headers = {
      "accept-encoding": "identity",
      range: `bytes=${run.start}-${run.end - 1}`,
      ...onlyThisVersion(handle),
    };
    return this.#api.follow(asked, origin, headers, call, async (reply, from) => {
      if (reply.status === 206) {
        await this.#receive(run, reply, assembly);
        if (handle.origin === origin) {
          handle.origin = from;
        }
        return "there";
      }
      if (reply.status === 412 || reply.status === 416) {
        throw await this.#keeper.changed(handle);
      }
      if (reply.status === 200) {
        if (isOtherVersion(handle, reply)) {
          throw await this.#keeper.changed(handle);
        }
        return "whole";
      }
      return EXPIRED.has(reply.status) && !relinked
        ? { expired: origin }
        : this.#api.refuse(asked, from.from, reply);
    });
  }

  async #receive(run: ByteRange, reply: Reply, assembly: RangeAssembly): Promise<void> {
    const handle = this.#handle;
    const what = this.#api.describe(handle.asked, "store");
    const part = partOf(reply, what);
    if (isOtherVersion(handle, reply) || part.size !== handle.size) {
      throw await this.#keeper.changed(handle);
    }
    requirePart(part, run.start, run.end, what);
    await readExactly(reply, run.end - run.start, what, (piece, place) =>
      assembly.write(piece, run.start + place),
    );
  }
}
