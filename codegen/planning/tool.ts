/** One tool: operation + manifest entry → plan. */
import type { ToolAnnotations } from "../../src/contract.ts";
import type { ArgumentEntry, ToolEntry } from "../manifest-tool-schema.ts";
import type { ArgumentPlan, ToolPlan } from "../plan.ts";
import { inputSchema, outputSchema } from "../tool-schemas.ts";
import { kindArguments } from "../window-arguments.ts";
import { typesAt } from "./answer.ts";
import { parameterFor, planArgument } from "./arguments.ts";
import {
  bindOperation,
  checkSupply,
  parameterPlans,
  supplyArgument,
  type Supplied,
  supplyFixed,
} from "./binding.ts";
import { type Planning, within } from "./context.ts";
import { planExplanation } from "./explain.ts";
import { findOperation } from "./operation.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { planResult } from "./result.ts";

/** What a read promises unless the manifest says otherwise. */
function annotate(entry: ToolEntry["annotations"]): ToolAnnotations {
  return {
    readOnlyHint: entry?.readOnlyHint ?? true,
    destructiveHint: entry?.destructiveHint ?? false,
    idempotentHint: entry?.idempotentHint ?? true,
    openWorldHint: entry?.openWorldHint ?? true,
  };
}

interface OwnArguments {
  readonly plans: readonly ArgumentPlan[];
  readonly supplied: readonly Supplied[];
}

function planArguments(
  planning: Planning,
  entries: Readonly<Record<string, ArgumentEntry>>,
  parameters: readonly Parameter[],
): OwnArguments {
  const plans: ArgumentPlan[] = [];
  const supplied: Supplied[] = [];
  const takenBy = new Map<Parameter, string>();
  for (const [name, entry] of Object.entries(entries)) {
    const here = within(planning, [name]);
    const parameter = parameterFor(here, name, entry, parameters);
    if (parameter === undefined) {
      continue;
    }
    const other = takenBy.get(parameter);
    if (other !== undefined) {
      here.report([], `"${name}" and "${other}" both supply the parameter "${parameter.name}"`);
      continue;
    }
    takenBy.set(parameter, name);
    const plan = planArgument(here, name, entry, parameter);
    if (plan !== undefined) {
      plans.push(plan);
      supplied.push(supplyArgument(parameter, entry, plan));
    }
  }
  return { plans, supplied };
}

/** Parameters with two sources, and arguments whose name the result kind needs for itself. */
function checkClashes(
  planning: Planning,
  own: OwnArguments,
  others: readonly Supplied[],
  kindNames: readonly string[],
): void {
  for (const { name } of own.plans) {
    if (kindNames.includes(name)) {
      planning.report(
        ["arguments", name],
        `the argument name "${name}" is taken: the result kind adds an argument of that name`,
        "leave it out, or give it another name with parameter",
      );
    }
  }
  for (const { parameter, binding } of others) {
    const clash = own.supplied.find((one) => one.parameter === parameter);
    if (clash !== undefined && binding.fixed !== undefined) {
      planning.report(
        ["fixed", parameter.name],
        `the parameter "${parameter.name}" is fixed and supplied by the argument "${clash.binding.argument}" as well`,
      );
    }
  }
}

/**
 * Plans one tool.
 * @returns undefined when its operation cannot be used; every problem is reported
 */
export function planTool(planning: Planning, name: string, entry: ToolEntry): ToolPlan | undefined {
  const found = findOperation(planning, ["operation"], entry.operation);
  if (found === undefined) {
    return undefined;
  }
  const { operation, byPath } = found;
  const parameters = parametersOf(operation);
  const own = planArguments(within(planning, ["arguments"]), entry.arguments ?? {}, parameters);
  const fixed = supplyFixed(within(planning, ["fixed"]), entry.fixed ?? {}, parameters);
  const result = planResult(
    within(planning, ["result"]),
    entry.result ?? { kind: "record" },
    operation,
    parameters,
    own.supplied,
  );
  const kindNames = kindArguments(result.plan).map((argument) => argument.name);
  checkClashes(planning, own, [...fixed, ...result.supplied], kindNames);
  const supplied = [...own.supplied, ...fixed, ...result.supplied];
  checkSupply(planning, ["operation"], operation, parameters, supplied);
  const argumentNames = [...own.plans.map((argument) => argument.name), ...kindNames];
  const explained =
    entry.explain === undefined
      ? undefined
      : planExplanation(within(planning, ["explain"]), entry.explain, own.supplied, argumentNames);
  const binding = bindOperation(operation, parameters, supplied);
  const itemTypes =
    result.plan.kind === "page"
      ? typesAt(operation.operation, `${result.plan.items}/*`)
      : new Set();
  return {
    descriptor: {
      name,
      title: entry.title,
      description: entry.description.trim(),
      annotations: annotate(entry.annotations),
      inputSchema: inputSchema(own.plans, result.plan),
      outputSchema: outputSchema(result.plan, itemTypes.size === 1 && itemTypes.has("object")),
      operation: binding,
      result: result.plan,
      ...(explained === undefined ? {} : { explain: explained.explain }),
      ...(entry.hints === undefined ? {} : { hints: entry.hints }),
    },
    arguments: own.plans,
    operations: [
      {
        role: "own",
        binding,
        hasOperationId: operation.operationId !== undefined,
        byPath,
        deprecated: operation.operation.value.deprecated === true,
        pointer: operation.operation.pointer,
        reads: result.reads,
        parameters: parameterPlans(supplied),
        answer: result.answer,
      },
      ...(result.units === undefined ? [] : [result.units]),
      ...(explained === undefined ? [] : [explained.operation]),
    ],
  };
}
