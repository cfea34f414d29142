/** The result kind: what the manifest says about the answer, checked against what the document promises. */
import type { ResultPlan } from "../../src/contract.ts";
import { nearest } from "../../src/nearest.ts";
import type { Operation } from "../drift/operations.ts";
import type { ResultEntry } from "../manifest-tool-schema.ts";
import type { AnswerPlan, OperationPlan } from "../plan.ts";
import { answersJson, checkPointer } from "./answer.ts";
import { type Supplied, supplyPaging } from "./binding.ts";
import { type Planning, suggest } from "./context.ts";
import type { Parameter } from "./parameters.ts";
import { planSecondOperation } from "./second-operation.ts";

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 1000;

/** A planned result. */
export interface PlannedResult {
  readonly plan: ResultPlan;
  readonly answer: readonly AnswerPlan[];
  readonly reads: OperationPlan["reads"];
  /** Parameters that the result kind supplies. */
  readonly supplied: readonly Supplied[];
  readonly units?: OperationPlan;
}

type PageEntry = Extract<ResultEntry, { kind: "page" }>;
type TableEntry = Extract<ResultEntry, { kind: "table" }>;

function pagingParameter(
  planning: Planning,
  parameters: readonly Parameter[],
  role: "offset" | "limit",
  name: string,
): Parameter | undefined {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const found = inQuery.find((parameter) => parameter.name === name);
  if (found === undefined) {
    const known = inQuery.map((parameter) => parameter.name);
    planning.report(
      ["pagination", role],
      `the operation has no query parameter "${name}" for the ${role} of its pages`,
      suggest(nearest(name, known), known),
    );
  }
  return found;
}

function planPage(
  planning: Planning,
  entry: PageEntry,
  operation: Operation,
  parameters: readonly Parameter[],
): PlannedResult {
  const { items, total, pagination = {} } = entry;
  const { offset: offsetName = "offset", limit: limitName = "limit" } = pagination;
  const offset = pagingParameter(planning, parameters, "offset", offsetName);
  const limit = pagingParameter(planning, parameters, "limit", limitName);
  const maximumLimit = entry.maximum_limit ?? MAXIMUM_LIMIT;
  const maximum = pagination.maximum ?? limit?.schema.limits.maximum ?? maximumLimit;
  checkPointer(planning, ["items"], operation.operation, items);
  if (total !== undefined) {
    checkPointer(planning, ["total"], operation.operation, total);
  }
  return {
    plan: {
      kind: "page",
      items,
      ...(total === undefined ? {} : { total }),
      pagination: { scheme: "offset-limit", offset: offsetName, limit: limitName, maximum },
      defaultLimit: entry.default_limit ?? Math.min(DEFAULT_LIMIT, maximumLimit),
      maximumLimit,
    },
    answer: [
      { pointer: items, by: "result.items" },
      ...(total === undefined ? [] : [{ pointer: total, by: "result.total" }]),
    ],
    reads: "json",
    supplied: [
      ...(limit === undefined ? [] : [supplyPaging(limit, "limit", maximum)]),
      ...(offset === undefined ? [] : [supplyPaging(offset, "offset")]),
    ],
  };
}

function planTable(
  planning: Planning,
  entry: TableEntry,
  operation: Operation,
  own: readonly Supplied[],
): PlannedResult {
  const { format, at, units } = entry;
  const isFile = format === "parquet";
  if (isFile && at !== undefined) {
    planning.report(
      ["at"],
      "a parquet file is a table as a whole: there is no place in it to name",
    );
  }
  if (!isFile) {
    checkPointer(planning, ["at"], operation.operation, at ?? "");
  }
  const answer: AnswerPlan[] = isFile ? [] : [{ pointer: at ?? "", by: "result.at" }];
  const place = at === undefined || isFile ? {} : { at };
  const reads = isFile ? "file" : "json";
  if (typeof units === "string") {
    const plan: ResultPlan = { kind: "table", format, ...place, units: { from: units } };
    return { plan, answer, reads, supplied: [] };
  }
  const readings = [
    { pointer: units.at, by: "result.units.at", at: ["units", "at"] },
    { pointer: `${units.at}/*/${units.name}`, by: "result.units.name", at: ["units", "name"] },
    { pointer: `${units.at}/*/${units.unit}`, by: "result.units.unit", at: ["units", "unit"] },
  ];
  const second = planSecondOperation(
    planning,
    "units",
    ["units", "operation"],
    units.operation,
    own,
    readings,
  );
  if (second === undefined) {
    const plan: ResultPlan = { kind: "table", format, ...place, units: { from: "none" } };
    return { plan, answer, reads, supplied: [] };
  }
  const { at: list, name, unit } = units;
  const source = { from: "record", operation: second.binding, at: list, name, unit } as const;
  const plan: ResultPlan = { kind: "table", format, ...place, units: source };
  return { plan, answer, reads, supplied: [], units: second };
}

/** Plans what a tool answers. `own` are the parameters that its arguments supply. */
export function planResult(
  planning: Planning,
  entry: ResultEntry,
  operation: Operation,
  parameters: readonly Parameter[],
  own: readonly Supplied[],
): PlannedResult {
  const isFile = entry.kind === "table" && entry.format === "parquet";
  if (!isFile && !answersJson(operation.operation)) {
    planning.report(["kind"], `${operation.method} ${operation.path} does not answer JSON`);
  }
  switch (entry.kind) {
    case "record":
      return {
        plan: { kind: "record" },
        answer: [{ pointer: "", by: "result" }],
        reads: "json",
        supplied: [],
      };
    case "page":
      return planPage(planning, entry, operation, parameters);
    case "table":
      return planTable(planning, entry, operation, own);
  }
}
