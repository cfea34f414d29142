/** Columns by name. */
import { ToolError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { cleanNames, cleanText } from "../result/clean.ts";
import type { TableColumn } from "./table.ts";

/** Most columns that an error lists, and most characters of a name in it. */
const MAX_LISTED = 40;
const MAX_NAME = 200;

/** The place of a column, or an error that names the nearest one and lists them. `before` goes before the message. */
export function columnAt(columns: readonly TableColumn[], name: string, before = ""): number {
  const index = columns.findIndex((column) => column.name === name);
  if (index >= 0) {
    return index;
  }
  // Results show names without what hides in them, and that is how they are asked for.
  const names = cleanNames(columns.map((column) => column.name));
  const shown = names.indexOf(name);
  if (shown >= 0) {
    return shown;
  }
  const near = nearest(name, names)?.slice(0, MAX_NAME);
  const listed = names
    .slice(0, MAX_LISTED)
    .map((known) => JSON.stringify(known.slice(0, MAX_NAME)));
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  const guess = near === undefined ? "" : `Did you mean ${JSON.stringify(near)}? `;
  throw new ToolError(
    "INVALID_ARGUMENT",
    `${before}The table has no column ${JSON.stringify(cleanText(name).slice(0, MAX_NAME))}`,
    { hint: `${guess}Columns: ${listed.join(", ")}${more}` },
  );
}

/** Places of the asked columns, in the asked order, each once; all where none are asked for. */
export function chooseColumns(
  columns: readonly TableColumn[],
  asked: readonly string[] | undefined,
): number[] {
  return asked === undefined || asked.length === 0
    ? columns.map((_, index) => index)
    : [...new Set(asked.map((name) => columnAt(columns, name)))];
}
