/**
 * JSON as the API writes it: real numbers keep their decimal point (`5.0`), so that clients that type a column by its
 * first value see a real column; integers stay integers.
 */

/** A real number; NaN and infinities are written as null. */
export class Real {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A column of real numbers. */
export class RealColumn {
  readonly values: readonly (number | null)[];
  constructor(values: readonly (number | null)[]) {
    this.values = values;
  }
}

/** What an answer is made of. Plain numbers are integers. */
export type Wire =
  | null
  | boolean
  | number
  | string
  | Real
  | RealColumn
  | readonly Wire[]
  | { readonly [key: string]: Wire };

export type WireRecord = { readonly [key: string]: Wire };

function realText(value: number | null): string {
  if (value === null || !Number.isFinite(value)) {
    return "null";
  }
  if (Object.is(value, -0)) {
    return "-0.0";
  }
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** JSON text of an answer, compact. */
export function wireText(value: Wire): string {
  if (value instanceof Real) {
    return realText(value.value);
  }
  if (value instanceof RealColumn) {
    return `[${value.values.map(realText).join(",")}]`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(wireText).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}:${wireText(member)}`,
    );
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}

/** A number with its unit. */
export const quantity = (value: number, unit: string): WireRecord => ({
  value: new Real(value),
  unit,
});
