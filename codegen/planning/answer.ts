/** The answer of an operation: its media types, and whether the places that a tool reads are in it. */
import { nearest } from "../../src/nearest.ts";
import { bodySchema } from "../drift/answers.ts";
import { memberOf, membersOf, type Place } from "../drift/place.ts";
import { viewOf } from "../drift/view.ts";
import { stepsOf } from "../load.ts";
import type { ManifestPath } from "../manifest-findings.ts";
import { type Planning, suggest } from "./context.ts";

/** Media types that the document promises for success, in its order. */
export function acceptedTypes(operation: Place): string[] {
  const types = membersOf(memberOf(operation, "responses"))
    .filter(([status]) => /^2/.test(status))
    .flatMap(([, response]) => Object.keys(memberOf(response, "content")?.value ?? {}));
  return [...new Set(types)];
}

/** Whether an operation promises JSON. */
export function answersJson(operation: Place): boolean {
  return bodySchema(operation) !== undefined;
}

/** Type names that a place of the answer may have; empty where the document does not say. */
export function typesAt(operation: Place, pointer: string): ReadonlySet<string> {
  let place = bodySchema(operation);
  for (const step of stepsOf(pointer)) {
    const view = place === undefined ? undefined : viewOf(place);
    place =
      view?.properties.get(step) ?? (step === "*" ? (view?.items ?? view?.additional) : undefined);
  }
  return place === undefined ? new Set() : viewOf(place).types;
}

/** Reports a JSON pointer (`*` for any entry) that the answer of an operation cannot have. */
export function checkPointer(
  planning: Planning,
  at: ManifestPath,
  operation: Place,
  pointer: string,
): void {
  let place = bodySchema(operation);
  let above = "the answer";
  for (const step of stepsOf(pointer)) {
    const view = place === undefined ? undefined : viewOf(place);
    // A schema that says nothing about its members may have any.
    const isOpen = view === undefined || view.types.size === 0 || view.properties.size === 0;
    const isList = view?.types.has("array") === true;
    if (
      view === undefined ||
      (isOpen && !isList && step !== "*" && view.additional === undefined)
    ) {
      return;
    }
    const next =
      step === "*"
        ? (view.items ?? view.additional)
        : (view.properties.get(step) ?? (isList ? undefined : view.additional));
    if (next === undefined) {
      if (step === "*") {
        return;
      }
      const known = [...view.properties.keys()];
      planning.report(
        at,
        `${above} has no member "${step}"${isList ? ": it is a list" : ""}`,
        suggest(nearest(step, known), known),
      );
      return;
    }
    place = next;
    above = `"${step}" of the answer`;
  }
}
