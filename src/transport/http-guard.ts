/**
 * Who may ask at all. A web page that gets a browser to send requests here (DNS rebinding) names a host or an origin that
 * nobody allowed; and a key that comes over plain HTTP from another machine has been seen by others already.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Names by which a machine calls itself, as URLs write them. */
const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** Addresses that stand for all of a machine's: no name to be reached by. */
const WILDCARDS = ["0.0.0.0", "::"];

const FORWARDING = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

export interface GuardOptions {
  /** Where the server listens; IPv6 without brackets. */
  readonly host: string;
  /** Host names beside the machine's own, lower case, without port. */
  readonly allowedHosts: readonly string[];
  /** Origins beside the machine's own, lower case. */
  readonly allowedOrigins: readonly string[];
  /** A proxy in front speaks https and says so. */
  readonly trustProxy: boolean;
}

export interface Guard {
  /** Why a request is refused by where it was sent or where it came from; undefined where it is not. */
  refusal(headers: IncomingHttpHeaders): string | undefined;
  /** Whether a web page of this origin may read answers: it was allowed by name. */
  mayRead(origin: string | undefined): origin is string;
  /** Whether a key could come with this request unseen. */
  isPrivate(request: Pick<IncomingMessage, "headers" | "socket">): boolean;
}

function hostNameOf(text: string): string | undefined {
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined;
}

/** Whether an address of a connection's other end is this machine. */
function isThisMachine(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}

export function createGuard({ host, ...options }: GuardOptions): Guard {
  const bound = host.includes(":") ? `[${host}]` : host.toLowerCase();
  const hosts = new Set([
    ...OWN_NAMES,
    ...options.allowedHosts,
    ...(WILDCARDS.includes(host) ? [] : [bound]),
  ]);
  const origins = new Set(options.allowedOrigins);
  const isOwnOrigin = (origin: string): boolean =>
    URL.canParse(origin) && hosts.has(new URL(origin).hostname) && /^https?:/.test(origin);

  return {
    refusal(headers) {
      const name = hostNameOf(headers.host ?? "");
      if (name === undefined || !hosts.has(name)) {
        return "This host name is not one the server answers to; its operator allows more with --allowed-host";
      }
      const { origin } = headers;
      return origin === undefined || origins.has(origin) || isOwnOrigin(origin)
        ? undefined
        : "Web pages of this origin may not call the server; its operator allows more with --allowed-origin";
    },
    mayRead: (origin): origin is string => origin !== undefined && origins.has(origin),
    isPrivate({ headers, socket }) {
      if (options.trustProxy) {
        const said = String(headers["x-forwarded-proto"] ?? "").split(",");
        return said.every((protocol) => protocol.trim().toLowerCase() === "https");
      }
      // A proxy that nobody told us about: the request began elsewhere.
      const forwarded = FORWARDING.some((name) => headers[name] !== undefined);
      return !forwarded && isThisMachine(socket.remoteAddress);
    },
  };
}
