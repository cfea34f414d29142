/** A page: the asked items of an upstream's list. */
import type { Runtime } from "./call.ts";
import type { CallContext, JsonObject, ResultPlan, ToolDescriptor } from "./contract.ts";
import { departuresOfItems } from "./result/declared.ts";
import { type ListPage, walkList } from "./pagination/walk.ts";
import { writePage } from "./result/page.ts";

type PagePlan = Extract<ResultPlan, { kind: "page" }>;

/** The part of each page that lies in `[offset, offset + limit)`. */
function itemsOf(pages: readonly ListPage[], offset: number, limit: number) {
  return pages.flatMap(({ position, items }) =>
    items.slice(Math.max(0, offset - position), Math.max(0, offset + limit - position)),
  );
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
  const lowered =
    asked > limit ? [`limit ${asked} was lowered to ${limit}, the most of one call.`] : [];
  const list = await walkList(runtime, tool.operation, plan, args, { offset, limit }, context);
  const items = itemsOf(list.pages, offset, limit);
  const reached = list.pages.at(-1);
  const beyond = reached !== undefined && reached.position + reached.items.length > offset + limit;
  return writePage(
    {
      items,
      total: list.total,
      more: list.more || beyond,
      offset,
      notes: [...lowered, ...list.notes, ...departuresOfItems(plan.declared, items, offset)],
    },
    runtime.maxResultBytes,
  );
}
