/** An HTTP upstream: whitelisted reads, answers under caps, files by byte ranges. */
import { createHash } from "node:crypto";
import type { ByteSource } from "../byte-source.ts";
import type { CallContext, OperationBinding } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { Api, type Asked } from "./api.ts";
import { bodyType, decodeText, readWhole } from "./body.ts";
import type { Caller, Credential } from "./credential.ts";
import type { Connections, Reply } from "./exchange.ts";
import { Files, type SharedFiles } from "./files.ts";
import { Flights } from "./flights.ts";
import { Handles } from "./handles.ts";
import { Limits, type Sleep } from "./limits.ts";
import { buildRequest } from "./request.ts";
import { Sender } from "./sender.ts";
import { SealedStore, type SharedStore } from "./shared-store.ts";
import { nextQuery } from "./next-query.ts";
import { isRedirect } from "./redirect.ts";
import { htmlTitle, isHtml } from "./upstream-text.ts";

export interface UpstreamOptions {
  /** Address of the API; a path in it comes before every operation's. */
  readonly baseUrl: string;
  /** The operator's own. */
  readonly credential?: Credential;
  /** Sent with every API request, never anywhere else. */
  readonly headers: Readonly<Record<string, string>>;
  /** Configuration variables by name, for parameters that fall back on one. */
  variable(name: string): string | undefined;
  /** Longest time to an answer's head, and between two pieces of its body [ms]; 10 s by default. */
  readonly tryMs?: number;
  /** Longest time of all that one call asks, tries and waits included [ms]; 50 s by default. */
  readonly totalMs?: number;
  /** Most requests in flight; 4 by default. */
  readonly concurrency?: number;
  /** Largest decoded answer [bytes]; 64 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Largest file that is read whole because its store knows no ranges [bytes]; 1 GiB by default. */
  readonly maxFileBytes?: number;
  /** Hosts that redirects may lead to (`*.example.org` for all below); absent: any https host. */
  readonly redirectHosts?: readonly string[];
  readonly userAgent: string;
  /** What the replicas of this server share: links, ends and ranges of files. It is closed with the upstream. */
  readonly shared?: SharedStore;
  /** What requests travel over; its own, to where they are addressed, by default. */
  readonly connections?: Connections;
  /** Told about retries; details hold no secret. */
  readonly log?: (message: string, details: Record<string, string | number>) => void;
  /** Evenly distributed in [0, 1). */
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

/** A successful answer, whole. */
export interface Answer {
  readonly status: number;
  /** Lower case, without parameters; "" when the upstream names none. */
  readonly mediaType: string;
  /** Body, decompressed; text in another charset than UTF-8 is given as UTF-8. */
  readonly bytes: Uint8Array;
  /** A header's value; several joined by `, `. Names in lower case. */
  header(name: string): string | undefined;
}

export interface Upstream {
  /**
   * Sends an operation and reads its answer.
   * @param next address of the next page as an earlier answer of this operation gave it; its query replaces the arguments'
   * @throws ToolError for everything but 2xx
   */
  send(
    operation: OperationBinding,
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
    next?: string,
  ): Promise<Answer>;
  /** Opens the file that an operation redirects to, or answers with. @throws ToolError */
  openFile(
    operation: OperationBinding,
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Promise<ByteSource>;
  /** Names operation, arguments and credential, and gives none of them away: a key for caches. */
  identityKey(operation: OperationBinding, args: Readonly<Record<string, unknown>>): string;
  /**
   * The same upstream as one caller sees it: connections, limits and caches are shared, what was read for one identity is
   * never given to another. Made for a call and forgotten with it: nothing that stays holds the credential.
   */
  as(caller: Caller): Upstream;
  /** Ends connections and removes temporary files. */
  close(): Promise<void>;
}

const DEFAULTS = {
  tryMs: 10_000,
  totalMs: 50_000,
  concurrency: 4,
  maxBodyBytes: 64 * 1024 * 1024,
  maxFileBytes: 1024 * 1024 * 1024,
};

const sleepForReal: Sleep = (ms, done) => {
  const timer = setTimeout(done, ms);
  return () => clearTimeout(timer);
};

/** What an answer is made of before its text is known to be UTF-8. */
interface RawAnswer extends Answer {
  readonly charset?: string;
}

/** Text in another charset is turned into UTF-8, so that nobody further on has to ask. */
function toUtf8({ charset, ...answer }: RawAnswer, what: string): Answer {
  if (charset === undefined || charset === "utf-8" || charset === "utf8") {
    return answer;
  }
  try {
    return { ...answer, bytes: new TextEncoder().encode(decodeText(answer.bytes, charset, true)) };
  } catch (error) {
    throw new ToolError("UNREADABLE_ANSWER", `The answer to ${what} is not text in ${charset}`, {
      hint: "Try again; if it stays so, the upstream answers wrongly",
      cause: error,
    });
  }
}

/** @throws ToolError UNREADABLE_ANSWER for nothing, or a page for people, where JSON was asked */
function requireSense(answer: RawAnswer, operation: OperationBinding, what: string): void {
  if (operation.method === "HEAD") {
    return;
  }
  const asksJson = operation.accept.some((type) => /[/+]json\b/.test(type));
  // 204 and 205 say that there is nothing to tell.
  const saysNothing = answer.status === 204 || answer.status === 205;
  if (asksJson && answer.bytes.length === 0 && !saysNothing) {
    throw new ToolError(
      "UNREADABLE_ANSWER",
      `${what} was answered with ${answer.status} and no body`,
      {
        hint: "Try again in a minute",
      },
    );
  }
  if (isHtml(answer.mediaType, "") && !operation.accept.some((type) => isHtml(type, ""))) {
    const title = htmlTitle(decodeText(answer.bytes.subarray(0, 16 * 1024), answer.charset, false));
    throw new ToolError("UNREADABLE_ANSWER", `${what} was answered with ${title} instead of data`, {
      hint: "Check the upstream's address: this may be a login or maintenance page",
    });
  }
}

/** What all callers share. */
interface Shared {
  readonly options: UpstreamOptions;
  readonly limits: Required<Pick<UpstreamOptions, keyof typeof DEFAULTS>>;
  readonly sender: Sender;
  readonly files: SharedFiles;
  /** One call may ask several things; its time is counted from the first. */
  readonly calls: WeakMap<CallContext, Limits>;
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

function upstreamAs(
  shared: Shared,
  credential: Credential | undefined,
  extra: Readonly<Record<string, string>>,
): Upstream {
  const { options, limits, sender, calls } = shared;
  const { baseUrl, headers } = options;
  const api = new Api(
    {
      baseUrl,
      credential,
      headers: { ...extra, ...headers },
      redirectHosts: options.redirectHosts,
      userAgent: options.userAgent,
    },
    sender,
  );
  const who = [
    api.baseUrl,
    credential?.scheme.name,
    credential?.secret.reveal(),
    Object.entries(headers).sort(),
  ];
  const identity = hash(who);
  // Where links may lead is settled before they are shared, so it belongs to what sharers have in common.
  const store =
    options.shared &&
    new SealedStore(options.shared, JSON.stringify([who, options.redirectHosts ?? null]));
  const files = new Files(api, shared.files, limits.maxFileBytes, store);
  const callOf = (context: CallContext): Limits => {
    const call = calls.get(context) ?? new Limits(context, limits.totalMs, identity);
    calls.set(context, call);
    return call;
  };
  const ask = (operation: OperationBinding, args: Readonly<Record<string, unknown>>): Asked => ({
    built: buildRequest(operation, args, options.variable),
    args,
  });
  const askNext = (
    operation: OperationBinding,
    args: Readonly<Record<string, unknown>>,
    next: string,
  ): Asked => {
    const built = buildRequest(operation, args, options.variable);
    const { scheme } = credential ?? {};
    const secretParameter = scheme?.in === "query" ? scheme.parameter : undefined;
    return { built: { ...built, query: nextQuery(baseUrl, built, next, secretParameter) }, args };
  };
  const keyOf = ({ built }: Asked): string =>
    hash([
      identity,
      [built.operation.operationId, built.method, built.path, built.query],
      Object.entries(built.headers).sort(),
    ]);

  return {
    async send(operation, args, context, next) {
      const asked = next === undefined ? ask(operation, args) : askNext(operation, args, next);
      const call = callOf(context);
      const receive = async (reply: Reply, from: "api" | "store"): Promise<Answer> => {
        if (reply.status < 200 || reply.status > 299) {
          return api.refuse(asked, from, reply);
        }
        const what = api.describe(asked, "api");
        const bytes = await readWhole(reply, limits.maxBodyBytes, what);
        const { status, header } = reply;
        const answer: RawAnswer = { status, ...bodyType(reply), bytes, header };
        requireSense(answer, operation, what);
        return toUtf8(answer, what);
      };
      const first = await api.ask(asked, call, async (reply, origin) =>
        isRedirect(reply.status)
          ? { next: await api.redirected(asked, origin, reply) }
          : { answer: await receive(reply, origin.from) },
      );
      return "answer" in first
        ? first.answer
        : api.follow(asked, first.next, {}, call, (reply, origin) => receive(reply, origin.from));
    },

    async openFile(operation, args, context) {
      const asked = ask(operation, args);
      return files.open(asked, keyOf(asked), callOf(context));
    },

    identityKey: (operation, args) => keyOf(ask(operation, args)),

    as: (caller) =>
      upstreamAs(shared, caller.credential ?? credential, { ...extra, ...caller.headers }),

    async close() {
      sender.close();
      await Promise.all([shared.files.handles.close(), options.shared?.close()]);
    },
  };
}

/** Creates an upstream; sends nothing. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const limits = { ...DEFAULTS, ...options };
  const sender = new Sender({
    ...limits,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleepForReal,
    log: options.log ?? (() => undefined),
  });
  const files = { handles: new Handles(limits.maxFileBytes), flights: new Flights(limits.totalMs) };
  const shared: Shared = { options, limits, sender, files, calls: new WeakMap() };
  return upstreamAs(shared, options.credential, {});
}
