/** Edits of the Ionworks document, and what drift says of them. */
import { compareDocuments } from "../../codegen/drift/compare.ts";
import type { Finding } from "../../codegen/drift/finding.ts";
import { usesOf } from "../../codegen/drift/uses.ts";
import { ionworksDocument, ionworksPlan, type LooseDocument } from "./ionworks-plan.ts";

/** What the project's own Ionworks server uses. */
export const server = usesOf(await ionworksPlan());

/** Findings of the committed document against an edited copy. */
export function drift(edit: (document: LooseDocument) => void): Finding[] {
  const next = ionworksDocument();
  edit(next);
  return compareDocuments(ionworksDocument(), next, server);
}

export const get = (document: LooseDocument, path: string): LooseDocument =>
  document.paths[path].get;
export const schemas = (document: LooseDocument): LooseDocument => document.components.schemas;
export const parameters = (document: LooseDocument): LooseDocument =>
  document.components.parameters;

/** A parameter of an operation that stands there in full, not by reference. */
export function parameter(document: LooseDocument, path: string, name: string): LooseDocument {
  return get(document, path).parameters.find((entry: LooseDocument) => entry.name === name);
}

/** Takes such a parameter away. */
export function removeParameter(document: LooseDocument, path: string, name: string): void {
  const list = get(document, path).parameters;
  list.splice(list.indexOf(parameter(document, path, name)), 1);
}

/** Gives a member another name. */
export function rename(owner: LooseDocument, from: string, to: string): void {
  owner[to] = owner[from];
  delete owner[from];
}

export const SPECS = "/cell_specifications";
export const MEASUREMENT = "/cell_measurements/{measurement_id}";
export const SERIES = `${MEASUREMENT}/time_series/download`;
export const STEPS = `${MEASUREMENT}/steps/download`;
export const CYCLES = `${MEASUREMENT}/cycles`;
export const DATASETS = "/material_property_datasets";
export const DATA = `${DATASETS}/{property_id}/data`;

/** A copy whose members stand in the opposite order. */
export function reversed(value: LooseDocument): LooseDocument {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return Array.isArray(value) ? value.map(reversed) : value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, reversed(member)])
      .reverse(),
  );
}
