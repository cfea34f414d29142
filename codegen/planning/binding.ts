/** Operation + arguments → binding: where each parameter's value comes from, and that none is missing. */
import type { JsonObject, OperationBinding, ParameterBinding } from "../../src/contract.ts";
import { nearest } from "../../src/nearest.ts";
import type { Operation } from "../drift/operations.ts";
import type { ManifestPath } from "../manifest-findings.ts";
import type { ArgumentEntry } from "../manifest-tool-schema.ts";
import type { ArgumentPlan, ParameterPlan } from "../plan.ts";
import { valueSchema } from "../tool-schemas.ts";
import { acceptedTypes } from "./answer.ts";
import { fits } from "./arguments.ts";
import { type Planning, suggest } from "./context.ts";
import { bindingOf, type Parameter, undescribed } from "./parameters.ts";

/** A parameter together with what supplies it. */
export interface Supplied {
  readonly parameter: Parameter;
  readonly binding: ParameterBinding;
  readonly alwaysSent: boolean;
  /** JSON Schema of what may be sent. */
  readonly sends: JsonObject;
}

/** A parameter that an argument supplies. */
export function supplyArgument(
  parameter: Parameter,
  entry: ArgumentEntry,
  argument: ArgumentPlan,
): Supplied {
  return {
    parameter,
    binding: {
      ...bindingOf(parameter),
      argument: argument.name,
      ...(entry.fallback === undefined ? {} : { fallback: entry.fallback }),
      ...(entry.fallback_hint === undefined ? {} : { fallbackHint: entry.fallback_hint }),
      ...(entry.default === undefined ? {} : { default: entry.default }),
      ...(entry.wire === undefined ? {} : { wire: entry.wire }),
    },
    alwaysSent: argument.required || entry.default !== undefined,
    sends: valueSchema(argument),
  };
}

/** A parameter that the paging of a list supplies. */
export function supplyPaging(parameter: Parameter, argument: string, maximum?: number): Supplied {
  const isLimit = maximum !== undefined;
  return {
    parameter,
    binding: { ...bindingOf(parameter), argument },
    alwaysSent: true,
    sends: { type: "integer", minimum: isLimit ? 1 : 0, ...(isLimit ? { maximum } : {}) },
  };
}

/** Parameters with a constant value. */
export function supplyFixed(
  planning: Planning,
  fixed: Readonly<Record<string, string | number | boolean>>,
  parameters: readonly Parameter[],
): Supplied[] {
  const supplied: Supplied[] = [];
  for (const [name, value] of Object.entries(fixed)) {
    const parameter = parameters.find((one) => one.name === name);
    if (parameter === undefined) {
      const known = parameters.map((one) => one.name);
      const hint = suggest(nearest(name, known), known);
      planning.report([name], `the operation has no parameter "${name}"`, hint);
    } else if (!fits(value, parameter.schema)) {
      const what = `parameter "${name}" (${parameter.in})`;
      planning.report([name], `${JSON.stringify(value)} is not a value of ${what}`);
    } else {
      const binding = { ...bindingOf(parameter), fixed: value };
      supplied.push({ parameter, binding, alwaysSent: true, sends: { const: value } });
    }
  }
  return supplied;
}

/** Reports required parameters that nothing supplies, and names of the path that nothing describes. */
export function checkSupply(
  planning: Planning,
  at: ManifestPath,
  operation: Operation,
  parameters: readonly Parameter[],
  supplied: readonly Supplied[],
): void {
  for (const parameter of parameters) {
    if (parameter.required && !supplied.some((one) => one.parameter === parameter)) {
      planning.report(
        at,
        `parameter "${parameter.name}" (${parameter.in}) of ${operation.method} ${operation.path} is required, and nothing supplies it`,
        "list it under arguments, or give it a value under fixed",
      );
    }
  }
  for (const name of undescribed(operation, parameters)) {
    planning.report(at, `"{${name}}" of ${operation.path} is described by no parameter`);
  }
}

/** The operation as the runtime sends it; parameters in the document's order. */
export function bindOperation(
  operation: Operation,
  parameters: readonly Parameter[],
  supplied: readonly Supplied[],
): OperationBinding {
  const ordered = parameters.flatMap((parameter) =>
    supplied.filter((one) => one.parameter === parameter).map(({ binding }) => binding),
  );
  return {
    operationId: operation.operationId ?? `${operation.method} ${operation.path}`,
    method: operation.method as OperationBinding["method"],
    path: operation.path,
    parameters: ordered,
    accept: acceptedTypes(operation.operation),
  };
}

/** What `check` wants to know of the parameters. */
export function parameterPlans(supplied: readonly Supplied[]): ParameterPlan[] {
  return supplied.map(({ parameter, alwaysSent, sends }) => ({
    name: parameter.name,
    in: parameter.in,
    pointer: parameter.pointer,
    alwaysSent,
    sends,
  }));
}
