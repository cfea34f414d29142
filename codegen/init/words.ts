/** Words that `init` proposes: a document's own, as plain text and short. */
import { type Place, textOf } from "../drift/place.ts";
import type { Operation } from "../drift/operations.ts";

/** Most characters of a tool's and of an argument's description. */
const MAX_TOOL = 300;
const MAX_ARGUMENT = 160;
const MIN_TOOL = 40;
const MAX_TITLE = 60;

/** Markdown and HTML as one line of text. */
function plainText(text: string): string {
  return text
    .slice(0, 20_000)
    .replace(/<!--[\s\S]{0,2000}?-->|<\/?[a-zA-Z][^<>]{0,500}>/g, " ")
    .replace(/!?\[([^\][]{0,200})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/^\s{0,3}(#{1,6}|>|[-*+])\s+/gm, "")
    .replace(/\*\*|__|`/g, "")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
}

/** Whole sentences, at most `max` characters; a first sentence that is longer is cut between words. */
export function shorten(text: string, max: number): string {
  const sentences = plainText(text).split(/(?<=[.!?])\s+/);
  let short = "";
  for (const sentence of sentences) {
    const longer = short === "" ? sentence : `${short} ${sentence}`;
    if (longer.length > max) {
      break;
    }
    short = longer;
  }
  const [first = ""] = sentences;
  if (short !== "" || first === "") {
    return short;
  }
  const end = first.lastIndexOf(" ", max - 2);
  return `${[...first.slice(0, end > max / 2 ? end : max - 2)].join("").trimEnd()} …`;
}

const sentence = (text: string) => (text === "" || /[.!?…]$/.test(text) ? text : `${text}.`);

/** What an argument's description is shortened to; undefined where the document's own is short. */
export function argumentWords(description: string | undefined): string | undefined {
  const whole = (description ?? "").trim().replace(/\s+/g, " ");
  return whole.length <= MAX_ARGUMENT && plainText(whole) === whole
    ? undefined
    : shorten(whole, MAX_ARGUMENT) || undefined;
}

/** A tool's description, 40 to 300 characters, from the document. */
export function toolWords({ operation, method, path }: Operation): string {
  const summary = sentence(shorten(textOf(operation, "summary") ?? "", MAX_TOOL));
  const detail = textOf(operation, "description") ?? "";
  const repeats = plainText(detail).toLowerCase().startsWith(summary.slice(0, -1).toLowerCase());
  const both = repeats ? detail : `${summary} ${detail}`;
  const words = sentence(shorten(both, MAX_TOOL - 1));
  const address = `Answers ${method} ${path}`.slice(0, MAX_TOOL - MIN_TOOL);
  const long = words.length < MIN_TOOL ? `${words} ${address}.`.trim() : words;
  return long.length < MIN_TOOL ? `${long} The document says no more about it.` : long;
}

/** A tool's title, at most 60 characters. */
export function toolTitle({ operation }: Operation, name: string): string {
  const summary = plainText(textOf(operation, "summary") ?? "").replace(/\.$/, "");
  const words = name.replaceAll("_", " ");
  return summary.length > 0 && summary.length <= MAX_TITLE
    ? summary
    : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Title of a document. */
export function titleOf(info: Place | undefined): string {
  return plainText(info === undefined ? "" : (textOf(info, "title") ?? "")).slice(0, 100);
}
