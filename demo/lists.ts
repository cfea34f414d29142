/** List routes: what each filters and sorts by, and how a page is cut. */
import { byText, byTime, filterOf, parseTime } from "./filters.ts";
import type { Query } from "./query.ts";
import type { WireRecord } from "./wire.ts";

/** The parameters of one list route. */
export interface ListRules {
  /** Items of a page when nothing is asked, and the most that may be asked. */
  readonly limit: readonly [byDefault: number, most: number];
  /** Columns with text filters. */
  readonly text: readonly string[];
  /** Columns with `_gt` and `_lt` bounds, both inclusive. */
  readonly times: readonly string[];
  /** Columns of time that take filters with an operator. */
  readonly timeFilters: readonly string[];
  /** Columns to sort by, the default first; none: newest first. */
  readonly orders: readonly string[];
  readonly order: "asc" | "desc";
}

const STAMPS = ["created_at", "updated_at"] as const;

const BASIC: ListRules = {
  limit: [1000, 1000],
  text: ["name", "created_by_email"],
  times: STAMPS,
  timeFilters: [],
  orders: ["created_at", "updated_at", "name"],
  order: "desc",
};

export const LIST_RULES = {
  specifications: { ...BASIC, text: [...BASIC.text, "form_factor"] },
  cells: BASIC,
  measurements: {
    ...BASIC,
    times: [...STAMPS, "start_time"],
    orders: [...BASIC.orders, "start_time"],
  },
  materials: {
    limit: [100, 100],
    text: ["name", "manufacturer", "product_id"],
    times: STAMPS,
    timeFilters: STAMPS,
    orders: ["name", "manufacturer", "created_at", "updated_at"],
    order: "asc",
  },
  datasets: {
    limit: [100, 100],
    text: [],
    times: [],
    timeFilters: [],
    orders: [],
    order: "desc",
  },
  plain: BASIC,
} as const satisfies Record<string, ListRules>;

const textOf = (record: WireRecord, column: string) => (record[column] ?? null) as string | null;

/** What a caller asked of a list, checked. */
export interface ListRequest {
  readonly matches: (record: WireRecord) => boolean;
  readonly compare: (a: WireRecord, b: WireRecord) => number;
  readonly limit: number;
  readonly offset: number;
}

/** Reads the common parameters of a list route; problems are left in the query. */
export function readListRequest(query: Query, rules: ListRules): ListRequest {
  const limit = query.integer("limit", rules.limit[0], 1, rules.limit[1]);
  const offset = query.integer("offset", 0, 0, Number.MAX_SAFE_INTEGER);
  const tests: ((record: WireRecord) => boolean)[] = [];
  for (const [columns, order] of [
    [rules.text, byText] as const,
    [rules.timeFilters, byTime] as const,
  ]) {
    for (const column of columns) {
      const filter = query.text(column);
      if (filter !== undefined) {
        const passes = filterOf(filter, order);
        tests.push((record) => passes(textOf(record, column)));
      }
    }
  }
  for (const column of rules.times) {
    const after = query.time(`${column}_gt`) ?? Number.NEGATIVE_INFINITY;
    const before = query.time(`${column}_lt`) ?? Number.POSITIVE_INFINITY;
    if (after !== Number.NEGATIVE_INFINITY || before !== Number.POSITIVE_INFINITY) {
      tests.push((record) => {
        const value = parseTime(textOf(record, column) ?? "");
        return value >= after && value <= before;
      });
    }
  }
  const choice = rules.orders.length === 0 ? undefined : query.choice("order_by", rules.orders);
  const column = choice ?? rules.orders[0] ?? "created_at";
  const chosen = rules.orders.length === 0 ? undefined : query.choice("order", ["asc", "desc"]);
  const sign = (chosen ?? rules.order) === "asc" ? 1 : -1;
  return {
    matches: (record) => tests.every((test) => test(record)),
    // Equal values are told apart by their ids, so that pages neither overlap nor leave gaps.
    compare: (a, b) =>
      sign * byText(textOf(a, column) ?? "", textOf(b, column) ?? "") ||
      byText(textOf(a, "id") ?? "", textOf(b, "id") ?? ""),
    limit,
    offset,
  };
}

/** One page of the records that match, in order. `total` counts all matches, whatever the page. */
export function pageOf(
  records: Iterable<WireRecord>,
  request: ListRequest,
  pageCap: number,
): WireRecord {
  const found = [...records].filter(request.matches).sort(request.compare);
  const size = Math.min(request.limit, pageCap);
  const items = found.slice(request.offset, request.offset + size);
  return { items, count: items.length, total: found.length };
}
