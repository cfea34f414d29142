/** Routes by path pattern, and what a PASTA method gets to work with. */
import type { Answer } from "./answer.ts";
import type { Package } from "./build-corpus.ts";

export interface PastaCall {
  /** Path values, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly accept: string;
  /** Who asks, as PASTA's messages name them. */
  readonly user: string;
  /** The revision that the path names; a problem with this text where there is none. */
  readonly findPackage: (complaint?: string) => Package;
}

export interface PastaRoute {
  /** Name of the service method: what a refusal quotes. */
  readonly method: string;
  /** Segments; `:name` takes any one segment, `:flexRevision` also takes `newest` and `oldest`. */
  readonly path: string;
  readonly answer: (call: PastaCall) => Answer;
}

/** A failure that PASTA words as plain text. */
export class PastaProblem extends Error {
  readonly status: number;
  /** PASTA appends the time to most messages. */
  readonly timed: boolean;

  constructor(status: number, message: string, timed = true) {
    super(message);
    this.status = status;
    this.timed = timed;
  }
}

/** Path values where the path fits the pattern, else nothing; a segment that cannot be decoded does not fit. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.replace(/\/$/, "").split("/");
  if (wanted.length !== given.length) {
    return undefined;
  }
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (!part.startsWith(":")) {
      if (part !== value) {
        return undefined;
      }
      continue;
    }
    const decoded = decode(value);
    if (decoded === undefined || decoded === "") {
      return undefined;
    }
    params[part.slice(1)] = decoded;
  }
  return params;
}

/** Percent-decoded text, or nothing where the escapes are not UTF-8. */
export function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
