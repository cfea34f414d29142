/** What a tool list costs in a model's context. */
import type { ToolDescriptor } from "../src/contract.ts";

type Listed = Omit<ToolDescriptor, "arguments">;

/** Bytes of compact JSON, and tokens. */
export interface ListSize {
  readonly bytes: number;
  /** Estimated as bytes / 4: English and JSON come to 3.5 to 4.5 bytes per token in the models' tokenizers. */
  readonly tokens: number;
}

/** A tool as `tools/list` shows it. */
export function listingOf(tool: Listed) {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return { name, title, description, inputSchema, outputSchema, annotations };
}

function sizeOf(value: unknown): ListSize {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return { bytes, tokens: Math.ceil(bytes / 4) };
}

/** Size of the whole answer to `tools/list`. */
export function listSize(tools: readonly Listed[]): ListSize {
  return sizeOf({ tools: tools.map(listingOf) });
}

/** Size of one entry of the list. */
export function toolSize(tool: Listed): ListSize {
  return sizeOf(listingOf(tool));
}
