/** A value made small enough: long lists, texts and objects are shortened, each place told with the way to the rest. */
import type { Json, JsonObject } from "../contract.ts";
import { wholePlace } from "./fit-text.ts";

/** A place that was shortened: entries, characters or members that are there, of how many. */
export interface Cut {
  /** JSON pointer. */
  readonly path: string;
  readonly shown: number;
  readonly of: number;
}

export interface CutValue {
  readonly value: Json;
  readonly cuts: readonly Cut[];
}

/** Degrees of shortening: 0 leaves nothing below the root, {@link MAX_DEGREE} about everything. */
const MAX_DEGREE = 48;

interface Lengths {
  readonly entries: number;
  readonly characters: number;
  readonly members: number;
}

function lengthsOf(degree: number): Lengths {
  const scale = 1.4 ** degree - 1;
  return {
    entries: Math.floor(scale),
    characters: Math.floor(scale * 40),
    members: Math.floor(scale * 10),
  };
}

/** One step of a JSON pointer. */
const pointerStep = (name: string): string =>
  `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/**
 * Shortens what is inside a value. The value itself keeps at least one member or entry, so that whoever follows the cuts
 * gets on.
 * @param path JSON pointer of the value
 */
function cutValue(value: Json, degree: number, path: string): CutValue {
  const lengths = lengthsOf(degree);
  const cuts: Cut[] = [];

  const shorten = (inner: Json, at: string, least: number): Json => {
    if (typeof inner === "string") {
      const shown = wholePlace(inner, Math.min(inner.length, lengths.characters));
      if (shown < inner.length) {
        cuts.push({ path: at, shown, of: inner.length });
      }
      return inner.slice(0, shown);
    }
    if (Array.isArray(inner)) {
      const shown = Math.max(least, lengths.entries);
      if (shown < inner.length) {
        cuts.push({ path: at, shown, of: inner.length });
      }
      return inner.slice(0, shown).map((entry, index) => shorten(entry, `${at}/${index}`, 0));
    }
    if (inner !== null && typeof inner === "object") {
      const members = Object.entries(inner);
      const shown = Math.max(least, lengths.members);
      if (shown < members.length) {
        cuts.push({ path: at, shown, of: members.length });
      }
      return membersOf(
        members
          .slice(0, shown)
          .map(([name, member]) => [name, shorten(member, `${at}${pointerStep(name)}`, 0)]),
      );
    }
    return inner;
  };

  return { value: shorten(value, path, 1), cuts };
}

/** An object of members, whatever their names. */
export function membersOf(members: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(members);
}

/**
 * The least shortened form that fits.
 * @param fits whether a form is small enough
 * @returns undefined where none is
 */
export function cutToFit(
  value: Json,
  path: string,
  fits: (cut: CutValue) => boolean,
): CutValue | undefined {
  let best: CutValue | undefined;
  let low = 0;
  let high = MAX_DEGREE;
  while (low <= high) {
    const degree = (low + high) >> 1;
    const cut = cutValue(value, degree, path);
    if (fits(cut)) {
      best = cut;
      low = degree + 1;
    } else {
      high = degree - 1;
    }
  }
  return best;
}
