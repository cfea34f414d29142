/** Descriptions as plain text: what an index keeps of prose, people and organisms. */
import type { Coverage, Dataset, Party, Prose, Taxon } from "./model.ts";

/** Paragraphs and section titles joined with blanks. */
export function flatProse(prose: Prose | undefined): string | undefined {
  return prose
    ?.flatMap((part) => (typeof part === "string" ? [part] : [part.title, ...part.paras]))
    .join(" ");
}

/** `Lindqvist, Mara J.` for a person, nothing for an organisation or a position. */
export function surNameFirst(party: Party): string | undefined {
  const given = (party.givenNames ?? []).join(" ");
  return party.surName && (given === "" ? party.surName : `${party.surName}, ${given}`);
}

/** `Mara J. Lindqvist`, else the organisation, else the position. */
export function displayName(party: Party): string {
  return (
    (party.surName && [...(party.givenNames ?? []), party.surName].join(" ")) ??
    party.organization ??
    party.position ??
    ""
  );
}

/** First and last day of all ranges, and the single dates. */
export function datesOf(coverage: Coverage | undefined) {
  const periods = coverage?.periods ?? [];
  const begins = periods.flatMap((period) =>
    "begin" in period ? [day(period.begin, "-01-01")] : [],
  );
  const ends = periods.flatMap((period) => ("end" in period ? [day(period.end, "-12-31")] : []));
  return {
    begin: begins.sort()[0],
    end: ends.sort().at(-1),
    singles: periods.flatMap((period) => ("date" in period ? [day(period.date, "-01-01")] : [])),
    timescales: periods.flatMap((period) => ("timescale" in period ? [period.timescale] : [])),
  };
}

/** A year becomes a day. */
function day(date: string, rest: string): string {
  return date.length === 4 ? date + rest : date;
}

/** Scientific and common names, the whole tree. */
export function taxonNames(taxa: readonly Taxon[] | undefined): string[] {
  return (taxa ?? []).flatMap((taxon) => [
    taxon.value,
    ...(taxon.common === undefined ? [] : [taxon.common]),
    ...taxonNames(taxon.children),
  ]);
}

export function keywordsOf(dataset: Dataset): string[] {
  return (dataset.keywords ?? []).flatMap((set) => set.words);
}

/** Method steps, sampling and quality control. */
export function methodsText({ methods }: Dataset): string | undefined {
  return (
    methods &&
    [
      ...methods.steps.map((step) => flatProse(step.description)),
      flatProse(methods.extent),
      flatProse(methods.sampling),
      flatProse(methods.quality),
    ]
      .filter((text) => text !== undefined)
      .join(" ")
  );
}
