/** Arguments that a result kind brings along: the window of a table, the place in a list. Defined once for all tools. */
import type { JsonObject, ResultPlan } from "../src/contract.ts";

/** An argument of a result kind: its JSON Schema for `tools/list` and the zod expression that checks it. */
export interface KindArgument {
  readonly name: string;
  readonly schema: JsonObject;
  readonly zod: string;
}

const OPS = ["=", "!=", "<", "<=", ">", ">=", "in", "is_null"];
const LAYOUTS = ["records", "columns", "csv"];
/** Most conditions of one `where`. */
const MAX_CONDITIONS = 8;

const choice = (values: readonly string[]): string => `z.enum(${JSON.stringify(values)})`;

const OFFSET: KindArgument = {
  name: "offset",
  schema: { type: "integer", minimum: 0, description: "Items to skip." },
  zod: "z.int().min(0).optional()",
};

/**
 * The window of a table. `limit` and `sample` have no maximum: the runtime lowers them to 5000 and says so.
 * `value` is text in the JSON Schema, because one scalar type per property is what every host takes; numbers, booleans
 * and lists are accepted all the same.
 */
const WINDOW: readonly KindArgument[] = [
  {
    name: "columns",
    schema: {
      type: "array",
      items: { type: "string" },
      description: "Default all.",
    },
    zod: "z.array(z.string()).min(1).optional()",
  },
  {
    name: "limit",
    schema: { type: "integer", minimum: 1, description: "Default 500, at most 5000." },
    zod: "z.int().min(1).optional()",
  },
  { ...OFFSET, schema: { ...OFFSET.schema, description: "Matching rows to skip." } },
  {
    name: "sample",
    schema: {
      type: "integer",
      minimum: 2,
      description: "Thin the whole table to this many rows; extremes stay.",
    },
    zod: "z.int().min(2).optional()",
  },
  {
    name: "where",
    schema: {
      type: "array",
      maxItems: MAX_CONDITIONS,
      description: "All must hold.",
      items: {
        type: "object",
        properties: {
          column: { type: "string", description: "Name." },
          op: { type: "string", enum: OPS, description: "is_null: no value." },
          value: {
            type: "string",
            description: "As text, times in ISO; for in a JSON list.",
          },
        },
        required: ["column", "op"],
      },
    },
    zod: `z.array(z.strictObject({ column: z.string(), op: ${choice(OPS)}, value: z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()]))], "must be a text, a number, true, false, or a list of them").optional() })).max(${MAX_CONDITIONS}).optional()`,
  },
  {
    name: "stats",
    schema: {
      type: "boolean",
      description: "Adds min, max, mean and counts.",
    },
    zod: "z.boolean().optional()",
  },
  {
    name: "layout",
    schema: {
      type: "string",
      enum: LAYOUTS,
      description: "Default records; the others fit more rows.",
    },
    zod: `${choice(LAYOUTS)}.optional()`,
  },
];

/** The place in a list. A `limit` above the most of one call is lowered to it, and the answer says so. */
function pageArguments(defaultLimit: number, maximumLimit: number): readonly KindArgument[] {
  return [
    {
      name: "limit",
      schema: {
        type: "integer",
        minimum: 1,
        description: `Default ${defaultLimit}, at most ${maximumLimit}.`,
      },
      zod: "z.int().min(1).optional()",
    },
    OFFSET,
  ];
}

/** A JSON pointer into an answer, and how much of what is there to skip. */
const partArguments = (path: string, offset: string): readonly KindArgument[] => [
  {
    name: path,
    schema: {
      type: "string",
      description: "JSON pointer to a part of the answer, e.g. /a/0. Default the whole.",
    },
    zod: "z.string().optional()",
  },
  {
    name: offset,
    schema: { type: "integer", minimum: 0, description: "Entries or characters of it to skip." },
    zod: "z.int().min(0).optional()",
  },
];

const TEXT_LIMIT: KindArgument = {
  name: "limit",
  schema: { type: "integer", minimum: 1, description: "Characters. Default what fits." },
  zod: "z.int().min(1).optional()",
};

/** The arguments that a result kind adds to a tool's own, in the order they are listed. */
export function kindArguments(result: ResultPlan): readonly KindArgument[] {
  switch (result.kind) {
    case "record":
      return result.partArguments === undefined
        ? []
        : partArguments(result.partArguments.path, result.partArguments.offset);
    case "text":
      return [
        {
          ...OFFSET,
          schema: { type: "integer", minimum: 0, description: "Characters to skip. Default 0." },
        },
        TEXT_LIMIT,
      ];
    case "file":
      return [];
    case "any":
      return [...partArguments("path", "offset"), TEXT_LIMIT];
    case "page":
      return pageArguments(result.defaultLimit, result.maximumLimit);
    case "table":
      return WINDOW;
  }
}
