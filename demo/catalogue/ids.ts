/** Ids and people of the demo's records: the same on every start. */
import { createHash } from "node:crypto";

/** A name-based UUID. @param name unique among all records, e.g. `cell:A01` */
export function idOf(name: string): string {
  const bytes = createHash("sha1").update(`vitrine-demo:${name}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

/** The two organizations: the first key sees the first one only, the second key the second one. */
export const ORGANIZATIONS = {
  own: { id: idOf("organization:own"), name: "Vitrine demo laboratory (synthetic)" },
  partner: { id: idOf("organization:partner"), name: "Vitrine demo partner (synthetic)" },
} as const;

export type OrganizationKey = keyof typeof ORGANIZATIONS;

export const PROJECTS = {
  ageing: { id: idOf("project:ageing"), name: "Ageing study", organization: "own" },
  stationary: { id: idOf("project:stationary"), name: "Stationary storage", organization: "own" },
  partner: { id: idOf("project:partner"), name: "Partner cells", organization: "partner" },
} as const satisfies Record<string, { id: string; name: string; organization: OrganizationKey }>;

export type ProjectKey = keyof typeof PROJECTS;

const PEOPLE = ["mara.lind", "tomas.okafor", "ines.haber"] as const;

/** Who made a record, told by its name. */
export function creatorOf(name: string): { created_by: string; created_by_email: string } {
  const index = Number.parseInt(idOf(`creator:${name}`).slice(0, 4), 16) % PEOPLE.length;
  const person = PEOPLE[index] as string;
  return { created_by: idOf(`person:${person}`), created_by_email: `${person}@vitrine.example` };
}

/** The sentence that marks every record as made up. */
export const SYNTHETIC =
  "Synthetic: comes from an equivalent-circuit simulation, not from a real cell.";
/** The manufacturer of everything. */
export const MAKER = "Vitrine demo (synthetic)";

/** ISO time of a moment. @param day e.g. `2026-03-15` @param offsetS seconds after 08:00 UTC of that day */
export function timeOf(day: string, offsetS = 0): string {
  return new Date(Date.parse(`${day}T08:00:00Z`) + Math.round(offsetS) * 1000)
    .toISOString()
    .replace(".000Z", "Z");
}

/** Id of the organization that owns a project. */
export const organizationOf = (project: ProjectKey) =>
  ORGANIZATIONS[PROJECTS[project].organization].id;

/** Times of creation and of the last change, in seconds after 08:00 UTC of a day. */
export const stamps = (day: string, offsetS = 0, changedS = offsetS) => ({
  created_at: timeOf(day, offsetS),
  updated_at: timeOf(day, changedS),
});
