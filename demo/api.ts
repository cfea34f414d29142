/** The embedded Ionworks-compatible API: two servers on loopback, synthetic cells, files made on first use. */
import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { OrganizationKey } from "./catalogue/ids.ts";
import { buildRecords } from "./catalogue/records.ts";
import { allTests, DEFAULT_ROWS } from "./catalogue/tests.ts";
import { ApiError } from "./failures.ts";
import { Faults, Traffic } from "./faults.ts";
import { defaultCacheFolder, FileStore } from "./files/store.ts";
import { Links } from "./links.ts";
import { listen } from "./listen.ts";
import { Query } from "./query.ts";
import { ROUTES, type World } from "./routes.ts";
import { storageHandler } from "./storage.ts";
import { wireText } from "./wire.ts";

export interface DemoOptions {
  /** Port of the API; absent or 0: a free one. */
  readonly port?: number;
  /** Rows of the largest series, ≥ 1. */
  readonly rows?: number;
  /** Other seeds give other noise. */
  readonly seed?: number;
  /** Where made files are kept; absent: the user's cache folder. */
  readonly cacheFolder?: string;
  /** Makes all missing files in the background; else each is made when it is asked for. */
  readonly makeAll?: boolean;
  readonly linkLifetimeMs?: number;
  readonly onProgress?: (text: string) => void;
}

export interface DemoApi {
  readonly url: string;
  readonly storageUrl: string;
  /** Key of the organization that owns most cells. */
  readonly key: string;
  /** Key of another organization, which sees other cells. */
  readonly partnerKey: string;
  /** Switches for tests; see {@link Faults}. */
  readonly faults: Faults;
  readonly traffic: Traffic;
  close(): Promise<void>;
}

/** Supabase's links to files are good for minutes. */
const LINK_LIFETIME_MS = 5 * 60_000;

const newKey = () => `iwk_demo_${randomBytes(18).toString("base64url")}`;

/** Starts the API and its object store. @throws Error where the port is taken or the cache folder cannot be written */
export async function startDemoApi(options: DemoOptions = {}): Promise<DemoApi> {
  const { rows = DEFAULT_ROWS, seed = 1, linkLifetimeMs = LINK_LIFETIME_MS } = options;
  const tests = allTests(rows);
  const store = new FileStore(
    options.cacheFolder ?? defaultCacheFolder(),
    tests,
    { rows, seed },
    options.onProgress ?? (() => {}),
  );
  const faults = new Faults(linkLifetimeMs);
  const traffic = new Traffic();
  const links = new Links();
  const records = buildRecords(tests);
  const keys = new Map<string, OrganizationKey>([
    [newKey(), "own"],
    [newKey(), "partner"],
  ]);
  const [key = "", partnerKey = ""] = keys.keys();
  const storage = await listen(
    "storage",
    0,
    faults,
    traffic,
    storageHandler(records.tests, store, links, traffic),
  );
  const world: World = { records, store, links, faults, storageUrl: () => storage.url };
  const api = await listen("api", options.port ?? 0, faults, traffic, (request, response) =>
    answer(world, keys, traffic, request, response),
  ).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  if (options.makeAll === true) {
    store.makeAll();
  }
  return {
    url: api.url,
    storageUrl: storage.url,
    key,
    partnerKey,
    faults,
    traffic,
    close: async () => {
      await Promise.all([api.close(), storage.close(), store.close()]);
    },
  };
}

const PATTERNS = Object.entries(ROUTES).map(([path, route]) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll("{}", "([^/]+)")}$`),
  route,
}));

async function answer(
  world: World,
  keys: ReadonlyMap<string, OrganizationKey>,
  traffic: Traffic,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, text: string, headers: Record<string, string> = {}) => {
    const body = Buffer.from(text);
    traffic.bytes.api += body.length;
    // Exactly this media type: clients compare the whole text.
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": body.length,
      ...headers,
    });
    response.end(body);
  };
  try {
    const result = await respond(world, keys, request);
    if ("location" in result) {
      response.writeHead(307, { location: result.location, "content-length": 0 }).end();
    } else {
      send(200, "text" in result ? result.text : wireText(result.value));
    }
  } catch (error) {
    const refusal =
      error instanceof ApiError
        ? error
        : new ApiError(500, { error_code: "INTERNAL_ERROR", message: String(error), detail: null });
    send(refusal.status, wireText(refusal.body), {
      "x-correlation-id": randomUUID(),
      ...refusal.headers,
    });
  }
}

function respond(
  world: World,
  keys: ReadonlyMap<string, OrganizationKey>,
  request: IncomingMessage,
) {
  const url = new URL(`http://api${request.url ?? "/"}`);
  const path = decodedPath(url.pathname);
  for (const { path: template, pattern, route } of PATTERNS) {
    const match = pattern.exec(path);
    if (match !== null) {
      if (request.method !== "GET") {
        throw new ApiError(405, { detail: "Method Not Allowed" }, { allow: "GET" });
      }
      const caller = template === "/healthz" ? "own" : callerOf(request, keys);
      const query = new Query(url.searchParams);
      return route({ world, caller, ids: match.slice(1), query });
    }
  }
  throw new ApiError(404, { detail: "Not Found" });
}

/** The path as the framework sees it: decoded before it is matched. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new ApiError(404, { detail: "Not Found" });
  }
}

/** Who calls. A bearer token wins over a key. @throws ApiError 401 */
function callerOf(
  { headers }: IncomingMessage,
  keys: ReadonlyMap<string, OrganizationKey>,
): OrganizationKey {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1];
  const given = bearer ?? headers["x-api-key"];
  if (typeof given !== "string") {
    throw new ApiError(401, { detail: "Not authenticated" });
  }
  const caller = keys.get(given);
  if (caller === undefined) {
    throw ApiError.unauthorized("Invalid or expired API key");
  }
  return caller;
}
