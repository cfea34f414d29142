/**
 * What a server offers beside its tools: texts to read, prompts to pick, values to complete. Everything that needs the
 * upstream goes through the tools themselves, so that caller, limits, caches and figures are those of any call.
 */
import type { CallOutcome } from "../call.ts";
import type { ServerDescriptor } from "../contract.ts";
import { type Completion, createCompletion } from "./complete.ts";
import { fillPrompt, type PromptListing, promptListing } from "./prompts.ts";
import {
  readResource,
  type ResourceListing,
  type ResourceText,
  resourceListings,
  type TemplateListing,
  templateListings,
} from "./resources.ts";

/** Runs a tool on behalf of whoever asked. */
export type Call = (tool: string, args: Record<string, unknown>) => Promise<CallOutcome>;

/** What is completed: an argument of a prompt, or a variable of a template. */
export type CompletionPlace = { readonly prompt: string } | { readonly template: string };

/** One thing that a prompt says in the user's name. */
export interface PromptPart {
  readonly type: "text";
  readonly text: string;
}

export interface Catalogue {
  readonly resources: readonly ResourceListing[];
  readonly templates: readonly TemplateListing[];
  readonly prompts: readonly PromptListing[];
  /**
   * @returns undefined where nothing has this URI
   * @throws ToolError where it stands for a table that cannot be read
   */
  read(uri: string, call: Call): Promise<ResourceText | undefined>;
  /**
   * What a prompt says, with its arguments.
   * @throws ToolError INVALID_ARGUMENT · NOT_FOUND
   */
  prompt(name: string, args: Readonly<Record<string, string>>): readonly PromptPart[];
  /** Values that continue or match what was typed; none where there are none, or the upstream does not answer. */
  complete(
    place: CompletionPlace,
    argument: { readonly name: string; readonly value: string },
    given: Readonly<Record<string, string>>,
    call: Call,
  ): Promise<Completion>;
}

/** Puts it together out of the descriptor alone; asks nothing of the upstream yet. */
export function createCatalogue(server: ServerDescriptor): Catalogue {
  // Listed when asked for: most hosts never do, and all wait for the start.
  return {
    get resources() {
      return resourceListings(server);
    },
    get templates() {
      return templateListings(server);
    },
    get prompts() {
      return (server.prompts ?? []).map(promptListing);
    },
    read: (uri, call) => readResource(server, uri, call),
    prompt: (name, args) => [{ type: "text", text: fillPrompt(server.prompts ?? [], name, args) }],
    complete: createCompletion(server),
  };
}
