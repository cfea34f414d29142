/** HTTP status → one of the closed codes, with what the upstream said. */
import type { ErrorCode, OperationBinding } from "../contract.ts";
import { ToolError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { type Problem, quotable, readUpstreamText } from "./upstream-text.ts";

/** What is known about a request that was answered with something else than success. */
export interface Refusal {
  /** What was asked, for the message. */
  readonly what: string;
  readonly status: number;
  readonly mediaType: string;
  /** Start of the body. */
  readonly text: string;
  /** Wait that the upstream asked for [ms]. */
  readonly waitMs: number | undefined;
  /** `store`: where a redirect led; it never saw a credential, so none can be at fault. */
  readonly from: "api" | "store";
  /** Variable of the credential that was sent; absent when none was. */
  readonly credentialVariable: string | undefined;
  readonly secrets: readonly Secret[];
  readonly operation: OperationBinding;
  readonly args: Readonly<Record<string, unknown>>;
}

const API_CODES: Readonly<Record<number, ErrorCode>> = {
  401: "CREDENTIAL_REFUSED",
  403: "NOT_ALLOWED",
  404: "NOT_FOUND",
  408: "UPSTREAM_UNAVAILABLE",
  429: "RATE_LIMITED",
};
const STORE_CODES: Readonly<Record<number, ErrorCode>> = {
  ...API_CODES,
  401: "UPSTREAM_REFUSED",
  403: "UPSTREAM_REFUSED",
};

function codeOf({ status, from }: Refusal): ErrorCode {
  const known = (from === "api" ? API_CODES : STORE_CODES)[status];
  if (known !== undefined) {
    return known;
  }
  if (status < 400) {
    return "NOT_ALLOWED";
  }
  return status >= 500 ? "UPSTREAM_UNAVAILABLE" : "UPSTREAM_REFUSED";
}

/** The tool's argument behind a parameter's name on the wire. */
function argumentNamed(parameter: string | undefined, refusal: Refusal): string | undefined {
  const last = parameter?.replace(/^.*[/.]/, "");
  return refusal.operation.parameters.find(({ name }) => name === parameter || name === last)
    ?.argument;
}

/** Databases quote the value they could not take and do not know the parameter's name. */
function argumentQuoted(text: string, refusal: Refusal): string | undefined {
  return refusal.operation.parameters.find(({ argument }) => {
    const value = argument === undefined ? undefined : refusal.args[argument];
    return (
      (typeof value === "string" || typeof value === "number") &&
      [`"${value}"`, `'${value}'`].some((quoted) => text.includes(quoted))
    );
  })?.argument;
}

function wordsOf(problem: Problem, refusal: Refusal): string {
  const name = argumentNamed(problem.parameter, refusal) ?? problem.parameter;
  return name === undefined ? problem.text : `${name}: ${problem.text}`;
}

function hintFor(code: ErrorCode, refusal: Refusal, argument: string | undefined): string {
  switch (code) {
    case "INVALID_ARGUMENT":
      return `Correct ${argument ?? "the argument"} and call again`;
    case "CREDENTIAL_MISSING":
      return "Set the credential in this server's configuration, then restart it";
    case "CREDENTIAL_REFUSED":
      return `Check ${refusal.credentialVariable ?? "the credential"}: it is wrong, expired or revoked`;
    case "NOT_ALLOWED":
      return refusal.status < 400
        ? "Such an answer has no content; try again"
        : "The credential is valid but may not read this; use one that may, or another id";
    case "NOT_FOUND":
      return refusal.from === "store"
        ? "The record exists, its file does not; check the record's state"
        : "Check the id: list tools show valid ones, and only what the credential may see";
    case "RATE_LIMITED":
    case "UPSTREAM_UNAVAILABLE":
      return refusal.waitMs === undefined
        ? "Try again in a minute"
        : `Wait ${Math.ceil(refusal.waitMs / 1000)} s before the next call`;
    default:
      return "Change the arguments as the upstream's text says";
  }
}

/** The failure that an answer other than 2xx stands for. */
export function refusalError(refusal: Refusal): ToolError {
  const { what, status } = refusal;
  const said = readUpstreamText(refusal.mediaType, refusal.text);
  const named = said.problems
    .map(({ parameter }) => argumentNamed(parameter, refusal))
    .find((argument) => argument !== undefined);
  const judged = status === 400 || status === 422;
  const argument = judged ? (named ?? argumentQuoted(said.text, refusal)) : undefined;
  let code =
    argument !== undefined && refusal.from === "api" ? "INVALID_ARGUMENT" : codeOf(refusal);
  if (code === "CREDENTIAL_REFUSED" && refusal.credentialVariable === undefined) {
    code = "CREDENTIAL_MISSING";
  }
  const words =
    said.problems.length > 0
      ? said.problems.map((problem) => wordsOf(problem, refusal)).join("; ")
      : said.text;
  const quote = quotable(words, refusal.secrets);
  const happened = `${what} was answered with ${status}`;
  return new ToolError(
    code,
    quote === "" ? happened : `${happened}; the upstream says: "${quote}"`,
    {
      hint: hintFor(code, refusal, argument),
    },
  );
}

/**
 * `Retry-After` as a wait [ms] ≥ 0: seconds or an HTTP date.
 * @param nowMs time of day [ms since 1970]
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (/^\s*\d+\s*$/.test(value)) {
    return Number(value) * 1000;
  }
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
