/** Operation and arguments → the exact request. Whatever is wrong with an argument is refused here, before anything is sent. */
import type { OperationBinding, ParameterBinding } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { percentEncode, piecesOf, writeParameter } from "./parameter-style.ts";

/** A request relative to its base URL. */
export interface BuiltRequest {
  readonly operation: OperationBinding;
  readonly method: OperationBinding["method"];
  /** Encoded path with a leading slash. */
  readonly path: string;
  /** Encoded query without `?`; "" when there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

function nameOf(parameter: ParameterBinding): string {
  return parameter.argument ?? parameter.fallback ?? parameter.name;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function valueFor(
  parameter: ParameterBinding,
  args: Readonly<Record<string, unknown>>,
  variable: (name: string) => string | undefined,
): unknown {
  if (parameter.fixed !== undefined) {
    return parameter.fixed;
  }
  const given = parameter.argument === undefined ? undefined : args[parameter.argument];
  if (!isAbsent(given)) {
    return given;
  }
  const configured = parameter.fallback === undefined ? undefined : variable(parameter.fallback);
  return configured === undefined || configured === "" ? parameter.default : configured;
}

function missing(parameter: ParameterBinding, operation: OperationBinding): ToolError {
  const { argument, fallback, fallbackHint } = parameter;
  const sources = [
    ...(argument === undefined ? [] : [`the argument ${argument}`]),
    ...(fallback === undefined ? [] : [`the variable ${fallback}`]),
  ];
  const what = sources.length === 0 ? `a value for ${parameter.name}` : sources.join(" or ");
  return new ToolError(
    "INVALID_ARGUMENT",
    `${operation.method} ${operation.path} needs ${what}, and none was given`,
    {
      hint:
        fallbackHint ??
        (argument === undefined ? `Set ${fallback ?? parameter.name}` : `Give ${argument}`),
    },
  );
}

/** Control characters, among them NUL and line ends; and both slashes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_IN_PATH = /[/\\\u0000-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what may not stand in a header's value
const NOT_IN_HEADER = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

function checkPathValue(parameter: ParameterBinding, value: unknown): void {
  const pieces = piecesOf(parameter, value);
  for (const text of pieces.length === 0 ? [""] : pieces) {
    if (text === "" || text === "." || text === ".." || NOT_IN_PATH.test(text)) {
      throw new ToolError(
        "INVALID_ARGUMENT",
        `${nameOf(parameter)} must be one path segment: not empty, not "." or "..", without slashes and control characters`,
        { hint: `Give ${nameOf(parameter)} exactly as a list or record shows it` },
      );
    }
  }
}

function checkHeaderValue(parameter: ParameterBinding, text: string): void {
  if (NOT_IN_HEADER.test(text)) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `${nameOf(parameter)} holds a character that a header cannot carry`,
    );
  }
}

/** Longest path and query that are sent (characters): servers and proxies take 8 to 16 KiB of headers. */
const MAX_ADDRESS = 16_000;

/**
 * Builds the request of an operation.
 * @param variable configuration variables by name, for parameters that fall back on one
 * @throws ToolError INVALID_ARGUMENT that names the argument which is missing or cannot be sent
 */
export function buildRequest(
  operation: OperationBinding,
  args: Readonly<Record<string, unknown>>,
  variable: (name: string) => string | undefined,
): BuiltRequest {
  let path = operation.path;
  const query: string[] = [];
  const cookies: string[] = [];
  const headers: Record<string, string> = {};
  for (const parameter of operation.parameters) {
    const value = valueFor(parameter, args, variable);
    if (isAbsent(value)) {
      if (parameter.required) {
        throw missing(parameter, operation);
      }
      continue;
    }
    const text = writeParameter(parameter, value);
    switch (parameter.in) {
      case "path":
        checkPathValue(parameter, value);
        path = path.replaceAll(`{${parameter.name}}`, () => text);
        break;
      case "query":
        query.push(text);
        break;
      case "cookie":
        cookies.push(text);
        break;
      case "header":
        checkHeaderValue(parameter, text);
        headers[parameter.name.toLowerCase()] = text;
        break;
    }
  }
  if (cookies.length > 0) {
    headers.cookie = cookies.filter((text) => text !== "").join("; ");
  }
  const whole = query.filter((text) => text !== "").join("&");
  if (path.length + whole.length > MAX_ADDRESS) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `The arguments make an address of ${path.length + whole.length} characters; at most ${MAX_ADDRESS} are sent`,
      { hint: "Give shorter arguments" },
    );
  }
  return { operation, method: operation.method, path, query: whole, headers };
}

/** `name=value` of a credential that travels in the query or a cookie. */
export function writePair(name: string, value: string): string {
  return `${percentEncode(name)}=${percentEncode(value)}`;
}

/** Whether a header can carry this text as it is. */
export function fitsHeader(text: string): boolean {
  return !NOT_IN_HEADER.test(text);
}
