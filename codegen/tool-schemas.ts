/**
 * JSON Schemas of a tool for `tools/list`. They keep to what every client survives: an object at the root, one scalar type
 * per property, no references, no unions; inputs closed, outputs open.
 */
import type { JsonObject, ResultPlan } from "../src/contract.ts";
import type { ArgumentPlan } from "./plan.ts";
import { kindArguments } from "./window-arguments.ts";

const BOUNDS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/** Schema of one argument's value. */
export function valueSchema(
  argument: Omit<ArgumentPlan, "name" | "description" | "required">,
): JsonObject {
  const schema: JsonObject = { type: argument.type };
  if (argument.enum !== undefined) {
    schema.enum = [...argument.enum];
  }
  if (argument.items !== undefined) {
    schema.items = valueSchema(argument.items);
  }
  for (const bound of BOUNDS) {
    const value = argument[bound];
    if (value !== undefined) {
      schema[bound] = value;
    }
  }
  return schema;
}

/** Schema of all arguments: the tool's own, then those of its result kind. */
export function inputSchema(own: readonly ArgumentPlan[], result: ResultPlan): JsonObject {
  const properties: JsonObject = {};
  for (const argument of own) {
    properties[argument.name] = { ...valueSchema(argument), description: argument.description };
  }
  for (const { name, schema } of kindArguments(result)) {
    properties[name] = schema;
  }
  const required = own.filter((argument) => argument.required).map(({ name }) => name);
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** What a reader of an answer relies on; everything else that may be there is told by its name. */
const OUTPUTS: Record<ResultPlan["kind"], JsonObject> = {
  record: { type: "object" },
  text: { type: "object" },
  file: { type: "object" },
  any: { type: "object" },
  page: {
    type: "object",
    properties: {
      items: { type: "array" },
      total: {},
      has_more: { type: "boolean" },
      next_offset: { type: "integer" },
    },
  },
  table: {
    type: "object",
    properties: {
      columns: { type: "array" },
      units: { type: "object" },
      rows: { type: "array" },
      row_count: { type: "integer" },
      total_rows: { type: "integer" },
      next_offset: { type: "integer" },
      note: { type: "string" },
    },
  },
};

/**
 * Schema of the answer: open, so that what an upstream adds never breaks a client.
 * @param objects whether the items of a page are objects
 */
export function outputSchema(result: ResultPlan, objects: boolean): JsonObject {
  const schema = OUTPUTS[result.kind];
  if (result.kind === "table" && result.pagination !== undefined) {
    // null where the upstream does not tell how long its list is.
    return { ...schema, properties: { ...(schema.properties as JsonObject), total_rows: {} } };
  }
  return result.kind === "page" && objects
    ? {
        ...schema,
        properties: {
          ...(schema.properties as JsonObject),
          items: { type: "array", items: { type: "object" } },
        },
      }
    : schema;
}
