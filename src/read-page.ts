/** A page: as many upstream pages as the asked items need, no more. */
import type { Runtime } from "./call.ts";
import type { CallContext, JsonObject, ResultPlan, ToolDescriptor } from "./contract.ts";
import { ToolError } from "./errors.ts";
import { atPointer, type ExactJson } from "./json.ts";
import { describe, fetchJson } from "./read-record.ts";
import { writePage } from "./result/page.ts";

type PagePlan = Extract<ResultPlan, { kind: "page" }>;

interface UpstreamPage {
  readonly items: readonly ExactJson[];
  readonly total: number | undefined;
}

function unpack(body: ExactJson, plan: PagePlan, what: string): UpstreamPage {
  // Some services still answer old clients with the bare list.
  const items = Array.isArray(body) ? body : atPointer(body, plan.items);
  if (!Array.isArray(items)) {
    throw new ToolError("UNREADABLE_ANSWER", `The answer to ${what} has no list at ${plan.items}`);
  }
  const total = plan.total === undefined ? undefined : atPointer(body, plan.total);
  return {
    items,
    total: typeof total === "number" && Number.isInteger(total) && total >= 0 ? total : undefined,
  };
}

/**
 * The asked part of an upstream page that holds more than was asked for: an upstream that ignores `limit` ignores
 * `offset` too when it sends everything.
 */
function cut(page: UpstreamPage, offset: number, limit: number): readonly ExactJson[] {
  if (page.items.length <= limit) {
    return page.items;
  }
  const everything = page.total === undefined || page.total === page.items.length;
  return everything ? page.items.slice(offset, offset + limit) : page.items.slice(0, limit);
}

export async function readPage(
  runtime: Runtime,
  tool: ToolDescriptor,
  plan: PagePlan,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<JsonObject> {
  const asked = (args.limit as number | undefined) ?? plan.defaultLimit;
  const limit = Math.min(asked, plan.maximumLimit);
  const offset = (args.offset as number | undefined) ?? 0;
  const notes =
    asked > limit ? [`limit ${asked} was lowered to ${limit}, the most of one call.`] : [];
  const items: ExactJson[] = [];
  let total: number | undefined;
  let more = true;
  while (items.length < limit && more) {
    const pageLimit = Math.min(limit - items.length, plan.pagination.maximum);
    const place = offset + items.length;
    const pageArgs = { ...args, limit: pageLimit, offset: place };
    const body = await fetchJson(runtime, tool.operation, pageArgs, context);
    const page = unpack(body, plan, describe(tool.operation));
    const wanted = cut(page, place, pageLimit);
    items.push(...wanted);
    total = page.total ?? (page.items.length > pageLimit ? page.items.length : total);
    more = total === undefined ? wanted.length >= pageLimit : place + wanted.length < total;
    if (wanted.length === 0) {
      if (more) {
        notes.push(`The upstream counts ${total} items but gave none from offset ${place} on.`);
      }
      more = false;
    }
    context.progress?.(items.length, Math.min(limit, total ?? limit), "items read");
  }
  return writePage({ items, total, more, offset, notes }, runtime.maxResultBytes);
}
