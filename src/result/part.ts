/** A part of a JSON answer, cut to the budget, with the way to whatever was left out. */
import type { Json, JsonObject } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { HARD_LIMIT_BYTES, jsonBytes } from "./budget.ts";
import { type Cut, type CutValue, cutToFit, membersOf } from "./cut.ts";
import { fitText } from "./fit-text.ts";

/** The tool's arguments that name a part. */
export interface PartArguments {
  readonly path: string;
  readonly offset: string;
}

export interface PartRequest {
  /** JSON pointer; "" for the whole answer. */
  readonly path: string;
  /** Entries, members or characters to skip. */
  readonly offset: number;
  /** Most of them; absent: what fits. */
  readonly limit?: number | undefined;
  readonly names: PartArguments;
  readonly notes: readonly string[];
}

const isContainer = (value: Json | undefined): value is Json[] | JsonObject =>
  value !== null && typeof value === "object";

function has(value: Json, name: string): boolean {
  return Array.isArray(value)
    ? /^(0|[1-9]\d*)$/.test(name) && Number(name) < value.length
    : isContainer(value) && Object.hasOwn(value, name);
}

/** @throws ToolError INVALID_ARGUMENT that says what is there instead */
function partAt(value: Json, { path, names }: PartRequest): Json {
  if (path !== "" && !path.startsWith("/")) {
    throw new ToolError("INVALID_ARGUMENT", `${names.path} must be empty or start with "/"`, {
      hint: `It is a JSON pointer, e.g. ${names.path}="/items/0/name"`,
    });
  }
  let current = value;
  let above = "";
  for (const token of path.split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!has(current, name)) {
      throw nothingThere(current, above, name);
    }
    current = (current as JsonObject)[name] as Json;
    above += `/${token}`;
  }
  return current;
}

function nothingThere(value: Json, above: string, name: string): ToolError {
  const place = above === "" ? "The answer" : `The answer at ${above.slice(0, 200)}`;
  const what = JSON.stringify(name.slice(0, 100));
  if (Array.isArray(value)) {
    const hint =
      value.length === 0 ? "It is an empty list" : `It is a list: 0 to ${value.length - 1}`;
    return new ToolError("INVALID_ARGUMENT", `${place} has no entry ${what}`, { hint });
  }
  if (!isContainer(value)) {
    return new ToolError("INVALID_ARGUMENT", `${place} is a single value without member ${what}`);
  }
  const names = Object.keys(value);
  const near = nearest(name, names);
  const guess = near === undefined ? "" : `Did you mean ${JSON.stringify(near)}? `;
  const more = names.length > 40 ? ` and ${names.length - 40} more` : "";
  return new ToolError("INVALID_ARGUMENT", `${place} has no member ${what}`, {
    hint: `${guess}Members: ${names.slice(0, 40).join(", ").slice(0, 1000)}${more}`,
  });
}

/** What is behind `offset`, with how much there is in all. */
function rest(part: Json, offset: number, limit: number): { value: Json; of: number | undefined } {
  if (Array.isArray(part)) {
    return { value: part.slice(offset, offset + limit), of: part.length };
  }
  if (isContainer(part)) {
    const members = Object.entries(part);
    return { value: membersOf(members.slice(offset, offset + limit)), of: members.length };
  }
  return { value: part, of: typeof part === "string" ? part.length : undefined };
}

function cutNote(
  cuts: readonly Cut[],
  budgetBytes: number,
  { path, offset }: PartArguments,
): string[] {
  const [first] = cuts;
  return first === undefined
    ? []
    : [
        `Too long for ${budgetBytes} bytes: shortened at the places in _cut. The rest of each: its path as ${path} and what is shown as ${offset}, e.g. ${path}=${JSON.stringify(first.path)}, ${offset}=${first.shown}.`,
      ];
}

const asNotes = (notes: readonly string[]): JsonObject =>
  notes.length === 0 ? {} : { _note: notes.join(" ") };

const asCuts = (cuts: readonly Cut[]): JsonObject =>
  cuts.length === 0 ? {} : { _cut: cuts.map((cut) => ({ ...cut })) };

/** The whole answer: an object as it is, anything else as `value`. */
function composeWhole(
  { value, cuts }: CutValue,
  budgetBytes: number,
  request: PartRequest,
): JsonObject {
  const notes = [...request.notes, ...cutNote(cuts, budgetBytes, request.names)];
  const members = isContainer(value) && !Array.isArray(value) ? value : { value };
  return { ...members, ...asNotes(notes), ...asCuts(cuts) };
}

/**
 * The asked part of an answer. The whole answer comes as it is where it fits; a part as
 * `{path, offset, value, of, next_offset}`. Places that are shortened are listed in `_cut`.
 * @param value clean JSON
 * @throws ToolError INVALID_ARGUMENT where nothing is at `path`, TOO_LARGE where not even its start fits
 */
export function writePart(value: Json, request: PartRequest, budgetBytes: number): JsonObject {
  const { path, offset, names, limit = Number.POSITIVE_INFINITY } = request;
  const part = partAt(value, request);
  const isWhole = path === "" && offset === 0;
  if (isWhole && limit === Number.POSITIVE_INFINITY && isContainer(part) && !Array.isArray(part)) {
    const whole = composeWhole({ value: part, cuts: [] }, budgetBytes, request);
    if (jsonBytes(whole) <= budgetBytes) {
      return whole;
    }
    const small = cutToFit(
      part,
      "",
      (cut) => jsonBytes(composeWhole(cut, budgetBytes, request)) <= budgetBytes,
    );
    // A single name may be longer than the budget.
    return composeWhole(small ?? smallest(part, path), budgetBytes, request);
  }

  const { value: behind, of } = rest(part, offset, limit);
  const compose = (shown: CutValue, count: number): JsonObject => {
    const next = offset + count;
    const more = of !== undefined && next < of;
    const inner = shown.cuts.filter((cut) => cut.path !== path);
    const notes = [...request.notes];
    if (more) {
      notes.push(`Shown: ${count} of ${of} from ${offset} on. Go on with ${names.offset}=${next}.`);
    } else if (of !== undefined && offset > of) {
      notes.push(`${names.offset} ${offset} is past the end: there are ${of}.`);
    }
    return {
      ...(path === "" ? {} : { path }),
      ...(of === undefined ? {} : { offset, of }),
      value: shown.value,
      ...(more ? { next_offset: next } : {}),
      ...asNotes([...notes, ...cutNote(inner, budgetBytes, names)]),
      ...asCuts(inner),
    };
  };
  const fits = (candidate: JsonObject): boolean => jsonBytes(candidate) <= budgetBytes;

  if (typeof behind === "string") {
    const room = budgetBytes - jsonBytes(compose({ value: "", cuts: [] }, 0)) - 20;
    const piece = fitText(behind, offset, limit, room);
    return compose({ value: piece.text, cuts: [] }, piece.end - offset);
  }
  if (!isContainer(behind)) {
    return compose({ value: behind, cuts: [] }, 1);
  }
  const entries: readonly (readonly [string, Json])[] = Object.entries(behind);
  const build = Array.isArray(behind)
    ? (members: readonly (readonly [string, Json])[]): Json => members.map(([, entry]) => entry)
    : membersOf;
  const take = (count: number): JsonObject =>
    compose({ value: build(entries.slice(0, count)), cuts: [] }, count);
  let count = entries.length;
  if (!fits(take(count))) {
    let room = budgetBytes - jsonBytes(take(0));
    for (count = 0; count < entries.length && room >= 0; count += 1) {
      room -= jsonBytes(entries[count]?.[1]) + jsonBytes(entries[count]?.[0]) + 2;
    }
    while (count > 0 && !fits(take(count))) {
      count -= 1;
    }
  }
  const [first] = entries;
  if (count > 0 || first === undefined) {
    return take(count);
  }
  // Not even one entry fits as it is: that one, shortened.
  const name = Array.isArray(behind) ? String(offset) : first[0];
  const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const shorten = (cut: CutValue): JsonObject =>
    compose({ value: build([[first[0], cut.value]]), cuts: cut.cuts }, 1);
  const small = cutToFit(first[1], at, (cut) => fits(shorten(cut))) ?? smallest(first[1], at);
  return shorten(small);
}

/** @throws ToolError TOO_LARGE where even the first name or text is beyond what any result may hold */
function smallest(value: Json, path: string): CutValue {
  const least = cutToFit(value, path, (cut) => jsonBytes(cut) <= HARD_LIMIT_BYTES);
  if (least === undefined) {
    throw new ToolError("TOO_LARGE", `A name in the answer is longer than a result can hold`);
  }
  return least;
}
