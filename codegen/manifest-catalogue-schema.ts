/** What the manifest offers beside tools: completion and prompts. */
import * as z from "zod";
import { pointer, text } from "./manifest-tool-schema.ts";

/** One entry of `completions`. */
export const completion = z
  .strictObject({
    tool: text(
      "Tool that lists the values (kind `page`), or reads the table whose columns they are.",
    ),
    value: pointer(
      "JSON pointer into an item to the value. Left out for a table: its columns' names.",
    ).optional(),
    match: pointer(
      "JSON pointer into an item to a text that what was typed may match as well, e.g. `/name`.",
    ).optional(),
  })
  .describe("One kind of value.");

const promptArgument = z
  .strictObject({
    description: text("What people read."),
    required: z.boolean().describe("Default: true, unless there is a default.").optional(),
    default: text("What stands in the text when it is left out.").optional(),
    complete: text(
      "Key in `completions`. Default: the argument's own name, where there is one of that name.",
    ).optional(),
  })
  .describe("One argument.");

/** One entry of `prompts`. */
export const prompt = z
  .strictObject({
    title: text("Name that people pick."),
    description: text("What comes of it."),
    arguments: z.record(z.string(), promptArgument).describe("By name.").optional(),
    text: text("The question, with `{argument}` where one goes."),
  })
  .describe("One question.");

export type CompletionEntry = z.infer<typeof completion>;
export type PromptEntry = z.infer<typeof prompt>;
