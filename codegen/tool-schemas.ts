/**
 * JSON Schemas of a tool for `tools/list`. They keep to what every client survives: an object at the root, one scalar type
 * per property, no references, no unions; inputs closed, outputs open.
 */
import type { JsonObject, ResultPlan } from "../src/contract.ts";
import type { ArgumentPlan } from "./plan.ts";
import { kindArguments } from "./window-arguments.ts";

const BOUNDS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/** Schema of one argument's value. */
export function valueSchema(argument: Omit<ArgumentPlan, "name" | "description" | "required">): JsonObject {
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

const OUTPUTS: Record<ResultPlan["kind"], JsonObject> = {
  record: { type: "object" },
  page: {
    type: "object",
    properties: {
      items: { type: "array", items: { type: "object" } },
      count: { type: "integer" },
      total: { description: "All matches, null when unknown." },
      offset: { type: "integer" },
      has_more: { type: "boolean" },
      next_offset: { type: "integer" },
      note: { type: "string" },
    },
    required: ["items", "count", "offset", "has_more"],
  },
  table: {
    type: "object",
    properties: {
      columns: { type: "array", items: { type: "string" } },
      dtypes: { type: "object" },
      units: { type: "object" },
      rows: { type: "array", items: { type: "object" } },
      data: { type: "object" },
      csv: { type: "string" },
      row_numbers: { type: "array", items: { type: "integer" } },
      row_count: { type: "integer" },
      total_rows: { type: "integer" },
      total_columns: { type: "integer" },
      matched_rows: { type: "integer" },
      stats: { type: "object" },
      offset: { type: "integer" },
      truncated: { type: "boolean" },
      next_offset: { type: "integer" },
      note: { type: "string" },
    },
    required: ["columns", "dtypes", "units", "row_count", "total_rows", "truncated"],
  },
};

/** Schema of the answer: open, so that what an upstream adds never breaks a client. */
export function outputSchema(result: ResultPlan): JsonObject {
  return OUTPUTS[result.kind];
}
