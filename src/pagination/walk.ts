/** A stretch of an upstream's list: as many of its pages as the stretch needs, no more. */
import type { Runtime } from "../call.ts";
import type { CallContext, OperationBinding, Pagination } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { atPointer, type ExactJson } from "../json.ts";
import { describe, parseJson } from "../read-record.ts";
import type { Answer } from "../upstream/upstream.ts";
import { forgetPlaces, placeBefore, type ReachedPlace, rememberPlace } from "./reached-places.ts";
import { type Step, stepsOf } from "./steps.ts";

/** Most requests of one call; places that were reached are remembered, so that the next call goes on from there. */
const MAX_REQUESTS = 100;
/** Most bytes of pages that one call holds [bytes]. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Where the list is in an answer, and how the upstream pages it. */
export interface ListPlan {
  /** JSON pointer to the items. */
  readonly items: string;
  readonly total?: string | undefined;
  readonly totalHeader?: string | undefined;
  readonly pagination: Pagination;
}

export interface Stretch {
  /** First item, 0-based, and how many; `Infinity` for all that can be read. */
  readonly offset: number;
  readonly limit: number;
}

/** An upstream page that holds a part of the stretch. */
export interface ListPage {
  /** Place of its first item in the list. */
  readonly position: number;
  readonly items: readonly ExactJson[];
  /** JSON text it came as (UTF-8). */
  readonly bytes: Uint8Array;
}

export interface WalkedList {
  /** Without gaps; the first holds the stretch's first item. */
  readonly pages: readonly ListPage[];
  /** Items of the whole list; undefined where nobody tells. */
  readonly total: number | undefined;
  /** Whether the list goes on after the last page. */
  readonly more: boolean;
  readonly notes: readonly string[];
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

function totalOf(plan: ListPlan, body: ExactJson, answer: Answer): number | undefined {
  const told =
    plan.total === undefined
      ? answer.header((plan.totalHeader ?? "").toLowerCase())
      : atPointer(body, plan.total);
  const total = typeof told === "string" && /^\d+$/.test(told) ? Number(told) : told;
  return isCount(total) ? total : undefined;
}

interface ReceivedPage {
  readonly body: ExactJson;
  readonly items: readonly ExactJson[];
  readonly total: number | undefined;
  readonly answer: Answer;
}

function unpack(answer: Answer, plan: ListPlan, operation: OperationBinding): ReceivedPage {
  if (answer.status === 204) {
    return { body: null, items: [], total: undefined, answer };
  }
  const body = parseJson(answer, operation);
  // Some services still answer old clients with the bare list, and some say null for an empty one.
  const found = Array.isArray(body) ? body : atPointer(body, plan.items);
  const items = found === null ? [] : found;
  if (!Array.isArray(items)) {
    throw new ToolError(
      "UNREADABLE_ANSWER",
      `The answer to ${describe(operation)} has no list at ${plan.items}`,
    );
  }
  return { body, items, total: totalOf(plan, body, answer), answer };
}

/** What an upstream says of a remembered place that it no longer knows. */
const STALE = new Set(["UPSTREAM_REFUSED", "INVALID_ARGUMENT", "NOT_FOUND"]);

/**
 * An upstream that ignores the paging parameters sends everything, whatever is asked.
 */
function isEverything(plan: ListPlan, step: Step, { items, total }: ReceivedPage): boolean {
  const { scheme } = plan.pagination;
  const byPlace = scheme === "offset-limit" || scheme === "page";
  const tooMany = byPlace && items.length > (step.asked ?? Number.POSITIVE_INFINITY);
  return scheme === "none" || (tooMany && (total === undefined || total === items.length));
}

/** Asks for pages one after another until the stretch is covered or the list ends. */
export async function walkList(
  runtime: Runtime,
  operation: OperationBinding,
  plan: ListPlan,
  args: Readonly<Record<string, unknown>>,
  stretch: Stretch,
  context: CallContext,
): Promise<WalkedList> {
  const { upstream } = runtime;
  const end = stretch.offset + stretch.limit;
  const steps = stepsOf(plan.pagination);
  const { limit: _limit, offset: _offset, ...own } = args;
  const list = steps.addressed ? "" : upstream.identityKey(operation, own);
  const pages: ListPage[] = [];
  const notes: string[] = [];
  const tokens = new Set<string>();
  const from = (place: ReachedPlace): Step => steps.first(place, end - place.position);
  let step: Step = from(
    steps.addressed ? { position: stretch.offset } : placeBefore(list, stretch.offset),
  );
  let total: number | undefined;
  let heldBytes = 0;
  let before: Uint8Array | undefined;
  for (let requests = 0; ; requests += 1) {
    if (requests === MAX_REQUESTS || heldBytes > MAX_HELD_BYTES) {
      return stopped(step, stretch, { pages, total, more: true, notes }, requests);
    }
    const asked = step;
    let answer: Answer;
    try {
      answer = await upstream.send(operation, { ...own, ...asked.args }, context, asked.next);
    } catch (error) {
      const isRemembered = requests === 0 && asked.token !== undefined;
      if (!isRemembered || !(error instanceof ToolError) || !STALE.has(error.code)) {
        throw error;
      }
      forgetPlaces(list);
      step = from({ position: 0 });
      continue;
    }
    const page = unpack(answer, plan, operation);
    const { length } = page.items;
    const everything = isEverything(plan, asked, page);
    const position = everything ? 0 : asked.position;
    const reached = position + length;
    total = everything ? length : (page.total ?? total);
    const after = {
      answer: { ...page, header: (name: string) => answer.header(name) },
      position: reached,
      total,
      wanted: Math.max(1, end - reached),
    };
    const mended = everything || requests > 0 ? undefined : steps.mended?.(asked, after);
    if (mended !== undefined) {
      step = mended;
      continue;
    }
    if (length > 0 && before !== undefined && Buffer.compare(before, answer.bytes) === 0) {
      notes.push(`The upstream gave the same page again: the list ends at item ${position}.`);
      return { pages, total, more: false, notes };
    }
    before = answer.bytes;
    if (length > 0 && reached > stretch.offset) {
      pages.push({ position, items: page.items, bytes: answer.bytes });
      heldBytes += answer.bytes.length;
    }
    const done = Math.max(0, Math.min(reached, end) - stretch.offset);
    context.progress?.(done, totalToRead(stretch, total), "items read");
    let next = everything ? undefined : steps.after(asked, after);
    if (next !== undefined && length === 0 && steps.addressed) {
      notes.push(`The upstream counts ${total} items but gave none from offset ${reached} on.`);
      next = undefined;
    }
    if (next?.token !== undefined) {
      if (tokens.has(next.token)) {
        notes.push(
          `The upstream leads back to a page that was read: the list ends at item ${reached}.`,
        );
        return { pages, total, more: false, notes };
      }
      tokens.add(next.token);
      rememberPlace(list, { position: reached, token: next.token });
    }
    if (next === undefined) {
      // Whoever walked to the end has counted.
      return { pages, total: total ?? (steps.addressed ? undefined : reached), more: false, notes };
    }
    if (reached >= end) {
      return { pages, total, more: true, notes };
    }
    step = next;
  }
}

function totalToRead({ offset, limit }: Stretch, total: number | undefined): number | undefined {
  const toEnd = total === undefined ? limit : Math.min(limit, Math.max(0, total - offset));
  return Number.isFinite(toEnd) ? toEnd : undefined;
}

/** The call has asked enough: what was read so far, or the way to get there where the stretch was not reached. */
function stopped(step: Step, { offset }: Stretch, so: WalkedList, requests: number): WalkedList {
  if (so.pages.length === 0) {
    throw new ToolError(
      "TOO_LARGE",
      `offset ${offset} was not reached: ${requests} requests led to item ${step.position}, and this upstream can only be read page after page`,
      {
        hint: `Ask for offset=${step.position} first: places that were reached are remembered for ten minutes. Or narrow the list`,
      },
    );
  }
  return {
    ...so,
    notes: [
      ...so.notes,
      `Read up to item ${step.position} in ${requests} requests, the most of one call.`,
    ],
  };
}
