/** What an upstream says in an error body, whatever its shape, made fit to be quoted. */
import type { Secret } from "../secret.ts";
import { cleanText } from "../result/clean.ts";

/** Longest text of an upstream that is quoted (characters). */
const MAX_QUOTE = 500;

/** One thing an upstream found wrong with a request, and the parameter it names, as it stands on the wire. */
export interface Problem {
  readonly parameter?: string;
  readonly text: string;
}

/** An error body's content: a sentence, a code, and problems with parameters. */
export interface UpstreamText {
  readonly text: string;
  readonly problems: readonly Problem[];
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

function firstText(members: Members, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = members[name];
    if (typeof value === "string" && value.trim() !== "") {
      return value;
    }
  }
  return undefined;
}

const TEXT_NAMES = ["message", "msg", "reason", "detail", "description", "error_description"];
const PARAMETER_NAMES = ["parameter", "param", "field", "name", "path", "pointer"];
const LIST_NAMES = ["detail", "errors", "invalid-params", "invalid_params", "details"];

/** FastAPI's `loc` begins with the place (`query`, `path`, `body`) and ends with the parameter or an index in it. */
function parameterOf(entry: Members): string | undefined {
  if (Array.isArray(entry.loc)) {
    const names = entry.loc.filter((part): part is string => typeof part === "string");
    return names.length > 1 ? names[1] : names[0];
  }
  return firstText(entry, PARAMETER_NAMES);
}

function problemsOf(list: readonly unknown[]): Problem[] {
  return list.flatMap((entry): Problem[] => {
    if (typeof entry === "string") {
      return [{ text: entry }];
    }
    const members = membersOf(entry);
    const text = members && firstText(members, [...TEXT_NAMES, "title", "error"]);
    if (members === undefined || text === undefined) {
      return [];
    }
    const parameter = parameterOf(members);
    return [parameter === undefined ? { text } : { parameter, text }];
  });
}

function sentenceOf(body: Members): string | undefined {
  const inner = membersOf(body.error) ?? membersOf(body.detail);
  const text =
    firstText(body, TEXT_NAMES) ??
    (inner && firstText(inner, [...TEXT_NAMES, "title", "error"])) ??
    firstText(body, ["error", "title"]);
  const code =
    firstText(body, ["error_code", "code"]) ?? (inner && firstText(inner, ["error_code", "code"]));
  const title = firstText(body, ["title"]);
  const parts = [code, title === text ? undefined : title, text].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? undefined : parts.join(": ");
}

function fromJson(body: unknown): UpstreamText {
  if (typeof body === "string") {
    return { text: body, problems: [] };
  }
  const members = membersOf(body);
  const list = Array.isArray(body)
    ? body
    : LIST_NAMES.map((name) => members?.[name]).find((value) => Array.isArray(value));
  const problems = problemsOf(list ?? []);
  const sentence = members && sentenceOf(members);
  return { text: sentence ?? problems.map(({ text }) => text).join("; "), problems };
}

/** A page for people says little to a model: its title is enough. */
export function htmlTitle(text: string): string {
  const title = /<title[^<>]*>([\s\S]{0,300}?)<\/title>/i.exec(text)?.[1]?.trim();
  return title === undefined || title === ""
    ? "an HTML page"
    : `an HTML page titled "${title.replace(/\s+/g, " ")}"`;
}

/** Whether a media type, or the text itself where there is none, is HTML. */
export function isHtml(mediaType: string, text: string): boolean {
  return mediaType === "" ? /^\s*<(!doctype html|html)/i.test(text) : /html/.test(mediaType);
}

/** Reads an error body: standardized and FastAPI shapes, problem+json, `errors` lists, HTML, plain text. */
export function readUpstreamText(mediaType: string, text: string): UpstreamText {
  if (isHtml(mediaType, text)) {
    return { text: htmlTitle(text), problems: [] };
  }
  if (/^\s*[{["]/.test(text)) {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return { text, problems: [] };
    }
    return fromJson(body);
  }
  return { text, problems: [] };
}

/** Where a program's own trace begins; what stands before it is the message. Linear: the text is an attacker's to choose. */
const TRACE = /Traceback \(most recent call last\)|\n[ \t]+at \S+ ?\(|\n[ \t]+File "/;

/** Text that is looked at for a quotation of {@link MAX_QUOTE} characters. */
const MAX_LOOKED_AT = 4_000;

function withoutTrace(text: string): string {
  const start = text.search(TRACE);
  return start < 0 ? text : text.slice(0, start);
}

function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((kept, secret) => {
    const value = secret.reveal();
    return value === "" ? kept : kept.replaceAll(value, "****");
  }, text);
}

/**
 * Makes an upstream's text fit to be shown: no secret, no query string of a link, no trace, no control character; one
 * line of at most 500 characters.
 */
export function quotable(text: string, secrets: readonly Secret[]): string {
  // Secrets go first, so that none is cut in two, and again once what hides them is gone.
  const looked = withoutTrace(withoutSecrets(text, secrets).slice(0, MAX_LOOKED_AT));
  const plain = cleanText(looked)
    .replace(/(\bhttps?:\/\/[^\s"'<>?]*)\?[^\s"'<>]*/gi, "$1?…")
    .replace(/\s+/g, " ")
    .trim();
  const shown = withoutSecrets(plain, secrets);
  return shown.length > MAX_QUOTE ? `${shown.slice(0, MAX_QUOTE - 1)}…` : shown;
}
