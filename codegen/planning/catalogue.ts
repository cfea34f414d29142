/** Completion and prompts of one server, held against its tools. */
import type {
  CompletionSource,
  PromptArgument,
  PromptDescriptor,
  ServerDescriptor,
} from "../../src/contract.ts";
import { nearest } from "../../src/nearest.ts";
import type { CompletionEntry, PromptEntry } from "../manifest-catalogue-schema.ts";
import type { ServerSection } from "../manifest-schema.ts";
import { isArgumentName } from "../manifest-tool-schema.ts";
import type { ToolPlan } from "../plan.ts";
import { type Planning, suggest, within } from "./context.ts";

const PLACEHOLDER = /\{([a-z][a-z0-9_]*)\}/g;

function planCompletion(
  planning: Planning,
  entry: CompletionEntry,
  tools: readonly ToolPlan[],
): CompletionSource {
  const { tool, value, match } = entry;
  const names = tools.map(({ descriptor }) => descriptor.name);
  const kind = tools.find(({ descriptor }) => descriptor.name === tool)?.descriptor.result.kind;
  if (kind === undefined) {
    planning.report(["tool"], `there is no tool "${tool}"`, suggest(nearest(tool, names), names));
  } else if (kind !== "page" && kind !== "table") {
    planning.report(["tool"], `"${tool}" neither lists (page) nor reads a table`);
  } else if (kind === "page" && value === undefined) {
    planning.report([], `"${tool}" lists items: value must say where an item has the value`);
  } else if (kind === "table" && (value ?? match) !== undefined) {
    planning.report([], `"${tool}" reads a table: its columns' names are the values`);
  }
  return {
    tool,
    ...(value === undefined ? {} : { value }),
    ...(match === undefined ? {} : { match }),
  };
}

function planPrompt(
  planning: Planning,
  name: string,
  entry: PromptEntry,
  keys: readonly string[],
): PromptDescriptor {
  const args = Object.entries(entry.arguments ?? {}).map(([argument, told]): PromptArgument => {
    const here = within(planning, ["arguments", argument]);
    if (!isArgumentName(argument)) {
      here.report([], `"${argument}" cannot be the name of an argument`);
    }
    if (!entry.text.includes(`{${argument}}`)) {
      here.report([], `the text does not use "{${argument}}"`);
    }
    if (told.required === true && told.default !== undefined) {
      here.report(["default"], "an argument that is required has no default");
    }
    if (told.complete !== undefined && !keys.includes(told.complete)) {
      const near = suggest(nearest(told.complete, keys), keys);
      here.report(["complete"], `completions has no "${told.complete}"`, near);
    }
    const complete = told.complete ?? (keys.includes(argument) ? argument : undefined);
    return {
      name: argument,
      description: told.description,
      required: told.required ?? told.default === undefined,
      ...(told.default === undefined ? {} : { default: told.default }),
      ...(complete === undefined ? {} : { complete }),
    };
  });
  const known = args.map((argument) => argument.name);
  for (const [, used = ""] of entry.text.matchAll(PLACEHOLDER)) {
    if (!known.includes(used)) {
      const near = suggest(nearest(used, known), known);
      planning.report(["text"], `the text uses "{${used}}", which is no argument`, near);
    }
  }
  return {
    name,
    title: entry.title,
    description: entry.description,
    arguments: args,
    text: entry.text.trim(),
  };
}

/** Completion and prompts; what is wrong with them is reported. */
export function planCatalogue(
  planning: Planning,
  section: ServerSection,
  tools: readonly ToolPlan[],
): Pick<ServerDescriptor, "completions" | "prompts"> {
  const { completions, prompts } = section;
  const keys = Object.keys(completions ?? {});
  return {
    ...(completions && {
      completions: Object.fromEntries(
        Object.entries(completions).map(([key, entry]) => [
          key,
          planCompletion(within(planning, ["completions", key]), entry, tools),
        ]),
      ),
    }),
    ...(prompts && {
      prompts: Object.entries(prompts).map(([name, entry]) =>
        planPrompt(within(planning, ["prompts", name]), name, entry, keys),
      ),
    }),
  };
}
