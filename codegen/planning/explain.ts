/** Explanations: which record tells why a call failed, and the words for each of its states. */
import type { Explanation } from "../../src/contract.ts";
import { nearest } from "../../src/nearest.ts";
import type { ExplainEntry } from "../manifest-tool-schema.ts";
import type { OperationPlan } from "../plan.ts";
import type { Supplied } from "./binding.ts";
import { type Planning, suggest } from "./context.ts";
import { planSecondOperation, type Reading } from "./second-operation.ts";

const QUOTE = /\{([^{}]+)\}/g;

/** Quotes of the record in a rule's words; quotes of arguments that do not exist are reported. */
function quotes(
  planning: Planning,
  text: string,
  at: readonly (string | number)[],
  argumentNames: readonly string[],
): Reading[] {
  return [...text.matchAll(QUOTE)].flatMap(([, place = ""]): Reading[] => {
    if (place.startsWith("/")) {
      return [{ pointer: place, by: `explain.${at.at(-1)}`, at }];
    }
    if (!argumentNames.includes(place)) {
      const hint = suggest(nearest(place, argumentNames), argumentNames);
      planning.report(at, `the tool has no argument "${place}" to quote`, hint);
    }
    return [];
  });
}

/** Plans an explanation. `own` are the parameters that the tool's arguments supply. */
export function planExplanation(
  planning: Planning,
  entry: ExplainEntry,
  own: readonly Supplied[],
  argumentNames: readonly string[],
): { explain: Explanation; operation: OperationPlan } | undefined {
  const readings = entry.rules.flatMap((rule, index): Reading[] => [
    { pointer: rule.at, by: "explain.at", values: rule.in, at: ["rules", index, "at"] },
    ...quotes(planning, rule.message, ["rules", index, "message"], argumentNames),
    ...quotes(planning, rule.hint, ["rules", index, "hint"], argumentNames),
  ]);
  const operation = planSecondOperation(
    planning,
    "explain",
    ["operation"],
    entry.operation,
    own,
    readings,
  );
  return operation === undefined
    ? undefined
    : { explain: { on: entry.on, operation: operation.binding, rules: entry.rules }, operation };
}
