/** What the SDK is told about a catalogue: resources, prompts, completion, of both eras. */
import {
  type GetPromptResult,
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { CallOutcome } from "../call.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { ToolError } from "../errors.ts";

/** What is part of the program: anybody may keep it for an hour. */
export const UNCHANGING = { ttlMs: 3_600_000, cacheScope: "public" } as const;

/** What depends on who asks: theirs alone, for a minute. */
const OWN = { ttlMs: 60_000, cacheScope: "private" } as const;

type CallFor = (
  context: ServerContext,
  tool: string,
  args: Record<string, unknown>,
) => Promise<CallOutcome>;

/** A failure as the protocol tells it, with the tool error's words. */
function protocolError(error: unknown): unknown {
  if (!(error instanceof ToolError)) {
    return error;
  }
  const { code, message, hint } = error;
  const isAsked = code === "INVALID_ARGUMENT" || code === "NOT_FOUND";
  return new ProtocolError(
    isAsked ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    hint === undefined ? message : `${message}. ${hint}`,
    { code },
  );
}

/** Runs what may throw our errors. */
async function translated<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw protocolError(error);
  }
}

/** Answers what is asked of a catalogue. */
export function offerCatalogue(server: Server, catalogue: Catalogue, callFor: CallFor): void {
  server.setRequestHandler(
    "resources/list",
    () => ({ resources: catalogue.resources }) as unknown as ListResourcesResult,
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: catalogue.templates.map((template) => ({ ...template })),
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) =>
    translated(async () => {
      const found = await catalogue.read(uri, (tool, args) => callFor(context, tool, args));
      if (found === undefined) {
        throw new ResourceNotFoundError(uri);
      }
      const { isStatic, ...contents } = found;
      return { contents: [contents], ...(isStatic ? UNCHANGING : OWN) } as ReadResourceResult;
    }),
  );
  server.setRequestHandler("prompts/list", () => ({
    prompts: catalogue.prompts.map((prompt) => ({
      ...prompt,
      arguments: [...prompt.arguments],
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }) =>
    translated((): GetPromptResult => {
      const { description } = catalogue.prompts.find((prompt) => prompt.name === name) ?? {};
      const parts = catalogue.prompt(name, args);
      return {
        ...(description === undefined ? {} : { description }),
        messages: parts.map((content) => ({ role: "user", content })),
      };
    }),
  );
  server.setRequestHandler("completion/complete", ({ params }, context) =>
    translated(async () => {
      const { ref, argument, context: given } = params;
      const { values, hasMore } = await catalogue.complete(
        ref.type === "ref/prompt" ? { prompt: ref.name } : { template: ref.uri },
        argument,
        given?.arguments ?? {},
        (tool, args) => callFor(context, tool, args),
      );
      return { completion: { values: [...values], hasMore } };
    }),
  );
}
