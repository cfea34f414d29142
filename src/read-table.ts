/** A table: the window that was asked for, and its units. */
import type { Runtime } from "./call.ts";
import type {
  CallContext,
  Condition,
  JsonObject,
  TableWindow,
  ToolDescriptor,
  UnitSource,
  WindowRequest,
} from "./contract.ts";
import { atPointer } from "./json.ts";
import { fetchJson, requireJson } from "./read-record.ts";
import { formatOf, loadBody, loadPages, needsAll, type TablePlan } from "./table-body.ts";
import { type Layout, writeTable } from "./result/table.ts";

const DEFAULT_ROWS = 500;
/** Most rows of one window; more are lowered to it, and the note says so. */
const MAX_ROWS = 5000;

interface WindowArguments {
  columns?: string[];
  limit?: number;
  offset?: number;
  sample?: number;
  where?: Condition[];
  stats?: boolean;
  layout?: Layout;
}

function toRequest(args: WindowArguments): { request: WindowRequest; notes: string[] } {
  const { columns, limit = DEFAULT_ROWS, offset = 0, sample, where, stats } = args;
  const lowered = (["limit", "sample"] as const).filter((name) => (args[name] ?? 0) > MAX_ROWS);
  return {
    request: {
      limit: Math.min(limit, MAX_ROWS),
      offset,
      ...(columns === undefined ? {} : { columns }),
      ...(sample === undefined ? {} : { sample: Math.min(sample, MAX_ROWS) }),
      ...(where === undefined || where.length === 0 ? {} : { where }),
      ...(stats === undefined ? {} : { stats }),
    },
    notes: lowered.map(
      (name) => `${name} ${args[name]} was lowered to ${MAX_ROWS}, the most of one call.`,
    ),
  };
}

/** A window, and what the reader of a paged list knows besides. */
interface ReadWindow {
  readonly window: TableWindow;
  readonly isTotalUnknown?: boolean;
}

/** Rows of a list that comes in pages: those that the window needs, placed in the whole list. */
async function readPagedWindow(
  runtime: Runtime,
  tool: ToolDescriptor,
  plan: TablePlan & { readonly pagination: NonNullable<TablePlan["pagination"]> },
  args: Record<string, unknown>,
  request: WindowRequest,
  context: CallContext,
): Promise<ReadWindow> {
  const { body, list, start } = await loadPages(
    runtime,
    tool.operation,
    plan,
    args,
    request,
    context,
  );
  const inBody = { ...request, offset: Math.max(0, request.offset - start) };
  const load = () => Promise.resolve(body);
  const window = await runtime.tables.readBody(
    undefined,
    load,
    formatOf(plan, true),
    inBody,
    context,
  );
  const reached = start + window.totalRows;
  const isPart = needsAll(request) && list.more;
  return {
    window: {
      ...window,
      // There is one more at least where the list goes on.
      totalRows: list.total ?? (list.more ? reached + 1 : reached),
      ...(window.rowNumbers === undefined
        ? {}
        : { rowNumbers: window.rowNumbers.map((row) => row + start) }),
      notes: [
        ...list.notes,
        ...(isPart ? [`where, sample and stats are of the first ${reached} rows.`] : []),
        ...window.notes,
      ],
    },
    isTotalUnknown: list.total === undefined && list.more,
  };
}

async function readWindow(
  runtime: Runtime,
  tool: ToolDescriptor,
  plan: TablePlan,
  args: Record<string, unknown>,
  request: WindowRequest,
  context: CallContext,
): Promise<ReadWindow> {
  const { upstream, tables } = runtime;
  const { operation } = tool;
  const { pagination } = plan;
  if (pagination !== undefined) {
    return readPagedWindow(runtime, tool, { ...plan, pagination }, args, request, context);
  }
  const key = upstream.identityKey(operation, args);
  switch (plan.format) {
    case "parquet": {
      const open = () => upstream.openFile(operation, args, context);
      return { window: await tables.readParquet(open, request, context) };
    }
    case "json-columns": {
      const load = async () =>
        requireJson(await upstream.send(operation, args, context), operation);
      return { window: await tables.readJsonColumns(key, load, plan.at ?? "", request, context) };
    }
    default: {
      const load = () => loadBody(runtime, operation, plan, args, context);
      return { window: await tables.readBody(key, load, formatOf(plan, false), request, context) };
    }
  }
}

/** `Voltage [V]` → `V`. */
const UNIT_IN_NAME = /\[([^[\]]+)\]\s*$/;

/** Unit by column name; for a name that says its own unit it is read off later, from the window. */
async function unitsOfRecord(
  runtime: Runtime,
  units: UnitSource,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (units.from !== "record") {
    return found;
  }
  const entries = atPointer(await fetchJson(runtime, units.operation, args, context), units.at);
  for (const entry of Array.isArray(entries) ? entries : []) {
    const name = atPointer(entry, `/${units.name}`);
    const unit = atPointer(entry, `/${units.unit}`);
    if (typeof name === "string" && typeof unit === "string" && unit !== "") {
      found.set(name, unit);
    }
  }
  return found;
}

export async function readTable(
  runtime: Runtime,
  tool: ToolDescriptor,
  plan: TablePlan,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<JsonObject> {
  const { request, notes } = toRequest(args as WindowArguments);
  const [{ window, isTotalUnknown = false }, units] = await Promise.all([
    readWindow(runtime, tool, plan, args, request, context),
    unitsOfRecord(runtime, plan.units, args, context),
  ]);
  if (plan.units.from === "column-names") {
    for (const { name } of window.columns) {
      const unit = UNIT_IN_NAME.exec(name)?.[1];
      if (unit !== undefined) {
        units.set(name, unit);
      }
    }
  }
  const layout = (args.layout as Layout | undefined) ?? "records";
  return writeTable(
    { window, isTotalUnknown, request, layout, units, notes },
    runtime.maxResultBytes,
  );
}
