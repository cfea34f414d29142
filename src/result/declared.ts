/** Where an answer departs from what the service's own description promises: said, never refused. */
import type { DeclaredMembers, JsonType } from "../contract.ts";
import type { ExactJson } from "../json.ts";
import { cleanText } from "./clean.ts";

/** Most departures that a note tells. */
const MAX_TOLD = 5;

function typeOf(value: ExactJson): JsonType {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return "array";
  }
  switch (typeof value) {
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    default:
      return "object";
  }
}

const fits = (type: JsonType, wanted: readonly JsonType[]): boolean =>
  wanted.includes(type) || (type === "integer" && wanted.includes("number"));

/** Departures of one object, each `name is text, not number`. */
function departuresOf(declared: DeclaredMembers, value: ExactJson): string[] {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return [`it is ${typeOf(value)}, not object`];
  }
  const missing = (declared.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const wrong = Object.entries(declared.types).flatMap(([name, wanted]) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    return member === undefined || fits(typeOf(member), wanted)
      ? []
      : [`${name} is ${typeOf(member)}, not ${wanted.join(" or ")}`];
  });
  return [...missing.map((name) => `${name} is missing`), ...wrong];
}

function tell(departures: readonly string[]): string[] {
  if (departures.length === 0) {
    return [];
  }
  const told = departures.slice(0, MAX_TOLD).map(cleanText).join("; ");
  const rest = departures.length - MAX_TOLD;
  const more = rest > 0 ? `; and ${rest} more` : "";
  return [`The answer departs from the service's own description: ${told}${more}.`];
}

/** Sentences about a record. */
export function departuresOfRecord(
  declared: DeclaredMembers | undefined,
  value: ExactJson,
): string[] {
  return declared === undefined ? [] : tell(departuresOf(declared, value));
}

/** Sentences about items of a list, the same departure of several items told once. @param offset place of the first */
export function departuresOfItems(
  declared: DeclaredMembers | undefined,
  items: readonly ExactJson[],
  offset: number,
): string[] {
  if (declared === undefined) {
    return [];
  }
  const found = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    for (const departure of departuresOf(declared, item)) {
      found.set(departure, [...(found.get(departure) ?? []), offset + index]);
    }
  }
  return tell(
    [...found].map(([departure, [first, ...others]]) =>
      others.length === 0
        ? `${departure} in item ${first}`
        : `${departure} in ${others.length + 1} items from ${first} on`,
    ),
  );
}
