/** Why a call failed, told from another record where the manifest says which. */
import type { Runtime } from "./call.ts";
import type { CallContext, Explanation, ToolDescriptor } from "./contract.ts";
import { ToolError } from "./errors.ts";
import { atPointer, type ExactJson, toPlainJson } from "./json.ts";
import { fetchJson } from "./read-record.ts";
import { cleanText } from "./result/clean.ts";

/** Longest text of a record that a message quotes (characters). */
const MAX_QUOTE = 500;

function quote(value: ExactJson | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(toPlainJson(value ?? null));
  return cleanText(text).slice(0, MAX_QUOTE);
}

/** Fills `{/json/pointer}` from the record and `{argument}` from the arguments. */
function fill(template: string, record: ExactJson, args: Record<string, unknown>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, place: string) =>
    place.startsWith("/") ? quote(atPointer(record, place)) : quote(String(args[place] ?? "")),
  );
}

function ruleFor(
  explanation: Explanation,
  record: ExactJson,
): Explanation["rules"][number] | undefined {
  return explanation.rules.find((rule) => {
    const value = atPointer(record, rule.at);
    return value !== undefined && rule.in.some((wanted) => wanted === value);
  });
}

/**
 * Always throws: the error itself, with the tool's own hint for its code, or the explanation that another record gives.
 */
export async function explain(
  runtime: Runtime,
  tool: ToolDescriptor,
  args: Record<string, unknown>,
  context: CallContext,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ToolError)) {
    throw error;
  }
  const hint = tool.hints?.[error.code] ?? error.hint;
  const hinted = new ToolError(error.code, error.message, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
  const explanation = tool.explain;
  if (explanation === undefined || !explanation.on.includes(error.code) || context.signal.aborted) {
    throw hinted;
  }
  const record = await fetchJson(runtime, explanation.operation, args, context).catch(() => {
    // The record could not be had either: the first failure is the one to tell.
    throw hinted;
  });
  const rule = ruleFor(explanation, record);
  if (rule === undefined) {
    throw hinted;
  }
  throw new ToolError(rule.code, fill(rule.message, record, args), {
    hint: fill(rule.hint, record, args),
    cause: error,
  });
}
