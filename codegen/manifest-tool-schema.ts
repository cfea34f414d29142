/** One entry of `tools` in the manifest: its shape and the words that explain it. */
import * as z from "zod";

const ARGUMENT_NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
export const VARIABLE_NAME = /^[A-Z][A-Z0-9_]*$/;
const POINTER = /^(\/([^~/]|~[01])*)*$/;

export const text = (description: string) => z.string().min(1).describe(description);
export const pointer = (description: string) =>
  z
    .string()
    .regex(POINTER, "must be a JSON pointer: empty, or starting with /")
    .describe(description);
export const variableName = (description: string) =>
  z
    .string()
    .regex(VARIABLE_NAME, "must be a variable's name: A-Z, 0-9 and _")
    .describe(description);

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const OPERATION =
  "The operation: its `operationId`, or `GET /path` as the document writes the path.";

const errorCode = z.enum([
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "NOT_ALLOWED",
  "CREDENTIAL_MISSING",
  "CREDENTIAL_REFUSED",
  "RATE_LIMITED",
  "UPSTREAM_REFUSED",
  "UPSTREAM_UNAVAILABLE",
  "TIMED_OUT",
  "CANCELLED",
  "TOO_LARGE",
  "UNREADABLE_ANSWER",
  "JOB_FAILED",
  "INTERNAL",
]);

const argument = z
  .strictObject({
    parameter: text(
      "Name of the operation's parameter. Default: the argument's own name.",
    ).optional(),
    in: z
      .enum(["path", "query", "header", "cookie"])
      .describe("Where the parameter travels; needed only where one name stands in several places.")
      .optional(),
    description: text(
      "What the model reads. Default: the document's description with its example; either way the document's default is added where the text does not mention one.",
    ).optional(),
    required: z
      .boolean()
      .describe("`true` makes an argument required that the document leaves optional.")
      .optional(),
    default: scalar.describe("Value that is sent when the caller gives none.").optional(),
    fallback: variableName(
      "Configuration variable whose value is sent when the caller gives none. The argument becomes optional.",
    ).optional(),
    fallback_hint: text(
      "What an assistant should do when neither the caller nor the variable gives a required value.",
    ).optional(),
    wire: z
      .string()
      .regex(/\{(value|like)\}/, "must hold {value} or {like}")
      .describe(
        "How the value is written on the wire: a template with `{value}` (as given) or `{like}` (`%`, `_` and `\\` escaped for SQL LIKE), e.g. `ilike.%{like}%`. Default: the value itself.",
      )
      .optional(),
  })
  .describe("One argument. An empty entry `{}` takes everything from the document.");

const pagination = z
  .strictObject({
    scheme: z.literal("offset-limit").describe("Offset and limit in the query.").optional(),
    offset: text("Parameter that says how many items to skip. Default: `offset`.").optional(),
    limit: text("Parameter that says how many items to send. Default: `limit`.").optional(),
    maximum: z
      .int()
      .min(1)
      .describe("Most items of one upstream page. Default: the document's maximum of the limit.")
      .optional(),
  })
  .describe("How the upstream pages.");

const units = z
  .union(
    [
      z.literal("column-names"),
      z.literal("none"),
      z.strictObject({
        operation: text(OPERATION),
        at: pointer("JSON pointer to the list of columns in its answer."),
        name: text("Member of an entry that holds the column's name."),
        unit: text("Member of an entry that holds its unit."),
      }),
    ],
    "must be column-names, none, or an operation with at, name and unit",
  )
  .describe(
    "Where units come from: `column-names` (`Voltage [V]` → `V`), `none`, or a second operation that lists columns with units.",
  );

const result = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("record").describe("One JSON object, as the API gives it.") }),
    z.strictObject({
      kind: z
        .literal("page")
        .describe("A list with its total. Adds the arguments `limit` and `offset`."),
      items: pointer("JSON pointer to the list; empty when the answer itself is the list."),
      total: pointer(
        "JSON pointer to the number of all matches; left out when the upstream does not tell.",
      ).optional(),
      pagination: pagination.optional(),
      default_limit: z
        .int()
        .min(1)
        .describe("Items when the caller gives no limit. Default: 50.")
        .optional(),
      maximum_limit: z.int().min(1).describe("Most items of one call. Default: 1000.").optional(),
    }),
    z.strictObject({
      kind: z
        .literal("table")
        .describe(
          "Columns of values. Adds the window arguments `columns`, `limit`, `offset`, `sample`, `where`, `stats`, `layout`.",
        ),
      format: z
        .enum(["parquet", "json-columns"])
        .describe(
          "`parquet`: a file, read by byte ranges. `json-columns`: an object of equally long lists.",
        ),
      at: pointer(
        "JSON pointer to the object of columns (`json-columns` only). Default: the answer itself.",
      ).optional(),
      units,
    }),
  ])
  .describe("What the tool answers. Default: `{kind: record}`.");

const rule = z.strictObject({
  at: pointer("JSON pointer into the record."),
  in: z
    .array(z.union([scalar, z.null()]))
    .min(1)
    .describe("Values that make the rule hold."),
  code: errorCode.describe("Code of the error that is told."),
  message: text(
    "What happened; may quote the record as `{/json/pointer}` and arguments as `{argument}`.",
  ),
  hint: text("The next call to make; may quote likewise."),
});

const explain = z
  .strictObject({
    on: z.array(errorCode).min(1).describe("Codes of failures that are explained."),
    operation: text(OPERATION),
    rules: z.array(rule).min(1).describe("The first rule that holds replaces message and hint."),
  })
  .describe("Asks another record why a call failed.");

const annotations = z
  .strictObject({
    readOnlyHint: z.boolean().describe("Default: true.").optional(),
    destructiveHint: z.boolean().describe("Default: false.").optional(),
    idempotentHint: z.boolean().describe("Default: true.").optional(),
    openWorldHint: z.boolean().describe("Default: true.").optional(),
  })
  .describe("What hosts are told about the tool.");

/** One entry of `tools`. */
export const toolSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .describe("`false`: the entry is kept, and is no tool. Default: true.")
      .optional(),
    operation: text(OPERATION),
    title: text("Short name for people."),
    description: z
      .string()
      .min(40)
      .max(1024)
      .describe(
        "What the model reads: when to use it, what comes back, in which units, what to call next.",
      ),
    arguments: z
      .record(z.string(), argument)
      .describe(
        "What the model may give, by argument name. Parameters that are not listed are not exposed.",
      )
      .optional(),
    fixed: z
      .record(z.string(), scalar)
      .describe("Parameters with a constant value, by their name in the document.")
      .optional(),
    result: result.optional(),
    explain: explain.optional(),
    hints: z
      .partialRecord(errorCode, z.string().min(1))
      .describe("Hints that replace the general ones, by error code.")
      .optional(),
    annotations: annotations.optional(),
  })
  .describe("One tool.");

export type ToolEntry = z.infer<typeof toolSchema>;
export type ArgumentEntry = z.infer<typeof argument>;
export type ResultEntry = z.infer<typeof result>;
export type ExplainEntry = z.infer<typeof explain>;

/** Whether a text can be an argument's name. */
export const isArgumentName = (name: string): boolean => ARGUMENT_NAME.test(name);
