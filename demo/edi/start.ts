/** The whole archive on loopback: every service on an origin of its own. */
import { auth, authStatus } from "./auth.ts";
import { bigTable, defaultCacheFolder } from "./big-table.ts";
import { buildCorpus, type Quirks } from "./build-corpus.ts";
import { cite, citeStatus } from "./cite.ts";
import { allSeries } from "./corpus/all-series.ts";
import { coordinatingNode, dataoneStatus, memberNode } from "./dataone.ts";
import { dataoneObjects } from "./dataone-objects.ts";
import { type Fault, FaultPlan } from "./faults.ts";
import { pasta, pastaStatus } from "./pasta.ts";
import { type Origin, type RequestRecord, serve } from "./serve.ts";
import { storage, storageStatus } from "./storage.ts";
import { DEMO_KEY, Tokens } from "./tokens.ts";

export interface EdiDemoOptions {
  /** Rows of the large table; the default is a million. */
  readonly rows?: number;
  /** Where generated files are kept; the default is `$XDG_CACHE_HOME` or `~/.cache`, then `vitrine/demo-edi`. */
  readonly cacheFolder?: string;
  /** Port of PASTA; the other origins always take free ports. */
  readonly port?: number;
  /** Life of a token [s], 8 hours by default. */
  readonly tokenLifetimeS?: number;
  /** Entities of this size or more are handed to the data server with a 307 [bytes]. */
  readonly redirectBytes?: number;
  /** PASTA and its data server honour `Range`; member nodes never do. True by default. */
  readonly ranges?: boolean;
  /** A second member node for `urn:node:EDI`; without it the one member node has the objects of both. */
  readonly splitMemberNodes?: boolean;
  readonly quirks?: Quirks;
  /** Faults in force from the start. */
  readonly faults?: readonly Fault[];
  /** The time now [ms since 1970], for tokens, links and messages. */
  readonly now?: () => number;
}

export interface EdiDemo {
  readonly pastaUrl: string;
  readonly authUrl: string;
  readonly citeUrl: string;
  readonly cnUrl: string;
  readonly mnUrl: string;
  /** The node `urn:node:EDI`; the same as `mnUrl` unless the nodes are split. */
  readonly mnEdiUrl: string;
  /** The data server that large entities are redirected to. */
  readonly storageUrl: string;
  readonly key: string;
  /** Add or clear faults while the demo runs. */
  readonly faults: FaultPlan;
  /** What came, in order of arrival; the newest 10,000. */
  readonly requests: readonly RequestRecord[];
  /** Refuses every token given so far with 401. */
  revokeTokens(): void;
  close(): Promise<void>;
}

const REDIRECT_BYTES = 1_024_000;
const TOKEN_LIFETIME_S = 8 * 3600;
const ROWS = 1_000_000;

/** Starts the demo; the first start on a machine makes the large table, which takes a few seconds. */
export async function startEdiDemo(options: EdiDemoOptions = {}): Promise<EdiDemo> {
  const { quirks = {}, ranges = true, now = Date.now } = options;
  const table = await bigTable(options.rows ?? ROWS, options.cacheFolder ?? defaultCacheFolder());
  const corpus = buildCorpus(allSeries(table), quirks);
  const objects = dataoneObjects(corpus, quirks);
  const tokens = new Tokens({ lifetimeS: options.tokenLifetimeS ?? TOKEN_LIFETIME_S, now });
  const faults = new FaultPlan(options.faults ?? []);
  const requests: RequestRecord[] = [];
  const open: { close(): Promise<void> }[] = [];
  const start = async (origin: Origin, port?: number) => {
    const served = await serve(origin, faults, requests, port);
    open.push(served);
    return served.url;
  };
  const close = async () => {
    await Promise.all(open.map((served) => served.close()));
  };
  try {
    const store = storage({ now, ranges });
    const storageUrl = await start({
      name: "storage",
      handle: store.handle,
      problem: storageStatus,
    });
    const handler = pasta({
      corpus,
      quirks,
      tokens,
      now,
      ranges,
      redirectBytes: options.redirectBytes ?? REDIRECT_BYTES,
      handOver: (entity) => storageUrl + store.link(entity),
    });
    const pastaUrl = await start(
      { name: "pasta", handle: handler, problem: (status) => pastaStatus(status, now) },
      options.port,
    );
    const split = options.splitMemberNodes === true;
    const member = (name: "mn" | "mnEdi", nodes: ("LTER" | "EDI")[]) =>
      start({ name, handle: memberNode(objects, nodes), problem: dataoneStatus });
    const mnUrl = await member("mn", split ? ["LTER"] : ["LTER", "EDI"]);
    const mnEdiUrl = split ? await member("mnEdi", ["EDI"]) : mnUrl;
    const cn = coordinatingNode(objects, (node) => (node === "LTER" ? mnUrl : mnEdiUrl));
    return {
      pastaUrl,
      storageUrl,
      mnUrl,
      mnEdiUrl,
      authUrl: await start({ name: "auth", handle: auth(tokens), problem: authStatus }),
      citeUrl: await start({ name: "cite", handle: cite(corpus, now), problem: citeStatus }),
      cnUrl: await start({ name: "cn", handle: cn, problem: dataoneStatus }),
      key: DEMO_KEY,
      faults,
      requests,
      revokeTokens: () => tokens.revokeAll(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
