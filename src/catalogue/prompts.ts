/** Questions that people pick: listed, and filled with what they gave. */
import type { PromptDescriptor } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { cleanText } from "../result/clean.ts";

/** One entry of `prompts/list`. */
export interface PromptListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
}

/** Longest argument that a prompt takes (characters): ids, names, a question. */
const MAX_ARGUMENT = 1000;

export function promptListing(prompt: PromptDescriptor): PromptListing {
  const { name, title, description } = prompt;
  return {
    name,
    title,
    description,
    arguments: prompt.arguments.map((argument) => ({
      name: argument.name,
      description: argument.description,
      required: argument.required,
    })),
  };
}

/**
 * A prompt's text. Arguments stand in it as they were given, without controls.
 * @throws ToolError NOT_FOUND for an unknown prompt, INVALID_ARGUMENT for a missing, unknown or overlong argument
 */
export function fillPrompt(
  prompts: readonly PromptDescriptor[],
  name: string,
  given: Readonly<Record<string, string>>,
): string {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    const near = nearest(
      name,
      prompts.map((one) => one.name),
    );
    throw new ToolError(
      "NOT_FOUND",
      `Unknown prompt: ${cleanText(name).slice(0, 100)}${near === undefined ? "" : `; the nearest is ${near}`}`,
    );
  }
  const names = prompt.arguments.map((argument) => argument.name);
  for (const [argument, value] of Object.entries(given)) {
    if (!names.includes(argument)) {
      throw new ToolError(
        "INVALID_ARGUMENT",
        `The prompt ${name} has no argument ${cleanText(argument).slice(0, 100)}; it has ${names.join(", ") || "none"}`,
      );
    }
    if (value.length > MAX_ARGUMENT) {
      throw new ToolError(
        "INVALID_ARGUMENT",
        `The argument ${argument} of the prompt ${name} has ${value.length} characters; ${MAX_ARGUMENT} are the most`,
      );
    }
  }
  const values = new Map(
    prompt.arguments.map((argument) => {
      const value = cleanText(given[argument.name] ?? "").trim() || argument.default;
      if (value === undefined && argument.required) {
        throw new ToolError("INVALID_ARGUMENT", `The prompt ${name} needs ${argument.name}`);
      }
      return [argument.name, value ?? ""];
    }),
  );
  return prompt.text.replace(/\{([a-z][a-z0-9_]*)\}/g, (whole, key: string) => {
    return values.get(key) ?? whole;
  });
}
