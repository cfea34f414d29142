/** Operations that a tool calls besides its own: for units, or to explain a failure. */
import type { ManifestPath } from "../manifest-findings.ts";
import type { AnswerPlan, OperationPlan } from "../plan.ts";
import { answersJson, checkPointer } from "./answer.ts";
import { bindOperation, checkSupply, parameterPlans, type Supplied } from "./binding.ts";
import type { Planning } from "./context.ts";
import { findOperation } from "./operation.ts";
import { bindingOf, parametersOf } from "./parameters.ts";

/** A place in the answer, and where the manifest names it. */
export interface Reading extends AnswerPlan {
  readonly at: ManifestPath;
}

/**
 * Plans a second operation. It is asked with the tool's own arguments: a required parameter gets what the tool's own
 * parameter of the same name gets, else the argument of that name; optional ones are left out.
 * @param at where the manifest names the operation
 */
export function planSecondOperation(
  planning: Planning,
  role: "units" | "explain",
  at: ManifestPath,
  name: string,
  own: readonly Supplied[],
  readings: readonly Reading[],
): OperationPlan | undefined {
  const found = findOperation(planning, at, name);
  if (found === undefined) {
    return undefined;
  }
  const { operation, byPath } = found;
  const parameters = parametersOf(operation);
  const supplied = parameters
    .filter((parameter) => parameter.required)
    .flatMap((parameter): Supplied[] => {
      const source =
        own.find((one) => one.parameter.name === parameter.name) ??
        own.find((one) => one.binding.argument === parameter.name);
      if (source === undefined) {
        return [];
      }
      const {
        name: _,
        in: __,
        style: ___,
        explode: ____,
        required: _____,
        ...value
      } = source.binding;
      return [{ ...source, parameter, binding: { ...bindingOf(parameter), ...value } }];
    });
  checkSupply(planning, at, operation, parameters, supplied);
  if (!answersJson(operation.operation)) {
    planning.report(at, `operation "${name}" does not answer JSON`);
  }
  for (const reading of readings) {
    checkPointer(planning, reading.at, operation.operation, reading.pointer);
  }
  return {
    role,
    binding: bindOperation(operation, parameters, supplied),
    hasOperationId: operation.operationId !== undefined,
    byPath,
    deprecated: operation.operation.value.deprecated === true,
    pointer: operation.operation.pointer,
    reads: "json",
    parameters: parameterPlans(supplied),
    answer: readings.map(({ at: _, ...reading }) => reading),
  };
}
