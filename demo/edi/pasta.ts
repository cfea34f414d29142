/** PASTA: the gateway's filter, the credential, the route, and the wording of failures. */
import { type Answer, type DemoRequest, GATEWAY_PAGE, type Handler, html, text } from "./answer.ts";
import type { Corpus, Package, Quirks } from "./build-corpus.ts";
import { findPackage } from "./find-package.ts";
import { lineageRoutes } from "./pasta-lineage.ts";
import { type ReadOptions, readRoutes } from "./pasta-read.ts";
import { matchPath, PastaProblem, type PastaRoute } from "./pasta-route.ts";
import { answerSearch, pastaIndex } from "./pasta-search.ts";
import { DEMO_KEY, DEMO_USER, PUBLIC_USER, type Tokens } from "./tokens.ts";

export interface PastaOptions extends ReadOptions {
  readonly quirks: Quirks;
  readonly tokens: Tokens;
  readonly now: () => number;
}

/** Agents that the gateway takes for robots. */
const ROBOT = /bot|crawl|spider/i;

const SERVICE_HEADERS = { "Web-Service": "DataPackageManager-1.0" };

/** The handler of PASTA's origin. */
export function pasta(options: PastaOptions): Handler {
  const { corpus, quirks, tokens, now } = options;
  const index = pastaIndex(corpus, quirks);
  const routes = [...readRoutes(options), ...lineageRoutes(corpus, quirks)];
  return (request) => {
    if (ROBOT.test(request.headers["user-agent"] ?? "")) {
      return html(403, GATEWAY_PAGE);
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return pastaProblem(405, "Method Not Allowed", now);
    }
    const found = findRoute(routes, request.path);
    const searching = matchPath("/package/search/eml", request.path) !== undefined;
    const method = searching ? "searchDataPackages" : found?.route.method;
    if (method === undefined) {
      return pastaProblem(404, "The requested resource is not available", now);
    }
    const access = accessOf(request, tokens);
    if (access === "anonymous") {
      const text = `User '${PUBLIC_USER}' is not authorized to execute service method '${method}'.`;
      return pastaProblem(403, text, now);
    }
    if (access === "refused") {
      return pastaProblem(401, "The authentication token is not valid or has expired", now);
    }
    try {
      const answer =
        found === undefined
          ? answerSearch(index, request)
          : found.route.answer({
              params: found.params,
              query: request.query,
              accept: request.headers.accept ?? "",
              user: DEMO_USER,
              findPackage: (complaint) => requirePackage(corpus, found, complaint),
            });
      return withCookie(answer, request);
    } catch (error) {
      if (!(error instanceof PastaProblem)) {
        throw error;
      }
      return pastaProblem(error.status, error.message, error.timed ? now : undefined);
    }
  };
}

/** How PASTA says a status without more to say. */
export function pastaStatus(status: number, now: () => number): Answer {
  return pastaProblem(status, STATUS_TEXTS[status] ?? `Status ${status}`, now);
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  401: "The authentication token is not valid or has expired",
  429: "Too many requests",
  500: "An internal error occurred",
  503: "PASTA is in read-only mode or being restarted",
};

/** A failure in PASTA's words; with a clock the time is appended. */
function pastaProblem(status: number, message: string, now?: () => number): Answer {
  const time = now && new Date(now()).toISOString().slice(0, 19).replace("T", " ");
  const answer = text(status, time === undefined ? message : `${message} (${time})`);
  const challenge = { "WWW-Authenticate": 'Basic realm="https://pasta.lternet.edu"' };
  return {
    ...answer,
    headers: { ...answer.headers, ...SERVICE_HEADERS, ...(status === 401 ? challenge : {}) },
  };
}

function findRoute(routes: readonly PastaRoute[], path: string) {
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params !== undefined) {
      return { route, params };
    }
  }
  return undefined;
}

function accessOf(request: DemoRequest, tokens: Tokens): "granted" | "anonymous" | "refused" {
  const token = tokenOf(request);
  if (token !== undefined) {
    return tokens.isGood(token) ? "granted" : "refused";
  }
  const key = request.query.get("key");
  if (key !== null) {
    return key === DEMO_KEY ? "granted" : "refused";
  }
  return "anonymous";
}

function tokenOf({ headers }: DemoRequest): string | undefined {
  return /(?:^|;\s*)edi-token=([^;]+)/.exec(headers.cookie ?? "")?.[1];
}

/** The gateway may set the cookie again; a client must not keep it. */
function withCookie(answer: Answer, request: DemoRequest): Answer {
  const token = tokenOf(request);
  return {
    ...answer,
    headers: {
      ...SERVICE_HEADERS,
      ...answer.headers,
      ...(token === undefined
        ? {}
        : { "Set-Cookie": `edi-token=${token}; Path=/; Secure; HttpOnly` }),
    },
  };
}

function requirePackage(
  corpus: Corpus,
  { route, params }: { route: PastaRoute; params: Readonly<Record<string, string>> },
  complaint = "Attempting to read a data package that does not exist in PASTA",
): Package {
  const { scope = "", identifier = "", revision, flexRevision } = params;
  if (revision !== undefined && !/^\d+$/.test(revision)) {
    throw new PastaProblem(400, `revision value '${revision}' must be a non-negative integer`);
  }
  const wanted = revision ?? flexRevision ?? "newest";
  const one = findPackage(corpus, scope, identifier, wanted);
  if (one !== undefined) {
    return one;
  }
  const id = `${scope}.${identifier}.${wanted}`;
  const series = corpus.series.find(
    (known) => known.scope === scope && String(known.identifier) === identifier,
  );
  if (series !== undefined && series.revisions.length === 0) {
    const text = `Attempting to read a data package that was previously deleted from PASTA: ${id}`;
    throw new PastaProblem(409, text);
  }
  // Of all methods only this one leaves the time away.
  throw new PastaProblem(404, `${complaint}: ${id}`, route.method !== "readMetadata");
}
