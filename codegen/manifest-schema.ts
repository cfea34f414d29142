/**
 * The manifest's shape: the one definition that validation, types, the editors' JSON Schema and `docs/manifest.md` come from.
 */
import * as z from "zod";
import { completion, prompt } from "./manifest-catalogue-schema.ts";
import { text, toolSchema, VARIABLE_NAME, variableName } from "./manifest-tool-schema.ts";

const TOOL_NAME = /^[a-z][a-z0-9_]{2,47}$/;
/** The same in words, for messages. */
const NAME_RULE = "3 to 48 of a-z, 0-9 and _, a letter first";

const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]*$/;

const upstream = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: "must be an http or https URL" })
      .describe("Base URL. Default: the document's first server.")
      .optional(),
    url_variable: variableName("Variable that overrides the base URL."),
    credentials: z
      .array(
        z.strictObject({
          scheme: text("Name in the document's `securitySchemes`."),
          variable: variableName("Variable that holds the credential."),
          request_headers: z
            .array(z.string().regex(HEADER_NAME, "must be the name of a header"))
            .describe(
              "Headers in which callers of a hosted server bring their own, e.g. `X-Example-Key`; the first that came is used. `Authorization` brings it after `Bearer `. Default: callers cannot.",
            )
            .optional(),
        }),
      )
      .describe(
        "Tried in order: the first whose variable is set is sent, to the API's own origin only.",
      )
      .optional(),
    headers: z
      .record(z.string(), variableName("Variable."))
      .describe("Headers that carry a variable's value when it is set, by header name.")
      .optional(),
    redirect_hosts: z
      .array(z.string().min(1))
      .describe(
        "Hosts that redirects may lead to, `*.example.org` allowed. Default: any https host.",
      )
      .optional(),
  })
  .describe("How the service is reached.");

const variable = z.strictObject({
  description: text("What it is and where to get it."),
  secret: z
    .boolean()
    .describe("`true`: shown as `****` everywhere. Default: true for credentials, else false.")
    .optional(),
});

/** One section. */
export const serverSchema = z
  .strictObject({
    document: text("OpenAPI document: a file beside the manifest, or a URL."),
    external_references: z
      .array(z.string().min(1))
      .describe(
        "Files or URLs that `$ref` may lead to, as the document writes them. Default: none.",
      )
      .optional(),
    program: z
      .string()
      .regex(/^[a-z][a-z0-9-]{1,62}$/, "must be 2 to 63 of a-z, 0-9 and -")
      .describe("Program name that hosts show, e.g. `ionworks-mcp`."),
    title: text("Name for people."),
    instructions: z
      .string()
      .min(1)
      .max(1500)
      .describe("What the model reads at the start of a session."),
    guard: z
      .record(z.string(), z.unknown())
      .describe("Members that an operation must carry to become a tool, e.g. `{x-hidden: false}`.")
      .optional(),
    budget: z
      .int()
      .min(1024)
      .describe("Most bytes of the tool list as compact JSON. Default: 16384.")
      .optional(),
    upstream,
    variables: z
      .record(
        z.string().regex(VARIABLE_NAME, "must be a variable's name: A-Z, 0-9 and _"),
        variable,
      )
      .describe("Every configuration variable that the section names."),
    guide: text(
      "Markdown file beside the manifest: how to read the tables, their units and signs. Hosts offer it as a resource.",
    ).optional(),
    completions: z
      .record(z.string().regex(TOOL_NAME, `must be ${NAME_RULE}`), completion)
      .describe(
        "Where values come from that people are offered while they type, by the name of a table tool's argument or what a prompt's argument names.",
      )
      .optional(),
    prompts: z
      .record(z.string().regex(TOOL_NAME, `must be ${NAME_RULE}`), prompt)
      .describe("Questions that people pick, by name.")
      .optional(),
    tools: z
      .record(z.string().regex(TOOL_NAME, `must be ${NAME_RULE}`), toolSchema)
      .describe(`The whitelist, by tool name: ${NAME_RULE}.`),
  })
  .describe("One server.");

/** The whole file. */
export const manifestSchema = z
  .strictObject({
    servers: z
      .record(
        z.string().regex(/^[a-z][a-z0-9-]{1,31}$/, "must be 2 to 32 of a-z, 0-9 and -"),
        serverSchema,
      )
      .describe("One section per server, by the name that `--server` takes."),
  })
  .describe(
    "Which operations become tools, under which names and words, and how each service is reached.",
  );

export type ServerSection = z.infer<typeof serverSchema>;
