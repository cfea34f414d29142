/** Pieces that several demo packages use: licences, layouts, columns, the sentence that says the data are invented. */
import type { Attribute, Scale, TextLayout } from "../model.ts";

export const CC_BY = {
  name: "Creative Commons Attribution 4.0 International",
  url: "https://spdx.org/licenses/CC-BY-4.0",
  id: "CC-BY-4.0",
};

export const CC0 = {
  name: "Creative Commons Zero v1.0 Universal",
  url: "https://spdx.org/licenses/CC0-1.0",
  id: "CC0-1.0",
};

export const SYNTHETIC = "Values are invented and exist only to exercise software.";

/** The layout of most tables in EDI. */
export const COMMA_LAYOUT: TextLayout = {
  headerLines: 1,
  recordDelimiter: "\\n",
  orientation: "column",
  fieldDelimiter: ",",
  quote: '"',
};

export const NOT_MEASURED = { "-9999": "Not measured" };

export function owner(name: string): string {
  return `uid=${name},o=EDI,dc=edirepository,dc=org`;
}

/** A column of numbers with a unit of the EML unit dictionary. */
export function measured(
  name: string,
  definition: string,
  unit: string,
  more: Partial<Extract<Scale, { kind: "ratio" | "interval" }>> = {},
  missing?: Readonly<Record<string, string>>,
): Attribute {
  return {
    name,
    definition,
    storage: "float",
    scale: { kind: "ratio", unit, number: "real", ...more },
    ...(missing === undefined ? {} : { missing }),
  };
}

/** A column of counts. */
export function counted(name: string, definition: string): Attribute {
  return {
    name,
    definition,
    storage: "integer",
    scale: { kind: "ratio", unit: "number", number: "whole", min: "0" },
  };
}

/** A column of free text or, with `codes`, of codes. */
export function labelled(
  name: string,
  definition: string,
  codes?: Readonly<Record<string, string>>,
): Attribute {
  return {
    name,
    definition,
    storage: "string",
    scale: codes === undefined ? { kind: "nominal", text: definition } : { kind: "nominal", codes },
  };
}

/** A column of dates or times written as `format`. */
export function dated(name: string, definition: string, format: string): Attribute {
  return { name, definition, storage: "date", scale: { kind: "dateTime", format } };
}

/** Lines joined with `\n`, with a line break at the end, in UTF-8. */
export function textFile(lines: readonly string[]): { readonly bytes: Buffer } {
  return { bytes: Buffer.from(`${lines.join("\n")}\n`) };
}
