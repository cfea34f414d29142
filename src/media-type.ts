/** What kind of body a media type promises. */

export type BodyFamily =
  | "json"
  | "json-lines"
  | "csv"
  | "tsv"
  | "xml"
  | "html"
  | "parquet"
  | "arrow"
  | "image"
  | "text"
  /** Bytes of a kind that is known and none of these. */
  | "other"
  /** Nothing is said. */
  | "unknown";

const FAMILIES: readonly (readonly [RegExp, BodyFamily])[] = [
  [
    /^$|^(application|binary)\/(octet-stream|download|x-download|force-download|binary)$/,
    "unknown",
  ],
  [/^(application|text)\/(x-)?(ndjson|json-?lines?|jsonl|json-seq|ldjson)$/, "json-lines"],
  [/^application\/stream\+json$/, "json-lines"],
  [/^(application|text)\/(.+\+)?json$/, "json"],
  [/^(application|text)\/(x-)?(csv|comma-separated-values)$|^application\/vnd\.ms-excel$/, "csv"],
  [/^(application|text)\/(x-)?(tsv|tab-separated-values)$/, "tsv"],
  [/^text\/html$|^application\/xhtml\+xml$/, "html"],
  // SVG is text that draws; hosts show no image of it.
  [/^(application|text)\/(.+\+)?xml$|^image\/svg\+xml$/, "xml"],
  [/^application\/(vnd\.apache\.|x-)?parquet$/, "parquet"],
  [/^application\/(vnd\.apache\.|x-)?arrow(\.(file|stream))?$/, "arrow"],
  [/^image\//, "image"],
  [/^text\//, "text"],
  [
    /^application\/(.+\+)?(yaml|x-yaml|toml|javascript|sql|x-sh|x-bibtex|x-research-info-systems|graphql)$/,
    "text",
  ],
];

/** @param mediaType lower case, without parameters; "" where the answer names none */
export function familyOf(mediaType: string): BodyFamily {
  return FAMILIES.find(([pattern]) => pattern.test(mediaType))?.[1] ?? "other";
}
