/** Names that `init` proposes: of tools, arguments and variables. The same document gives the same names. */
import type { Operation } from "../drift/operations.ts";

const MAX_NAME = 48;
const VERBS = new Set(
  "add cancel check count create delete describe download export fetch find get head is list lookup login logout patch post put query read remove replace resolve retrieve search send set show update upload validate".split(
    " ",
  ),
);
const METHOD_VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "check",
  POST: "create",
  PUT: "replace",
  PATCH: "update",
  DELETE: "delete",
};

/** `getPetById`, `Get pet-by ID` → `get_pet_by_id`; `""` where there is nothing but signs. */
export function snakeCase(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase()
    .replace(/^_+|_+$/g, "");
}

/** At most `max` characters, cut between words where that leaves enough. */
function cut(name: string, max: number): string {
  if (name.length <= max) {
    return name;
  }
  const end = name.lastIndexOf("_", max);
  return name.slice(0, end > max / 2 ? end : max).replace(/_+$/, "");
}

const pathWords = (path: string) =>
  snakeCase(path.replace(/\{([^}]*)\}/g, (_, name: string) => `by_${name}`));

function bareName({ path, method, operationId }: Operation, isList: boolean): string {
  const id = snakeCase(operationId ?? "");
  // Frameworks append path and method to make ids unique.
  const tail = `_${snakeCase(path)}_${method.toLowerCase()}`;
  const own = id.endsWith(tail) ? id.slice(0, -tail.length) : id;
  const words = own === "" ? pathWords(path) || "root" : own;
  const verb = method === "GET" && isList ? "list" : (METHOD_VERBS[method] ?? method.toLowerCase());
  // `zone_list` is a list of zones: it says so once.
  const named = VERBS.has(words.split("_")[0] ?? "")
    ? words
    : `${verb}_${words.replace(/(?<=[a-z])_list$/, "")}`;
  return cut(named, MAX_NAME);
}

/** A tool's name for each operation: unique, 3 to 48 characters; `taken` are in use already. */
export function toolNames(
  operations: readonly Operation[],
  isList: (operation: Operation) => boolean,
  taken: Iterable<string> = [],
): Map<Operation, string> {
  const used = new Set(taken);
  const names = new Map<Operation, string>();
  const address = ({ path, method }: Operation) => `${path} ${method}`;
  for (const operation of [...operations].sort((a, b) => (address(a) < address(b) ? -1 : 1))) {
    const bare = bareName(operation, isList(operation));
    let name = bare;
    for (let number = 2; used.has(name); number += 1) {
      name = `${cut(bare, MAX_NAME - `_${number}`.length)}_${number}`;
    }
    used.add(name);
    names.set(operation, name);
  }
  return names;
}

/** An argument's name for a parameter's: `page[limit]` → `page_limit`; most stay as they are. */
export function argumentName(parameter: string): string {
  if (/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/.test(parameter)) {
    return parameter;
  }
  const words = snakeCase(parameter).slice(0, 60);
  return /^[a-z]/.test(words) ? words : `p_${words}`;
}

/** `weather-gov`, at most 32 characters; `api` where a title has no letters. */
export function serverName(title: string): string {
  // What every document says of itself names none.
  const own = title.replace(/\b(open ?api|swagger|rest|api|v?\d+(\.\d+)*)\b/gi, " ");
  const words = cut(snakeCase(own).replace(/^[^a-z]+/, ""), 32).replaceAll("_", "-");
  return words.length < 2 ? "api" : words;
}

/** `WEATHER_GOV`, the start of a server's variables. */
export const variablePrefix = (name: string): string => name.toUpperCase().replaceAll("-", "_");
