/** The parameters of an operation: those of its path and its own, as the document describes them. */
import type { Json, ParameterBinding, ParameterPlace } from "../../src/contract.ts";
import type { Operation } from "../drift/operations.ts";
import { placeholders } from "../drift/parameters.ts";
import { entriesOf, memberOf, membersOf, type Place, placeOf, textOf } from "../drift/place.ts";
import { type SchemaView, viewOf } from "../drift/view.ts";

export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly pointer: string;
  readonly required: boolean;
  readonly style: ParameterBinding["style"];
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly description: string | undefined;
  readonly example: Json | undefined;
  readonly schema: SchemaView;
  /** Media type of a value that is written as a document of its own; such parameters cannot be sent. */
  readonly mediaType: string | undefined;
}

const PLACES: readonly string[] = ["path", "query", "header", "cookie"];
const STYLES = [
  "simple",
  "label",
  "matrix",
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
];
/** Headers that OpenAPI tells to ignore as parameters. */
const RESERVED_HEADERS = ["accept", "content-type", "authorization"];

function exampleOf(place: Place, schema: Place): Json | undefined {
  const [, first] = membersOf(memberOf(place, "examples"))[0] ?? [];
  const listed = schema.value.examples;
  return (
    place.value.example ??
    first?.value.value ??
    schema.value.example ??
    (Array.isArray(listed) ? listed[0] : undefined)
  );
}

function parameterOf(place: Place): Parameter | undefined {
  const name = textOf(place, "name");
  const where = textOf(place, "in") ?? "";
  if (name === undefined || !PLACES.includes(where)) {
    return undefined;
  }
  const inPath = where === "path";
  const standard = inPath || where === "header" ? "simple" : "form";
  const style = STYLES.find((known) => known === place.value.style) ?? standard;
  const schema = memberOf(place, "schema") ?? placeOf(place.document, {}, place.pointer);
  const view = viewOf(schema);
  return {
    name,
    in: where as ParameterPlace,
    pointer: place.pointer,
    required: inPath || place.value.required === true,
    style: style as ParameterBinding["style"],
    explode: typeof place.value.explode === "boolean" ? place.value.explode : style === "form",
    allowReserved: place.value.allowReserved === true,
    description: textOf(place, "description") ?? view.description,
    example: exampleOf(place, schema),
    schema: view,
    mediaType: Object.keys(memberOf(place, "content")?.value ?? {})[0],
  };
}

/** The parameters that can be sent; an operation's own replaces one of its path with the same name and place. */
export function parametersOf({ item, operation }: Operation): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const place of [...entriesOf(item, "parameters"), ...entriesOf(operation, "parameters")]) {
    const parameter = parameterOf(place);
    const ignored =
      parameter?.in === "header" && RESERVED_HEADERS.includes(parameter.name.toLowerCase());
    if (parameter !== undefined && !ignored) {
      found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  return [...found.values()];
}

/** Names in the path template that no parameter describes. */
export function undescribed(operation: Operation, parameters: readonly Parameter[]): string[] {
  const described = parameters.filter((parameter) => parameter.in === "path");
  return placeholders(operation.path).filter((name) => !described.some((one) => one.name === name));
}

/** How a parameter is written, without the source of its value. */
export function bindingOf(parameter: Parameter): ParameterBinding {
  return {
    name: parameter.name,
    in: parameter.in,
    style: parameter.style,
    explode: parameter.explode,
    ...(parameter.allowReserved ? { allowReserved: true } : {}),
    required: parameter.required,
  };
}
