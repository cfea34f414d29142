/** How schemas, values and names are said in a finding. */
import type { Json } from "../../src/contract.ts";
import type { SchemaView } from "./view.ts";

/** Longest value that is quoted, characters: a document may hold anything. */
const MAX_VALUE = 60;

/** Names or values in one line, the first ten of them. */
const MAX_LISTED = 10;

/** Text of a document in one line, cut. */
export function quote(value: Json): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ");
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}

/** `a, b, c` and how many more. */
export function list(values: readonly Json[]): string {
  const shown = values.slice(0, MAX_LISTED).map(quote).join(", ");
  const more = values.length - MAX_LISTED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The type of a schema: `integer`, `array of string`, `string or null`, `any`. */
export function typeWords(view: SchemaView, itemView?: SchemaView): string {
  if (view.types.size === 0) {
    return "any";
  }
  const names = [...view.types].sort().map((name) => {
    const item = name === "array" && itemView !== undefined ? typeWords(itemView) : "any";
    return item === "any" ? name : `array of ${item}`;
  });
  return [...names, ...(view.nullable ? ["null"] : [])].join(" or ");
}

/** Two prose texts that differ in more than white space. */
export function saysOtherwise(a: string | undefined, b: string | undefined): boolean {
  const flat = (text: string | undefined) => (text ?? "").replace(/\s+/g, " ").trim();
  return flat(a) !== flat(b);
}
