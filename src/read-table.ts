/** A table: the window that was asked for, and its units. */
import type { Runtime } from "./call.ts";
import type {
  CallContext,
  Condition,
  JsonObject,
  ResultPlan,
  TableWindow,
  ToolDescriptor,
  UnitSource,
  WindowRequest,
} from "./contract.ts";
import { atPointer } from "./json.ts";
import { fetchJson, requireJson } from "./read-record.ts";
import { type Layout, writeTable } from "./result/table.ts";

type TablePlan = Extract<ResultPlan, { kind: "table" }>;

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

async function readWindow(
  runtime: Runtime,
  tool: ToolDescriptor,
  plan: TablePlan,
  args: Record<string, unknown>,
  request: WindowRequest,
  context: CallContext,
): Promise<TableWindow> {
  const { upstream, tables } = runtime;
  const { operation } = tool;
  switch (plan.format) {
    case "parquet":
      return tables.readParquet(
        () => upstream.openFile(operation, args, context),
        request,
        context,
      );
    case "json-columns": {
      const load = async () =>
        requireJson(await upstream.send(operation, args, context), operation);
      const key = upstream.identityKey(operation, args);
      return tables.readJsonColumns(key, load, plan.at ?? "", request, context);
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
  const [window, units] = await Promise.all([
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
  return writeTable({ window, request, layout, units, notes }, runtime.maxResultBytes);
}
