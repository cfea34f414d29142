/** Upstream text is data: what could steer a terminal or hide from a reader is taken out. */
import type { ExactJson } from "../json.ts";
import type { Json } from "../contract.ts";

/**
 * Controls but newline and tab, soft hyphen, zero-width characters, direction marks and overrides, invisible operators,
 * byte-order mark, interlinear and tag characters.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text without control and zero-width characters; lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(UNSEEN, "");
}

/** Clean names, still distinct: those that differed only in what was taken out get a number. */
export function cleanNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    const clean = cleanText(name);
    let distinct = clean;
    for (let copy = 2; seen.has(distinct); copy += 1) {
      distinct = `${clean} (${copy})`;
    }
    seen.add(distinct);
    return distinct;
  });
}

/** Plain JSON with clean text in keys and values; integers beyond 2^53 as text. */
export function cleanJson(value: ExactJson): Json {
  if (typeof value === "string") {
    return cleanText(value);
  }
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return value.map(cleanJson);
  }
  if (value !== null && typeof value === "object") {
    const keys = cleanNames(Object.keys(value));
    return Object.fromEntries(
      Object.values(value).map((member, index) => [keys[index] ?? "", cleanJson(member)]),
    );
  }
  return value;
}
