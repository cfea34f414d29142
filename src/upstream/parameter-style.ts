/** How a parameter's value is written: the style table of the OpenAPI Specification (3.0.4, 3.1.1). */
import type { ParameterBinding } from "../contract.ts";
import { ToolError } from "../errors.ts";

/** A value as the table distinguishes it, its pieces not yet encoded. */
type Shape =
  | { readonly kind: "one"; readonly value: string }
  | { readonly kind: "list"; readonly values: readonly string[] }
  | { readonly kind: "pairs"; readonly pairs: readonly (readonly [string, string])[] };

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Reserved characters that stay as they are under `allowReserved` and cannot end a query or one of its values. */
const KEPT_RESERVED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g;

function encoderFor(parameter: ParameterBinding): (text: string) => string {
  switch (parameter.in) {
    case "header":
      return (text) => text;
    case "query":
      return parameter.allowReserved === true
        ? (text) => percentEncode(text).replace(KEPT_RESERVED, decodeURIComponent)
        : percentEncode;
    default:
      return percentEncode;
  }
}

function piece(value: unknown, parameter: ParameterBinding): string {
  if (typeof value === "string") {
    if (/\p{Cs}/u.test(value)) {
      throw unwritable(parameter, "is not well-formed text");
    }
    return value;
  }
  if (typeof value === "boolean" || typeof value === "bigint" || Number.isFinite(value)) {
    return String(value);
  }
  throw unwritable(parameter, "holds a value that cannot be written in a request");
}

function unwritable(parameter: ParameterBinding, why: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", `${parameter.argument ?? parameter.name} ${why}`);
}

/** Text in, text out: the value itself, or the parameter's template filled in. */
function wired(text: string, template: string | undefined): string {
  return template === undefined
    ? text
    : template.replace(/\{(value|like)\}/g, (_, how: string) =>
        how === "like" ? text.replace(/[\\%_]/g, "\\$&") : text,
      );
}

function shapeOf(parameter: ParameterBinding, value: unknown): Shape {
  const write = (part: unknown): string => wired(piece(part, parameter), parameter.wire);
  if (Array.isArray(value)) {
    return { kind: "list", values: value.map(write) };
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return { kind: "pairs", pairs: members.map(([key, member]) => [key, write(member)]) };
  }
  return { kind: "one", value: write(value) };
}

/** Every piece of text that a value is made of, for those who must look at each. */
export function piecesOf(parameter: ParameterBinding, value: unknown): readonly string[] {
  const shape = shapeOf(parameter, value);
  switch (shape.kind) {
    case "one":
      return [shape.value];
    case "list":
      return shape.values;
    case "pairs":
      return shape.pairs.flat();
  }
}

/**
 * A parameter as it stands in the request: the text that replaces `{name}` in a path, `name=value` with `&` between
 * several in a query, the value of a header, or `name=value` with `; ` between several in a cookie.
 * An empty list or object gives "".
 * @throws ToolError INVALID_ARGUMENT for what has no written form: nested values, broken surrogates, NaN
 */
export function writeParameter(parameter: ParameterBinding, value: unknown): string {
  const encode = encoderFor(parameter);
  const { style, explode } = parameter;
  const raw = shapeOf(parameter, value);
  const name = parameter.in === "header" ? parameter.name : percentEncode(parameter.name);
  const one = raw.kind === "one" ? encode(raw.value) : undefined;
  const pairs = raw.kind === "pairs" ? raw.pairs.map(([k, v]) => [encode(k), encode(v)]) : [];
  const flat = raw.kind === "list" ? raw.values.map(encode) : pairs.flat();
  const equations = pairs.map(([key, part]) => `${key}=${part}`);
  if (one === undefined && flat.length === 0) {
    return "";
  }
  switch (style) {
    case "simple":
      return one ?? (explode && pairs.length > 0 ? equations : flat).join(",");
    case "label":
      return `.${one ?? (explode ? (pairs.length > 0 ? equations : flat).join(".") : flat.join(","))}`;
    case "matrix": {
      const named = (part: string): string => (part === "" ? `;${name}` : `;${name}=${part}`);
      if (one !== undefined || !explode) {
        return named(one ?? flat.join(","));
      }
      return pairs.length > 0
        ? equations.map((equation) => `;${equation}`).join("")
        : flat.map(named).join("");
    }
    case "deepObject":
      if (pairs.length > 0) {
        return pairs.map(([key, part]) => `${name}%5B${key}%5D=${part}`).join("&");
      }
      break;
    default:
      break;
  }
  const between = parameter.in === "cookie" ? "; " : "&";
  if (one !== undefined) {
    return `${name}=${one}`;
  }
  if (explode) {
    return (pairs.length > 0 ? equations : flat.map((part) => `${name}=${part}`)).join(between);
  }
  const delimiter = { spaceDelimited: "%20", pipeDelimited: "%7C" }[style as string] ?? ",";
  return `${name}=${flat.join(delimiter)}`;
}
