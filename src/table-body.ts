/** The body that a table is made of: one answer, or several pages of a list put together. */
import type { Runtime } from "./call.ts";
import type { CallContext, OperationBinding, ResultPlan, WindowRequest } from "./contract.ts";
import { ToolError } from "./errors.ts";
import { type BodyFamily, familyOf } from "./media-type.ts";
import { type ListPlan, type WalkedList, walkList } from "./pagination/walk.ts";
import { describe, isEmptyAnswer, requireJson } from "./read-record.ts";
import type { BodyFormat, TableBody } from "./tables/body-format.ts";

export type TablePlan = Extract<ResultPlan, { kind: "table" }>;

/** Families that a format takes; whatever the operation promises is taken besides. */
const TAKES: Partial<Record<TablePlan["format"], readonly BodyFamily[]>> = {
  "json-lines": ["json-lines", "json", "text", "unknown"],
  csv: ["csv", "tsv", "text", "unknown"],
  tsv: ["tsv", "csv", "text", "unknown"],
  xml: ["xml", "text", "unknown"],
  "arrow-ipc": ["arrow", "unknown"],
};

const NAMES: Partial<Record<TablePlan["format"], string>> = {
  "json-lines": "JSON Lines",
  csv: "CSV",
  tsv: "TSV",
  xml: "XML",
  "arrow-ipc": "Arrow",
};

/** @throws ToolError UNREADABLE_ANSWER where the answer says that it is something else */
function requireFormat(plan: TablePlan, mediaType: string, operation: OperationBinding): void {
  const takes = TAKES[plan.format];
  const isPromised = operation.accept.includes(mediaType);
  if (takes === undefined || isPromised || takes.includes(familyOf(mediaType))) {
    return;
  }
  throw new ToolError(
    "UNREADABLE_ANSWER",
    `The answer to ${describe(operation)} is ${mediaType}, not ${NAMES[plan.format]}`,
  );
}

const IS_JSON = new Set<string>(["json-rows", "geojson", "json-api"]);

/** One answer, whole. */
export async function loadBody(
  runtime: Runtime,
  operation: OperationBinding,
  plan: TablePlan,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<TableBody> {
  const answer = await runtime.upstream.send(operation, args, context);
  const { bytes, mediaType } = answer;
  if (isEmptyAnswer(answer)) {
    return { bytes, mediaType };
  }
  if (IS_JSON.has(plan.format) && !operation.accept.includes(mediaType)) {
    requireJson(answer, operation);
  }
  requireFormat(plan, mediaType, operation);
  return { bytes, mediaType };
}

/** Where the rows are, unless the plan says so. */
const ROWS: Partial<Record<TablePlan["format"], string>> = {
  "json-rows": "",
  geojson: "/features",
  "json-api": "/data",
};

/** How the plan's table is read. */
export function formatOf(plan: TablePlan, isPages: boolean): BodyFormat {
  const { format, text, geometry } = plan;
  return { format, at: plan.at ?? ROWS[format], text, geometry, isPages };
}

/** JSON answers as a JSON list of them, without parsing any. */
function joinPages(pages: WalkedList["pages"]): Uint8Array {
  const pieces = pages.flatMap(({ bytes }, index) => [index === 0 ? "[" : ",", bytes]);
  return Buffer.concat(
    [...pieces, pages.length === 0 ? "[]" : "]"].map((piece) => Buffer.from(piece)),
  );
}

export interface PagedBody {
  readonly body: TableBody;
  readonly list: WalkedList;
  /** Place of the body's first row in the whole list. */
  readonly start: number;
}

/** Everything has to be read before it can be filtered, summed up or thinned. */
export function needsAll({ where, sample, stats }: WindowRequest): boolean {
  return where !== undefined || sample !== undefined || stats === true;
}

/** The pages of a list that a window needs. */
export async function loadPages(
  runtime: Runtime,
  operation: OperationBinding,
  plan: TablePlan & { readonly pagination: ListPlan["pagination"] },
  args: Record<string, unknown>,
  request: WindowRequest,
  context: CallContext,
): Promise<PagedBody> {
  const { pagination, total, totalHeader } = plan;
  const items = plan.at ?? ROWS[plan.format] ?? "";
  const list = await walkList(
    runtime,
    operation,
    { items, total, totalHeader, pagination },
    args,
    needsAll(request) ? { offset: 0, limit: Number.POSITIVE_INFINITY } : request,
    context,
  );
  const body = { bytes: joinPages(list.pages), mediaType: "application/json" };
  return { body, list, start: list.pages[0]?.position ?? request.offset };
}
