/** The tools, resources and prompts that the conformance suite asks for, as a registry of the product's own kind. */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as after } from "node:timers/promises";
import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { CallOptions, CallOutcome } from "../../src/call.ts";
import type { Catalogue } from "../../src/catalogue/catalogue.ts";
import type { JsonObject } from "../../src/contract.ts";
import { ToolError } from "../../src/errors.ts";
import type { ToolRegistry } from "../../src/registry.ts";

/** One transparent pixel, and a WAV file without samples. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (said: string) => ({ type: "text", text: said });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const embedded = (uri: string, said: string, mimeType = "text/plain") => ({
  type: "resource",
  resource: { uri, mimeType, text: said },
});

interface Around {
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: CallOptions;
  /** The request as the SDK knows it: what asks the client back is no part of the product. */
  readonly request: ServerContext["mcpReq"];
}

interface TestTool {
  readonly inputSchema?: JsonObject;
  readonly run: (around: Around) => object[] | Promise<object[]>;
}

const asking = (name: string): JsonObject => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});

/** Asks the client's user to fill in a form. */
async function elicit(
  { request }: Around,
  message: string,
  properties: Record<string, unknown>,
  required: string[] = [],
): Promise<object[]> {
  const form = { message, requestedSchema: { type: "object", properties, required } };
  const { action, content } = await request.elicitInput(
    form as Parameters<typeof request.elicitInput>[0],
  );
  return [text(`action=${action}, content=${JSON.stringify(content)}`)];
}

async function logThrice({ request }: Around): Promise<object[]> {
  for (const said of ["started", "processing data", "completed"]) {
    await request.log("info", `Tool ${said}`);
    await after(20);
  }
  return [text("logged")];
}

const OPTIONS = ["option1", "option2", "option3"];
const TITLED = OPTIONS.map((_, index) => ({
  const: `value${index + 1}`,
  title: `Option ${index + 1}`,
}));

const TOOLS: Readonly<Record<string, TestTool>> = {
  test_simple_text: { run: () => [text("This is a simple text response for testing.")] },
  test_image_content: { run: () => [image] },
  test_audio_content: { run: () => [{ type: "audio", data: WAV, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    run: () => [embedded("test://embedded-resource", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    run: () => [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
  },
  test_error_handling: {
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  },
  test_tool_with_progress: {
    async run({ options }) {
      for (const done of [0, 50, 100]) {
        options.progress?.(done, 100, "at work");
        // Longer than the product's shortest distance between two notifications.
        await after(120);
      }
      return [text("done")];
    },
  },
  test_tool_with_logging: { run: logThrice },
  test_logging_tool: { run: logThrice },
  test_sampling: {
    inputSchema: asking("prompt"),
    async run({ args, request }) {
      const { content } = await request.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: String(args.prompt) } }],
        maxTokens: 100,
      });
      return [text(`LLM response: ${JSON.stringify(content)}`)];
    },
  },
  test_elicitation: {
    inputSchema: asking("message"),
    run: (around) =>
      elicit(
        around,
        String(around.args.message),
        { username: { type: "string" }, email: { type: "string" } },
        ["username", "email"],
      ),
  },
  test_elicitation_sep1034_defaults: {
    run: (around) =>
      elicit(around, "Defaults", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: {
          type: "string",
          enum: ["active", "inactive", "pending"],
          default: "active",
        },
        verified: { type: "boolean", default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    run: (around) =>
      elicit(around, "Choices", {
        untitledSingle: { type: "string", enum: OPTIONS },
        titledSingle: { type: "string", oneOf: TITLED },
        legacyEnum: {
          type: "string",
          enum: OPTIONS,
          enumNames: OPTIONS.map((one) => `The ${one}`),
        },
        untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
        titledMulti: { type: "array", items: { anyOf: TITLED } },
      }),
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      ...{
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ["phone"] },
        else: { required: ["email"] },
      },
      additionalProperties: false,
    },
    run: ({ args }) => [text(JSON.stringify(args))],
  },
};

const TEXT_TYPE = { mimeType: "text/plain", isStatic: true };
const RESOURCES: Readonly<Record<string, { mimeType: string; text?: string; blob?: string }>> = {
  "test://static-text": {
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "watched" },
};

const argument = (name: string) => ({ name, description: name, required: true });
const PROMPTS: Readonly<
  Record<string, { args: string[]; parts: (args: Readonly<Record<string, string>>) => object[] }>
> = {
  test_simple_prompt: { args: [], parts: () => [text("This is a simple prompt for testing.")] },
  test_prompt_with_arguments: {
    args: ["arg1", "arg2"],
    parts: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    args: ["resourceUri"],
    parts: ({ resourceUri = "" }) => [
      embedded(resourceUri, "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ],
  },
  test_prompt_with_image: {
    args: [],
    parts: () => [image, text("Please analyze the image above.")],
  },
};

/** The suite wants contents that no server of the product has; the protocol layer hands them on as they are. */
const catalogue = {
  resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
    uri,
    name: uri.slice("test://".length),
    title: uri,
    description: "Conformance fixture.",
    mimeType,
  })),
  templates: [
    {
      uriTemplate: "test://template/{id}/data",
      name: "template",
      title: "Template",
      description: "Conformance fixture.",
      mimeType: "application/json",
    },
  ],
  prompts: Object.entries(PROMPTS).map(([name, { args }]) => ({
    name,
    title: name,
    description: "Conformance fixture.",
    arguments: args.map(argument),
  })),
  async read(uri: string) {
    const found = RESOURCES[uri];
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (found !== undefined) {
      return { ...TEXT_TYPE, uri, ...found };
    }
    return id === undefined
      ? undefined
      : {
          uri,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
          isStatic: false,
        };
  },
  prompt(name: string, args: Readonly<Record<string, string>>) {
    const found = PROMPTS[name];
    if (found === undefined) {
      throw new ToolError("NOT_FOUND", `Unknown prompt: ${name}`);
    }
    return found.parts(args);
  },
  complete: async (_: unknown, { value }: { value: string }) => ({
    values: ["paris", "park", "party"].filter((one) => one.startsWith(value)),
    hasMore: false,
  }),
} as unknown as Catalogue;

const requests = new AsyncLocalStorage<ServerContext["mcpReq"]>();

async function call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
  const request = requests.getStore();
  const tool = TOOLS[name];
  if (request === undefined || tool === undefined) {
    throw new RangeError(`no tool ${name}`);
  }
  try {
    const content = await tool.run({ args: args as Record<string, unknown>, options, request });
    return { content } as unknown as CallOutcome;
  } catch (error) {
    return { content: [{ type: "text", text: (error as Error).message }], isError: true };
  }
}

type Handler = (request: unknown, context: ServerContext) => Promise<object>;

/** What the product does not offer and the suite asks for: log notifications, subscriptions, tools that ask the client back. */
function extend(server: Server): void {
  server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  // The product's own handler stays in charge; a tool only learns which request it belongs to. The SDK has no public way.
  const handlers = (server as unknown as { _requestHandlers: Map<string, Handler> })
    ._requestHandlers;
  const own = handlers.get("tools/call") as Handler;
  handlers.set("tools/call", (request, context) =>
    requests.run(context.mcpReq, () => own(request, context)),
  );
}

export const fixture: ToolRegistry = {
  name: "conformance-fixture",
  title: "Conformance fixture",
  version: "1.0.0",
  instructions: "Tools, resources and prompts of the conformance suite.",
  tools: Object.entries(TOOLS).map(([name, { inputSchema }]) => ({
    name,
    title: name,
    description: "Conformance fixture.",
    inputSchema: inputSchema ?? { type: "object", properties: {} },
    // Contents alone: no tool here has structured results.
    outputSchema: undefined as unknown as JsonObject,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  })),
  has: (name) => name in TOOLS,
  call,
  catalogue,
  extend,
};
