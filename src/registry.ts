/** The tools of one server: what is listed, and how a call by name reaches the spine. */
import type { Server } from "@modelcontextprotocol/server";
import { type CallOptions, type CallOutcome, callTool, type Runtime } from "./call.ts";
import { type Catalogue, createCatalogue } from "./catalogue/catalogue.ts";
import type { JsonObject, ServerDescriptor, ToolAnnotations } from "./contract.ts";

/** One entry of `tools/list`, JSON-ready. */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
}

export interface ToolRegistry {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
  /** Sorted by name. */
  readonly tools: readonly ToolListing[];
  /** What is offered beside the tools; absent: nothing. */
  readonly catalogue?: Catalogue;
  /** Adds to what the protocol layer answers; no server that ships does. */
  readonly extend?: (server: Server) => void;
  has(name: string): boolean;
  /** Runs a tool that `has` knows. Never throws. */
  call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome>;
}

/** What a server calls itself and tells of itself. */
export type Labels = Pick<ServerDescriptor, "title" | "instructions" | "guide">;

/**
 * @param open gives what the calls share; first asked by the first call, so that listing the tools loads none of it
 * @param labels title, instructions and guide as this process shows them; the descriptor's own unless it serves demo data
 */
export function createRegistry(
  server: ServerDescriptor,
  version: string,
  open: () => Promise<Runtime>,
  labels: Labels = server,
): ToolRegistry {
  const byName = new Map(server.tools.map((tool) => [tool.name, tool]));
  const sorted = [...server.tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    name: server.program,
    title: labels.title,
    version,
    instructions: labels.instructions,
    tools: sorted.map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
      name,
      title,
      description,
      inputSchema,
      outputSchema,
      annotations,
    })),
    catalogue: createCatalogue({ ...server, ...labels }),
    has: (name) => byName.has(name),
    call: async (name, args, options) => {
      const tool = byName.get(name);
      if (tool === undefined) {
        throw new RangeError(`no tool ${name}`);
      }
      return callTool(await open(), tool, args, options);
    },
  };
}
