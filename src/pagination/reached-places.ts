/**
 * Places in lists that can only be walked (cursors, addresses of next pages), so that going on from an offset does not walk
 * the way there again. Losing one costs requests, nothing else.
 */

export interface ReachedPlace {
  /** Items before it. */
  readonly position: number;
  /** Cursor or address of the page that starts there; absent for the first. */
  readonly token?: string;
}

const MAX_LISTS = 100;
const MAX_PLACES = 500;
/** Cursors go stale [ms]. */
const TTL_MS = 10 * 60_000;

interface KnownList {
  readonly places: ReachedPlace[];
  untilMs: number;
}

const lists = new Map<string, KnownList>();

/** @param list names operation, arguments and credential */
export function rememberPlace(list: string, place: ReachedPlace): void {
  const known = lists.get(list) ?? { places: [], untilMs: 0 };
  known.untilMs = performance.now() + TTL_MS;
  const index = known.places.findIndex(({ position }) => position >= place.position);
  if (index < 0) {
    known.places.push(place);
  } else {
    const same = known.places[index]?.position === place.position;
    known.places.splice(index, same ? 1 : 0, place);
  }
  if (known.places.length > MAX_PLACES) {
    known.places.shift();
  }
  lists.delete(list);
  lists.set(list, known);
  const [oldest] = lists.keys();
  if (lists.size > MAX_LISTS && oldest !== undefined) {
    lists.delete(oldest);
  }
}

/** The last known place at or before an offset (items); the start of the list where none is known. */
export function placeBefore(list: string, offset: number): ReachedPlace {
  const known = lists.get(list);
  if (known === undefined || known.untilMs < performance.now()) {
    lists.delete(list);
    return { position: 0 };
  }
  return known.places.findLast(({ position }) => position <= offset) ?? { position: 0 };
}

/** Forgets a list whose remembered places no longer hold. */
export function forgetPlaces(list: string): void {
  lists.delete(list);
}
