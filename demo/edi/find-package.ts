/** Look-ups in the corpus: scopes, series, revisions, DOIs. */
import { type Corpus, compareText, type Package, type PlacedEntity } from "./build-corpus.ts";

/** Scopes that hold at least one package, ascending. */
export function scopesOf(corpus: Corpus): string[] {
  return [...new Set(corpus.packages.map((one) => one.series.scope))].sort(compareText);
}

/** Identifiers of a scope, ascending as numbers. */
export function identifiersOf(corpus: Corpus, scope: string): number[] {
  const ours = corpus.packages.filter((one) => one.series.scope === scope);
  return [...new Set(ours.map((one) => one.series.identifier))];
}

/** The revisions of a series that are there, ascending. */
export function revisionsOf(corpus: Corpus, scope: string, identifier: string): Package[] {
  return corpus.packages.filter(
    (one) => one.series.scope === scope && String(one.series.identifier) === identifier,
  );
}

/** One revision, by number, `newest` or `oldest`. */
export function findPackage(
  corpus: Corpus,
  scope: string,
  identifier: string,
  revision: string,
): Package | undefined {
  const revisions = revisionsOf(corpus, scope, identifier);
  if (revision === "newest") {
    return revisions.at(-1);
  }
  return revision === "oldest"
    ? revisions[0]
    : revisions.find((one) => String(one.description.revision) === revision);
}

/** The newest revision of every series, in the corpus's order. */
export function newestPackages(corpus: Corpus): Package[] {
  return corpus.packages.filter((one, index) => corpus.packages[index + 1]?.series !== one.series);
}

export function findEntity(one: Package, entityId: string): PlacedEntity | undefined {
  return one.entities.find((entity) => entity.id === entityId);
}
