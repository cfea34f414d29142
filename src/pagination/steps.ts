/** Each paging scheme as steps: how a page is asked for, and which one comes after it. */
import type { Pagination } from "../contract.ts";
import { type ListAnswer, nextLink, nextToken } from "./next-place.ts";
import type { ReachedPlace } from "./reached-places.ts";

/** One request for a page. */
export interface Step {
  /** Place of the page's first item in the list, 0-based. */
  readonly position: number;
  /** Arguments that the paging parameters are bound to. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Address of the page, where an earlier answer gave one. */
  readonly next?: string;
  /** Items that were asked for; absent where that cannot be said. */
  readonly asked?: number;
  /** Cursor or address that leads here, for those who come back. */
  readonly token?: string;
}

/** What is known after a page has come. */
export interface Reached {
  readonly answer: ListAnswer;
  /** Place after its last item. */
  readonly position: number;
  readonly total: number | undefined;
  /** Items that are still wanted (≥ 1). */
  readonly wanted: number;
}

export interface Steps {
  /** Whether pages can be asked for by place; the others have to be walked from the start. */
  readonly addressed: boolean;
  first(place: ReachedPlace, wanted: number): Step;
  /**
   * The step to take instead, where the page that came shows that the place was reckoned wrongly: an upstream that makes
   * its pages of another size than asked has others before it.
   */
  mended?(step: Step, reached: Reached): Step | undefined;
  /** undefined after the last page. */
  after(step: Step, reached: Reached): Step | undefined;
}

/** Whether a list that tells no token goes on after a page. */
function goesOn({ asked = 0 }: Step, { answer, position, total }: Reached): boolean {
  return total === undefined ? answer.items.length >= asked && asked > 0 : position < total;
}

function offsetSteps(pagination: Extract<Pagination, { scheme: "offset-limit" }>): Steps {
  const at = (position: number, wanted: number): Step => {
    const asked = Math.min(wanted, pagination.maximum);
    return { position, asked, args: { offset: position, limit: asked } };
  };
  return {
    addressed: true,
    first: ({ position }, wanted) => at(position, wanted),
    after: (step, reached) =>
      goesOn(step, reached) ? at(reached.position, reached.wanted) : undefined,
  };
}

function pageSteps(pagination: Extract<Pagination, { scheme: "page" }>): Steps {
  const { first, size, maximum } = pagination;
  const at = (position: number, asked: number): Step => {
    const number = Math.floor(position / asked);
    return {
      position: number * asked,
      asked,
      args: { page: first + number, ...(size === undefined ? {} : { limit: asked }) },
    };
  };
  return {
    addressed: true,
    first: ({ position }, wanted) =>
      at(position, size === undefined ? maximum : Math.min(wanted, maximum)),
    mended(step, reached) {
      const { length } = reached.answer.items;
      const other = length > 0 && length !== step.asked && goesOn(step, reached);
      return other && step.position > 0 ? at(step.position, length) : undefined;
    },
    after: (step, reached) =>
      goesOn(step, reached) ? at(reached.position, reached.position - step.position) : undefined,
  };
}

type Walked = Extract<Pagination, { scheme: "cursor" | "next-url" | "link" }>;

function walkedSteps(pagination: Walked): Steps {
  const { size, maximum } = pagination;
  const at = ({ position, token }: ReachedPlace, wanted: number): Step => {
    const asked = Math.min(wanted, maximum);
    const byCursor = pagination.scheme === "cursor";
    return {
      position,
      asked,
      args: {
        ...(size === undefined ? {} : { limit: asked }),
        ...(byCursor && token !== undefined ? { cursor: token } : {}),
      },
      ...(!byCursor && token !== undefined ? { next: token } : {}),
      ...(token === undefined ? {} : { token }),
    };
  };
  const tokenAfter = (answer: ListAnswer): string | undefined =>
    pagination.scheme === "link"
      ? nextLink(answer.header("link"))
      : nextToken(pagination.next, answer);
  return {
    addressed: false,
    first: at,
    after(_, { answer, position, wanted }) {
      const token = tokenAfter(answer);
      return token === undefined ? undefined : at({ position, token }, wanted);
    },
  };
}

/** The steps of a scheme. */
export function stepsOf(pagination: Pagination): Steps {
  switch (pagination.scheme) {
    case "offset-limit":
      return offsetSteps(pagination);
    case "page":
      return pageSteps(pagination);
    case "cursor":
    case "next-url":
    case "link":
      return walkedSteps(pagination);
    case "none":
      return {
        addressed: false,
        first: () => ({ position: 0, args: {} }),
        after: () => undefined,
      };
  }
}
