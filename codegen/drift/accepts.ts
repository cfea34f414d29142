/** Whether what a tool sends is still accepted: two schemas of one parameter. */
import type { Json } from "../../src/contract.ts";
import type { Change, Level } from "./finding.ts";
import { isObject } from "./place.ts";
import type { ParameterUse } from "./uses.ts";
import { jsonType, type Limits, type SchemaView, viewOf, viewOfSchema } from "./view.ts";
import { list, quote, typeWords } from "./words.ts";

/** Deepest nesting of arrays and objects in a parameter that is compared. */
const MAX_DEPTH = 8;

const UPPER: readonly (keyof Limits)[] = ["maximum", "maxLength", "maxItems"];
const LOWER: readonly (keyof Limits)[] = ["minimum", "minLength", "minItems"];

/** Formats whose values are all values of the other format too. */
const WIDER_FORMAT: Readonly<Record<string, string>> = { int32: "int64", float: "double" };

const has = (values: readonly Json[], value: Json): boolean =>
  values.some((known) => JSON.stringify(known) === JSON.stringify(value));

function admits(types: ReadonlySet<string>, name: string): boolean {
  return types.size === 0 || types.has(name) || (name === "integer" && types.has("number"));
}

/** The item schemas of two arrays, where both have one. */
function itemViews(before: SchemaView, after: SchemaView): [SchemaView, SchemaView] | undefined {
  return before.items && after.items ? [viewOf(before.items), viewOf(after.items)] : undefined;
}

/** At most one change: the type is another one, or more types are accepted. */
function typeChange(before: SchemaView, after: SchemaView, level: Level): Change | undefined {
  const was = typeWords(before, before.items && viewOf(before.items));
  const is = typeWords(after, after.items && viewOf(after.items));
  const pointer = after.pointer;
  const [types, wanted] = [after.types, before.types];
  if (wanted.size === 0 ? types.size > 0 : [...wanted].some((name) => !admits(types, name))) {
    return { level, pointer, message: `type changed from ${was} to ${is}` };
  }
  if (types.size === 0 ? wanted.size > 0 : [...types].some((name) => !admits(wanted, name))) {
    return { level: "additive", pointer, message: `type widened from ${was} to ${is}` };
  }
  return undefined;
}

function valueChanges(before: SchemaView, after: SchemaView, level: Level): Change[] {
  const pointer = after.values === undefined ? after.pointer : `${after.pointer}/enum`;
  const [was, is] = [before.values, after.values];
  if (is === undefined) {
    const message = `any value is accepted, not only ${list(was ?? [])}`;
    return was === undefined ? [] : [{ level: "additive", pointer, message }];
  }
  if (was === undefined) {
    return [{ level, pointer, message: `only ${list(is)} accepted, before any value` }];
  }
  const gone = was.filter((value) => !has(is, value));
  const added = is.filter((value) => !has(was, value));
  return [
    ...(gone.length > 0
      ? [{ level, pointer, message: `enum value ${list(gone)} gone; left: ${list(is)}` }]
      : []),
    ...(added.length > 0
      ? [{ level: "additive" as const, pointer, message: `new enum value ${list(added)}` }]
      : []),
  ];
}

function limitChanges(before: SchemaView, after: SchemaView, level: Level): Change[] {
  return [...LOWER, ...UPPER].flatMap((key): Change[] => {
    const [was, is] = [before.limits[key], after.limits[key]];
    if (was === is) {
      return [];
    }
    const sign = UPPER.includes(key) ? 1 : -1;
    const narrower = is !== undefined && (was === undefined || sign * is < sign * was);
    const message = `${key} changed from ${was ?? "none"} to ${is ?? "none"}`;
    return [{ level: narrower ? level : "note", pointer: `${after.pointer}/${key}`, message }];
  });
}

function formatChanges(before: SchemaView, after: SchemaView, level: Level): Change[] {
  const changes: Change[] = [];
  if (before.format !== after.format) {
    const wider = after.format === undefined || WIDER_FORMAT[before.format ?? ""] === after.format;
    const message = `format changed from ${before.format ?? "none"} to ${after.format ?? "none"}`;
    changes.push({ level: wider ? "note" : level, pointer: `${after.pointer}/format`, message });
  }
  if (before.pattern !== after.pattern) {
    const message = `pattern changed from ${quote(before.pattern ?? "none")} to ${quote(after.pattern ?? "none")}`;
    const freer = after.pattern === undefined;
    changes.push({ level: freer ? "note" : level, pointer: `${after.pointer}/pattern`, message });
  }
  return changes;
}

/** Why a constant is not accepted, or undefined where it is. */
function refusal(value: Json, after: SchemaView): string | undefined {
  if (value !== null && !admits(after.types, jsonType(value))) {
    return `type is now ${typeWords(after)}`;
  }
  if (after.values !== undefined && !has(after.values, value)) {
    return `accepted now: ${list(after.values)}`;
  }
  const size = typeof value === "number" ? value : typeof value === "string" ? value.length : 0;
  const [low, high] =
    typeof value === "number"
      ? [after.limits.minimum, after.limits.maximum]
      : [after.limits.minLength, after.limits.maxLength];
  return (low !== undefined && size < low) || (high !== undefined && size > high)
    ? `bounds are now ${low ?? "none"} to ${high ?? "none"}`
    : undefined;
}

/** The committed schema narrowed to what the tool sends. */
function narrowed(before: SchemaView, use: ParameterUse): SchemaView {
  if (use.sends === undefined) {
    return before;
  }
  const sends = viewOfSchema(use.sends);
  const limits: Record<string, number> = { ...before.limits };
  for (const key of [...LOWER, ...UPPER]) {
    const [own, known] = [sends.limits[key], before.limits[key]];
    if (own !== undefined) {
      const sign = UPPER.includes(key) ? 1 : -1;
      limits[key] = known === undefined || sign * own < sign * known ? own : known;
    }
  }
  const values = before.values ?? sends.values;
  return {
    ...before,
    limits,
    ...(values === undefined
      ? {}
      : {
          values: values.filter((value) => sends.values === undefined || has(sends.values, value)),
        }),
  };
}

/** The same use, seen from one entry of the list that is sent. */
function itemUse(use: ParameterUse | undefined): ParameterUse | undefined {
  if (use === undefined) {
    return undefined;
  }
  const { sends, ...rest } = use;
  return isObject(sends?.items) ? { ...rest, sends: sends.items } : rest;
}

/**
 * Changes of one parameter's schema.
 * @param use how the tool supplies it; undefined where the tool does not send it, so that nothing can break
 */
export function acceptChanges(
  before: SchemaView,
  after: SchemaView,
  use: ParameterUse | undefined,
  depth = 0,
): Change[] {
  if (use?.fixed !== undefined) {
    const reason = refusal(use.fixed, after);
    const message = `the fixed value ${quote(use.fixed)} is no longer accepted: ${reason}`;
    return reason === undefined ? [] : [{ level: "breaking", pointer: after.pointer, message }];
  }
  const level = use === undefined ? "note" : "breaking";
  const type = typeChange(before, after, level);
  if (type !== undefined && type.level !== "additive") {
    return [type];
  }
  const said = [...valueChanges(before, after, "note"), ...limitChanges(before, after, "note")];
  const sent = use === undefined ? before : narrowed(before, use);
  const harmful = [...valueChanges(sent, after, level), ...limitChanges(sent, after, level)]
    .filter((change) => change.level === "breaking")
    .map((change) => change.pointer);
  const items = depth < MAX_DEPTH ? itemViews(before, after) : undefined;
  return [
    ...(type === undefined ? [] : [type]),
    ...said.map(
      (change): Change =>
        change.level === "note" && harmful.includes(change.pointer) ? { ...change, level } : change,
    ),
    ...formatChanges(before, after, level),
    ...(items === undefined ? [] : acceptChanges(items[0], items[1], itemUse(use), depth + 1)),
  ];
}
