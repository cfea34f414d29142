/** Requests to the upstream's own API: credentials, the guard, redirects. */
import createClient, { type Client } from "openapi-fetch";
import { ToolError } from "../errors.ts";
import { bodyType, decodeText, readStart } from "./body.ts";
import { ACCEPT_ENCODING, type Outgoing, type Reply } from "./exchange.ts";
import { type Credential, sourceOf } from "./credential.ts";
import type { Limits } from "./limits.ts";
import { isRedirect, MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import { refusalError } from "./refusal.ts";
import { type BuiltRequest, fitsHeader, writePair } from "./request.ts";
import type { RefusalOf, Sender } from "./sender.ts";

/** What the API client needs to know about paths: that they exist. Which ones may be asked is the binding's matter. */
type AnyOperation = {
  parameters: { path: Record<string, never>; header: Record<string, string> };
  responses: { 200: { content: { "*/*": unknown } } };
};
type AnyPaths = Record<string, { get: AnyOperation; head: AnyOperation }>;

export interface ApiOptions {
  readonly baseUrl: string;
  readonly credential: Credential | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly redirectHosts: readonly string[] | undefined;
  readonly userAgent: string;
}

/** An API request with its arguments, for messages. */
export interface Asked {
  readonly built: BuiltRequest;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Where an answer came from, for those who ask there again. Holds no credential: it may be kept. */
export interface Origin {
  readonly url: URL;
  /** `api`: the credential is sent there. Once a redirect has left the API's origin, it is `store` for good. */
  readonly from: "api" | "store";
}

/** Start of an error body that is read for its text [bytes]. */
const MAX_ERROR_BODY = 64 * 1024;

/** The API as one identity sees it. */
export class Api {
  readonly #options: ApiOptions;
  readonly #sender: Sender;
  readonly #base: URL;
  readonly #client: Client<AnyPaths>;

  constructor(options: ApiOptions, sender: Sender) {
    this.#options = options;
    this.#sender = sender;
    this.#base = new URL(options.baseUrl);
    this.#client = createClient<AnyPaths>({ baseUrl: options.baseUrl });
  }

  /** The API's own address, for identities. */
  get baseUrl(): string {
    return this.#base.href;
  }

  /**
   * Sends an operation's request. `receive` gets the answer, whatever its status but those that were tried again;
   * redirects are its own to judge.
   */
  async ask<T>(
    asked: Asked,
    call: Limits,
    receive: (reply: Reply, origin: Origin) => Promise<T>,
    extraHeaders: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const { method, path, operation, headers, query } = asked.built;
    let received: { value: T } | undefined;
    await this.#client.request(method.toLowerCase() as "get" | "head", operation.path, {
      params: {
        path: {},
        header: { ...headers, ...this.#ownHeaders(asked.built), ...extraHeaders },
      },
      parseAs: "stream",
      pathSerializer: () => `${this.#options.baseUrl.replace(/\/$/, "")}${path}`,
      querySerializer: () => this.#withCredential(query),
      // The body is received here, bytes as they come: turning it into a web stream and back would only cost time.
      fetch: async (request: Request) => {
        const outgoing = this.#guarded(request, asked);
        const origin: Origin = { url: this.#ownAddress(asked.built), from: "api" };
        received = await this.#sender.send(
          outgoing,
          call,
          this.refusalOf(asked, "api"),
          async (reply) => ({ value: await receive(reply, origin) }),
        );
        return new Response(null);
      },
    });
    if (received === undefined) {
      throw new Error("the API client did not send the request");
    }
    return received.value;
  }

  /**
   * Follows redirects from an address on. `receive` gets the first answer that is none.
   * @param extraHeaders sent to every address, e.g. `range`
   */
  async follow<T>(
    asked: Asked,
    origin: Origin,
    extraHeaders: Readonly<Record<string, string>>,
    call: Limits,
    receive: (reply: Reply, origin: Origin) => Promise<T>,
  ): Promise<T> {
    let place = origin;
    const what = this.describe(asked, "store");
    for (let asks = 0; asks < MAX_REDIRECTS; asks++) {
      const current = place;
      const { url, headers } = this.#addressed(asked.built, current);
      const outgoing: Outgoing = {
        method: asked.built.method,
        url,
        headers: { ...headers, ...extraHeaders },
        what: current.from === "api" ? this.describe(asked, "api") : what,
      };
      const outcome = await this.#sender.send(
        outgoing,
        call,
        this.refusalOf(asked, current.from),
        async (reply): Promise<{ value: T } | { next: Origin }> =>
          isRedirect(reply.status)
            ? { next: await this.redirected(asked, current, reply) }
            : { value: await receive(reply, current) },
      );
      if ("value" in outcome) {
        return outcome.value;
      }
      place = outcome.next;
    }
    throw new ToolError("NOT_ALLOWED", `${what} redirects more than ${MAX_REDIRECTS} times`, {
      hint: "This is the upstream's fault; another argument will not help",
    });
  }

  /** The place a redirect leads to. */
  async redirected(asked: Asked, from: Origin, reply: Reply): Promise<Origin> {
    // Read to its end, so that the connection can serve again.
    await readStart(reply, MAX_ERROR_BODY);
    const what = this.describe(asked, from.from);
    const location = reply.header("location");
    const url = redirectTarget(from.url, location, this.#options.redirectHosts, what);
    return { url, from: url.origin === from.url.origin ? from.from : "store" };
  }

  /** What is asked, for messages: method and path, never a query. */
  describe({ built }: Asked, from: Origin["from"]): string {
    const path = built.path.length > 200 ? `${built.path.slice(0, 200)}…` : built.path;
    const request = `${built.method} ${path}`;
    return from === "api" ? request : `the file behind ${request}`;
  }

  /** The error of an answer that is not what was wanted. */
  refusalOf(asked: Asked, from: Origin["from"]): RefusalOf {
    const { credential } = this.#options;
    return (reply, start, waitMs) => {
      const type = bodyType(reply);
      return refusalError({
        what: this.describe(asked, from),
        status: reply.status,
        mediaType: type.mediaType,
        text: decodeText(start, type.charset, false),
        waitMs,
        from,
        credentialVariable: credential === undefined ? undefined : sourceOf(credential),
        secrets: credential === undefined ? [] : [credential.secret],
        operation: asked.built.operation,
        args: asked.args,
      });
    };
  }

  /** Reads the start of a refusal's body and throws what it stands for. */
  async refuse(asked: Asked, from: Origin["from"], reply: Reply): Promise<never> {
    const start = await readStart(reply, MAX_ERROR_BODY);
    throw this.refusalOf(asked, from)(reply, start, undefined);
  }

  /** Nothing but a read, and nothing outside the API's origin and base path, gets past this point. */
  #guarded(request: Request, asked: Asked): Outgoing {
    const url = new URL(request.url);
    const { method } = request;
    if (method !== "GET" && method !== "HEAD") {
      throw new ToolError("NOT_ALLOWED", `${method} requests are never sent`);
    }
    const basePath = this.#base.pathname.replace(/\/$/, "");
    if (url.origin !== this.#base.origin || !url.pathname.startsWith(`${basePath}/`)) {
      throw new ToolError(
        "NOT_ALLOWED",
        "A request outside the upstream's own address is never sent",
      );
    }
    return {
      method,
      url,
      headers: Object.fromEntries(request.headers),
      what: this.describe(asked, "api"),
    };
  }

  /** Address of an operation, without a credential. */
  #ownAddress({ path, query }: BuiltRequest): URL {
    const address = `${this.#options.baseUrl.replace(/\/$/, "")}${path}`;
    return new URL(query === "" ? address : `${address}?${query}`);
  }

  /** What is sent to a place: the API gets the operation's headers and the credential, strangers get neither. */
  #addressed(built: BuiltRequest, { url, from }: Origin): Pick<Outgoing, "url" | "headers"> {
    if (from === "store") {
      return { url, headers: this.#strangerHeaders() };
    }
    const own = this.#ownAddress(built);
    const headers = { ...built.headers, ...this.#ownHeaders(built) };
    if (url.href !== own.href) {
      return { url, headers };
    }
    const query = this.#withCredential(built.query);
    own.search = query;
    return { url: own, headers };
  }

  #strangerHeaders(): Record<string, string> {
    return {
      accept: "*/*",
      "accept-encoding": ACCEPT_ENCODING,
      "user-agent": this.#options.userAgent,
    };
  }

  #ownHeaders({ operation, headers }: BuiltRequest): Record<string, string> {
    const { credential } = this.#options;
    const own: Record<string, string> = {
      ...this.#strangerHeaders(),
      accept: operation.accept.length === 0 ? "*/*" : operation.accept.join(", "),
    };
    for (const [name, value] of Object.entries(this.#options.headers)) {
      if (!fitsHeader(value)) {
        throw new ToolError(
          "INVALID_ARGUMENT",
          `The configured value of ${name} holds a character that a header cannot carry`,
        );
      }
      own[name.toLowerCase()] = value;
    }
    if (credential?.scheme.in === "header") {
      const text = `${credential.scheme.prefix ?? ""}${credential.secret.reveal()}`;
      if (!fitsHeader(text)) {
        throw new ToolError(
          "CREDENTIAL_REFUSED",
          `${sourceOf(credential)} holds a character that a header cannot carry`,
          { hint: `Set ${sourceOf(credential)} again, without line ends and quotes` },
        );
      }
      own[credential.scheme.parameter.toLowerCase()] = text;
    }
    if (credential?.scheme.in === "cookie") {
      const pair = writePair(credential.scheme.parameter, credential.secret.reveal());
      own.cookie = headers.cookie === undefined ? pair : `${headers.cookie}; ${pair}`;
    }
    return own;
  }

  #withCredential(query: string): string {
    const { credential } = this.#options;
    if (credential?.scheme.in !== "query") {
      return query;
    }
    const pair = writePair(credential.scheme.parameter, credential.secret.reveal());
    return query === "" ? pair : `${query}&${pair}`;
  }
}
