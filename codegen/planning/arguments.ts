/** One argument: its manifest entry and the parameter behind it, as a scalar or a list of scalars. */
import type { Json } from "../../src/contract.ts";
import { nearest } from "../../src/nearest.ts";
import { type SchemaView, viewOf } from "../drift/view.ts";
import { type ArgumentEntry, isArgumentName } from "../manifest-tool-schema.ts";
import type { ArgumentPlan, ScalarType } from "../plan.ts";
import { type Planning, suggest } from "./context.ts";
import type { Parameter } from "./parameters.ts";

const SCALARS: readonly string[] = ["string", "integer", "number", "boolean"];

type Shape = Omit<ArgumentPlan, "name" | "description" | "required">;

/** The one type of a schema; an integer is a number too, and what says nothing is text. */
function onlyType(view: SchemaView): string | undefined {
  const types = [...view.types];
  if (types.length === 0) {
    return "string";
  }
  const merged = types.includes("number") ? types.filter((name) => name !== "integer") : types;
  return merged.length === 1 ? merged[0] : undefined;
}

function enumOf(view: SchemaView): Pick<ArgumentPlan, "enum"> {
  const values = (view.values ?? []).filter(
    (value): value is string | number => typeof value === "string" || typeof value === "number",
  );
  return values.length === 0 ? {} : { enum: values };
}

/** The shape of an argument, or what is in the way of one. */
function shapeOf(view: SchemaView): Shape | string {
  const type = onlyType(view);
  if (type === undefined) {
    return `may be ${[...view.types].join(" or ")}, and an argument has one type`;
  }
  if (type === "array") {
    const items = view.items === undefined ? undefined : viewOf(view.items);
    const itemType = items === undefined ? "string" : onlyType(items);
    if (itemType === undefined || !SCALARS.includes(itemType)) {
      return "is a list of something else than texts, numbers or booleans";
    }
    const { minItems, maxItems } = view.limits;
    return {
      type: "array",
      items: { type: itemType as ScalarType, ...(items === undefined ? {} : enumOf(items)) },
      ...(minItems === undefined ? {} : { minItems }),
      ...(maxItems === undefined ? {} : { maxItems }),
    };
  }
  if (!SCALARS.includes(type)) {
    return `is ${type === "object" ? "an object" : type}, and an argument is a text, a number, a boolean or a list of them`;
  }
  const { minimum, maximum, minLength, maxLength } = view.limits;
  const isText = type === "string";
  return {
    type: type as ScalarType,
    ...enumOf(view),
    ...(isText || minimum === undefined ? {} : { minimum }),
    ...(isText || maximum === undefined ? {} : { maximum }),
    ...(!isText || minLength === undefined ? {} : { minLength }),
    ...(!isText || maxLength === undefined ? {} : { maxLength }),
  };
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The manifest's words or the document's, with what the schema cannot tell every host: default and example. */
function describe(entry: ArgumentEntry, parameter: Parameter): string {
  const { schema, example } = parameter;
  const own = entry.description;
  const text = (own ?? parameter.description ?? "").trim().replace(/\s+/g, " ");
  // Default and example of the document are written as they travel; a template writes them differently.
  const documented = entry.wire === undefined;
  const standard = entry.default ?? (documented ? schema.default : undefined);
  const parts = [text === "" || /[.!?]$/.test(text) ? text : `${text}.`];
  if (standard !== undefined && standard !== null && !/\bdefault\b/i.test(text)) {
    parts.push(`Default ${asText(standard)}.`);
  }
  if (own === undefined && documented && example !== undefined && !text.includes(asText(example))) {
    parts.push(`Example: ${asText(example)}.`);
  }
  const described = parts.filter((part) => part !== "").join(" ");
  return described === "" ? `The ${parameter.in} parameter ${parameter.name}.` : described;
}

/** Whether a constant is a value of the schema. */
export function fits(value: unknown, view: SchemaView): boolean {
  const type = onlyType(view);
  const rightType =
    type === undefined ||
    (type === "integer" ? Number.isInteger(value) : typeof value === type) ||
    type === "array" ||
    type === "object";
  return rightType && (view.values === undefined || view.values.includes(value as Json));
}

/**
 * Finds the parameter that an argument supplies.
 * @returns undefined when it was reported as a problem
 */
export function parameterFor(
  planning: Planning,
  argument: string,
  entry: ArgumentEntry,
  parameters: readonly Parameter[],
): Parameter | undefined {
  const name = entry.parameter ?? argument;
  const named = parameters.filter((parameter) => parameter.name === name);
  const found = named.filter((parameter) => entry.in === undefined || parameter.in === entry.in);
  if (found.length === 1) {
    return found[0];
  }
  const at = entry.parameter === undefined ? [] : ["parameter"];
  if (found.length > 1) {
    const places = found.map((parameter) => parameter.in).join(" or ");
    planning.report(at, `parameter "${name}" stands in several places`, `add in: ${places}`);
  } else if (named.length > 0) {
    planning.report(
      ["in"],
      `parameter "${name}" does not travel in the ${entry.in}`,
      `it travels in the ${named[0]?.in}`,
    );
  } else {
    const known = parameters.map((parameter) => parameter.name);
    planning.report(
      at,
      `the operation has no parameter "${name}"`,
      suggest(nearest(name, known), known),
    );
  }
  return undefined;
}

/**
 * Plans one argument.
 * @returns undefined when it was reported as a problem
 */
export function planArgument(
  planning: Planning,
  name: string,
  entry: ArgumentEntry,
  parameter: Parameter,
): ArgumentPlan | undefined {
  const shape = shapeOf(parameter.schema);
  const what = `parameter "${parameter.name}" (${parameter.in})`;
  if (!isArgumentName(name)) {
    planning.report(
      [],
      `the argument name "${name}" must be a letter and at most 63 letters, digits and _`,
    );
  }
  if (parameter.mediaType !== undefined) {
    planning.report(
      [],
      `${what} is written as ${parameter.mediaType}, which is not supported`,
      "leave it out",
    );
    return undefined;
  }
  if (typeof shape === "string") {
    planning.report([], `${what} ${shape}`, "leave it out, or give it a value under fixed");
    return undefined;
  }
  if (entry.wire !== undefined && shape.type !== "string") {
    planning.report(["wire"], `a wire template is for text, and ${what} is ${shape.type}`);
  }
  if (
    entry.default !== undefined &&
    entry.wire === undefined &&
    !fits(entry.default, parameter.schema)
  ) {
    planning.report(
      ["default"],
      `the default ${JSON.stringify(entry.default)} is not a value of ${what}`,
    );
  }
  if (entry.fallback !== undefined && !planning.variables.includes(entry.fallback)) {
    planning.report(
      ["fallback"],
      `variable ${entry.fallback} is not described under variables`,
      suggest(nearest(entry.fallback, planning.variables), planning.variables),
    );
  }
  const supplied = entry.fallback !== undefined || entry.default !== undefined;
  const required = entry.required ?? (parameter.required && !supplied);
  // A template changes what the document's choice and lengths are about.
  const { enum: _, minLength: __, maxLength: ___, ...open } = shape;
  return {
    name,
    description: describe(entry, parameter),
    required,
    ...(entry.wire === undefined ? shape : open),
  };
}
