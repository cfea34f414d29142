/** Columns by name. */
import { ToolError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { TableColumn } from "./table.ts";

/** Most columns that an error lists. */
const MAX_LISTED = 40;

/** The place of a column, or an error that names the nearest one and lists them. `before` goes before the message. */
export function columnAt(columns: readonly TableColumn[], name: string, before = ""): number {
  const index = columns.findIndex((column) => column.name === name);
  if (index >= 0) {
    return index;
  }
  const names = columns.map((column) => column.name);
  const near = nearest(name, names);
  const listed = names.slice(0, MAX_LISTED).map((known) => JSON.stringify(known));
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  const guess = near === undefined ? "" : `Did you mean ${JSON.stringify(near)}? `;
  throw new ToolError(
    "INVALID_ARGUMENT",
    `${before}The table has no column ${JSON.stringify(name.slice(0, 200))}`,
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
