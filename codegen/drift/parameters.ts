/** Parameters of one operation before and after: gone, renamed, moved, newly required, written otherwise. */
import type { ParameterPlace } from "../../src/contract.ts";
import { acceptChanges } from "./accepts.ts";
import type { Change } from "./finding.ts";
import { entriesOf, memberOf, membersOf, type Place, placeOf, pointerTo, textOf } from "./place.ts";
import { likeness, mostLike } from "./similar.ts";
import type { ParameterUse } from "./uses.ts";
import { type SchemaView, viewOf } from "./view.ts";
import { saysOtherwise } from "./words.ts";

interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly pointer: string;
  readonly required: boolean;
  /** How it is written: style, explode and allowReserved, or the media type of its `content`. */
  readonly writing: string;
  readonly schema: SchemaView;
  readonly description: string | undefined;
  readonly deprecated: boolean;
}

function parameterOf(place: Place): Parameter {
  const where = (textOf(place, "in") ?? "query") as ParameterPlace;
  const [media] = membersOf(memberOf(place, "content"));
  const style =
    textOf(place, "style") ?? (where === "path" || where === "header" ? "simple" : "form");
  const explode = place.value.explode ?? style === "form";
  const reserved = place.value.allowReserved === true ? ", reserved characters as they are" : "";
  const schema = memberOf(media?.[1] ?? place, "schema");
  return {
    name: textOf(place, "name") ?? "",
    in: where,
    pointer: place.pointer,
    required: where === "path" || place.value.required === true,
    writing:
      media === undefined ? `style ${style}, explode ${explode}${reserved}` : `as ${media[0]}`,
    schema: viewOf(schema ?? placeOf(place.document, {}, pointerTo(place.pointer, "schema"))),
    description: textOf(place, "description"),
    deprecated: place.value.deprecated === true,
  };
}

/** Header names have no case. */
function keyOf(parameter: { readonly name: string; readonly in: string }): string {
  return `${parameter.in} ${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`;
}

/** Headers that OpenAPI describes elsewhere: a parameter of this name says nothing. */
const NOT_PARAMETERS = ["header accept", "header content-type", "header authorization"];

/** Parameters of an operation, those of its path included and overridden, by place and name. */
function parametersOf({ item, operation }: Located): Map<string, Parameter> {
  const all = [...entriesOf(item, "parameters"), ...entriesOf(operation, "parameters")]
    .map(parameterOf)
    .map((parameter): [string, Parameter] => [keyOf(parameter), parameter]);
  return new Map(all.filter(([key]) => !NOT_PARAMETERS.includes(key)));
}

/** `{names}` of a path template in order. */
export function placeholders(path: string): string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? "");
}

const say = (parameter: Parameter): string => `${parameter.in} parameter "${parameter.name}"`;

function supplyHint(parameter: Parameter): string {
  return `let an argument or a fixed value supply "${parameter.name}" in the manifest`;
}

/** What became of a parameter that is not where it was. */
function lostChange(
  was: Parameter,
  heir: Parameter | undefined,
  use: ParameterUse | undefined,
): Change {
  const level = use === undefined ? "note" : "breaking";
  if (heir === undefined) {
    const edit = use?.argument === undefined ? "" : `, with the argument "${use.argument}"`;
    const message = `${say(was)} gone`;
    return {
      level,
      pointer: was.pointer,
      message:
        level === "note" ? message : `${message}; remove it from the manifest's entry${edit}`,
    };
  }
  const message =
    heir.name === was.name
      ? `${say(was)} moved to ${heir.in}; generate anew`
      : `${say(was)} renamed to "${heir.name}"; rename it in the manifest's entry`;
  return { level, pointer: heir.pointer, message };
}

function requiredChange(was: Parameter, is: Parameter, use: ParameterUse | undefined): Change[] {
  if (was.required === is.required) {
    return [];
  }
  if (!is.required) {
    return [{ level: "additive", pointer: is.pointer, message: `${say(is)} no longer required` }];
  }
  const supplied = use?.alwaysSent === true;
  const edit =
    use?.argument === undefined ? supplyHint(is) : `make the argument "${use.argument}" required`;
  return [
    {
      level: supplied ? "note" : "breaking",
      pointer: is.pointer,
      message: `${say(is)} newly required${supplied ? "" : `; ${edit}`}`,
    },
  ];
}

/** Changes of a parameter that is still the same one. */
function sameChanges(was: Parameter, is: Parameter, use: ParameterUse | undefined): Change[] {
  const changes: Change[] = requiredChange(was, is, use);
  if (was.in === is.in && was.writing !== is.writing) {
    changes.push({
      level: use === undefined ? "note" : "breaking",
      pointer: is.pointer,
      message: `${say(is)} written otherwise: from ${was.writing} to ${is.writing}${use === undefined ? "" : "; generate anew"}`,
    });
  }
  for (const change of acceptChanges(was.schema, is.schema, use)) {
    const edit =
      change.level !== "breaking"
        ? ""
        : use?.fixed === undefined
          ? "; narrow the argument in the manifest or generate anew"
          : "; change the fixed value in the manifest";
    changes.push({ ...change, message: `${say(is)}: ${change.message}${edit}` });
  }
  const notes = [
    ...(JSON.stringify(was.schema.default) === JSON.stringify(is.schema.default)
      ? []
      : [
          `default changed from ${JSON.stringify(was.schema.default) ?? "none"} to ${JSON.stringify(is.schema.default) ?? "none"}`,
        ]),
    ...(saysOtherwise(
      was.description ?? was.schema.description,
      is.description ?? is.schema.description,
    )
      ? ["description changed"]
      : []),
    ...(!was.deprecated && is.deprecated ? ["now deprecated"] : []),
  ];
  return [
    ...changes,
    ...notes.map(
      (note): Change => ({
        level: "note",
        pointer: is.pointer,
        message: `${say(is)}: ${note}`,
      }),
    ),
  ];
}

function newChange(parameter: Parameter): Change {
  return parameter.required
    ? {
        level: "breaking",
        pointer: parameter.pointer,
        message: `new required ${say(parameter)}; ${supplyHint(parameter)}`,
      }
    : { level: "additive", pointer: parameter.pointer, message: `new optional ${say(parameter)}` };
}

/** An operation with the path item and the path template that it stands under. */
export interface Located {
  readonly path: string;
  readonly item: Place;
  readonly operation: Place;
}

/** Changes of the parameters of one operation, judged by how the tool supplies them. */
export function parameterChanges(
  was: Located,
  is: Located,
  uses: readonly ParameterUse[],
): Change[] {
  const before = parametersOf(was);
  const after = parametersOf(is);
  const usedBy = new Map(uses.map((use) => [keyOf(use), use]));
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, parameter]) => parameter);
  const unclaimed = new Map([...after].filter(([key]) => !before.has(key)));
  // A path parameter is known by its position: its name never travels.
  const renamedTo = new Map<string, string>();
  const [names, newNames] = [placeholders(was.path), placeholders(is.path)];
  for (const [index, name] of names.entries()) {
    renamedTo.set(name, names.length === newNames.length ? (newNames[index] ?? name) : name);
  }
  const changes: Change[] = [];
  // The surest heirs are taken first, so that a likely rename does not take another's place.
  const heirs = new Map<Parameter, Parameter>();
  const claim = (parameter: Parameter, heir: Parameter | undefined): void => {
    if (heir !== undefined && !heirs.has(parameter)) {
      heirs.set(parameter, heir);
      unclaimed.delete(keyOf(heir));
    }
  };
  for (const parameter of gone) {
    const candidates = [...unclaimed.values()];
    const sameName = candidates.find(({ name }) => name === parameter.name);
    const samePosition = candidates.find(
      ({ name, in: where }) =>
        where === "path" && parameter.in === "path" && renamedTo.get(parameter.name) === name,
    );
    claim(parameter, sameName ?? samePosition);
  }
  for (const parameter of gone) {
    const candidates = [...unclaimed.values()].filter((candidate) => candidate.in === parameter.in);
    claim(
      parameter,
      heirs.get(parameter) ?? mostLike(candidates, (candidate) => likeness(parameter, candidate)),
    );
  }
  for (const [key, parameter] of before) {
    const heir = heirs.get(parameter);
    const same = after.get(key);
    const use = usedBy.get(key);
    if (same === undefined) {
      changes.push(lostChange(parameter, heir, use));
    }
    const counterpart = same ?? heir;
    if (counterpart !== undefined) {
      changes.push(...sameChanges(parameter, counterpart, use));
    }
  }
  changes.push(...[...unclaimed.values()].map(newChange));
  return changes;
}
