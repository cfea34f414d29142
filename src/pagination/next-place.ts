/** What an answer says about the page after it. */
import type { NextPlace } from "../contract.ts";
import { atPointer, type ExactJson } from "../json.ts";

/** An answer of a list, as far as the next one is concerned. */
export interface ListAnswer {
  readonly body: ExactJson;
  readonly items: readonly ExactJson[];
  header(name: string): string | undefined;
}

/** Text of a cursor or address; undefined for everything that stands for "no more". */
function tokenOf(value: ExactJson | undefined): string | undefined {
  switch (typeof value) {
    case "string":
      return value === "" ? undefined : value;
    case "number":
    case "bigint":
      return String(value);
    case "object":
      // JSON:API may write a link as an object.
      return value === null ? undefined : tokenOf(atPointer(value, "/href"));
    default:
      return undefined;
  }
}

/** The cursor or address of the next page, or undefined after the last one. */
export function nextToken(place: NextPlace, answer: ListAnswer): string | undefined {
  switch (place.in) {
    case "body":
      return tokenOf(atPointer(answer.body, place.at));
    case "header":
      return tokenOf(answer.header(place.name.toLowerCase()));
    case "last-item": {
      const last = answer.items.at(-1);
      const over = place.more !== undefined && atPointer(answer.body, place.more) !== true;
      return last === undefined || over ? undefined : tokenOf(atPointer(last, place.at));
    }
  }
}

/** One link: `<address>` and its parameters, quoted commas and semicolons included. */
const LINK =
  /<([^<>]*)>((?:\s*;\s*[\w!#$&+\-.^`|~*]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
const RELATION = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]*))/i;

/** The address that a `Link` header (RFC 8288) calls `next`. */
export function nextLink(header: string | undefined): string | undefined {
  for (const [, address, parameters] of (header ?? "").matchAll(LINK)) {
    const relation = RELATION.exec(parameters ?? "");
    const relations = (relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/);
    if (relations.includes("next")) {
      return address;
    }
  }
  return undefined;
}
