/** A try that failed in a way that another try may mend. */
import { ToolError } from "../errors.ts";

export class Setback extends Error {
  /** What the caller is told when no other try is made. */
  readonly failure: ToolError;
  /** `now`: the connection had gone stale while it was idle, which says nothing about the upstream's state. */
  readonly again: "now" | "later" | "never";
  /** Wait that the upstream asked for [ms]. */
  readonly waitMs: number | undefined;

  constructor(failure: ToolError, again: Setback["again"], waitMs?: number) {
    super(failure.message);
    this.name = "Setback";
    this.failure = failure;
    this.again = again;
    this.waitMs = waitMs;
  }
}

const UNAVAILABLE_HINT = "Try again in a minute; if it stays so, check the upstream's address";

const REFUSED = new Set(["ECONNREFUSED"]);
const DROPPED = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "HPE_INVALID_EOF_STATE"]);
const UNREACHABLE = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "ENETDOWN"]);
const TRUNCATED = new Set(["Z_BUF_ERROR"]);
const TLS =
  /^(CERT_|ERR_TLS|ERR_SSL|EPROTO$|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;
const NOT_HTTP = /^HPE_/;
const UNDECODABLE = /^(Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING|ERR_ZLIB)/;

/**
 * What went wrong on the way to `host`, in words; undefined for errors that are not the network's.
 * @param stale whether the connection had served an earlier request and died before this one's answer began
 */
export function setbackOf(
  error: unknown,
  what: string,
  host: string,
  stale: boolean,
): Setback | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") {
    return undefined;
  }
  const unavailable = (happened: string, again: Setback["again"]): Setback =>
    new Setback(
      new ToolError("UPSTREAM_UNAVAILABLE", `${what} got no answer: ${happened}`, {
        hint: UNAVAILABLE_HINT,
        cause: error,
      }),
      again,
    );
  const unreadable = (happened: string): Setback =>
    new Setback(
      new ToolError("UNREADABLE_ANSWER", `The answer to ${what} ${happened}`, { cause: error }),
      "never",
    );
  if (REFUSED.has(code)) {
    return unavailable(`${host} refuses connections`, "later");
  }
  if (DROPPED.has(code)) {
    return unavailable(`${host} dropped the connection`, stale ? "now" : "later");
  }
  if (TRUNCATED.has(code)) {
    return unavailable(`${host} sent only a part of it`, "later");
  }
  if (UNREACHABLE.has(code)) {
    return unavailable(`${host} cannot be reached (${code})`, "later");
  }
  if (code === "ENOTFOUND") {
    return unavailable(`no address is known for the name ${host}`, "never");
  }
  if (TLS.test(code)) {
    return unavailable(`no trusted TLS connection to ${host} (${code})`, "never");
  }
  if (NOT_HTTP.test(code)) {
    return unreadable(`is not valid HTTP (${code})`);
  }
  if (UNDECODABLE.test(code)) {
    return unreadable("is compressed in a way that cannot be undone");
  }
  return undefined;
}
