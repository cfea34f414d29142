/** The citation service: one revision as a sentence, as BibTeX or as its parts. */
import { type Answer, type DemoRequest, type Handler, html, text } from "./answer.ts";
import type { Corpus, Package } from "./build-corpus.ts";
import type { Party } from "./model.ts";
import { decode } from "./pasta-route.ts";
import { escapeXml } from "./xml.ts";

const PUBLISHER = "Environmental Data Initiative";

const STYLES = ["ESIP", "DRYAD", "BIBTEX", "BIBTEX-ONLINE", "RAW"] as const;
type Style = (typeof STYLES)[number];

const ENVIRONMENTS = ["production", "staging", "development", "p", "s", "d"];

class Refused extends Error {}

/** The handler of the citation service's origin. */
export function cite(corpus: Corpus, now: () => number): Handler {
  return (request) => {
    if (request.path === "/cite" || request.path === "/cite/help") {
      return {
        status: 301,
        headers: { Location: "https://cite.edirepository.org/static/help.html" },
        body: "",
      };
    }
    try {
      return answerCitation(corpus, request, now);
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      return citeStatus(400, error.message);
    }
  };
}

/** Every failure of the service is a small page. */
export function citeStatus(status: number, reason = "The citation could not be made"): Answer {
  return html(
    status,
    `<html><head><title>${status}</title></head><body><h1>${status}</h1><p>${escapeXml(reason)}</p></body></html>`,
  );
}

function answerCitation(
  corpus: Corpus,
  { method, path, query, headers }: DemoRequest,
  now: () => number,
): Answer {
  const id = decode(path.replace(/^\/cite\//, ""));
  const one = corpus.packages.find((candidate) => candidate.id === id);
  if (one?.doi === undefined || method !== "GET") {
    throw new Refused(`No citation for ${id}`);
  }
  const style = STYLES.find((known) => known === (query.get("style") ?? "ESIP").toUpperCase());
  const environment = query.get("env") ?? "production";
  const type = acceptable(headers.accept);
  if (style === undefined || !ENVIRONMENTS.includes(environment) || type === undefined) {
    throw new Refused("Unknown style, environment or media type");
  }
  const ignored = (query.get("ignore") ?? "").toUpperCase().split(",");
  const facts: Facts = {
    one,
    names: one.description.dataset.creators.flatMap((party) => nameOf(party, ignored) ?? []),
    // The year of the upload, whatever the document says.
    year: one.description.uploaded.slice(0, 4),
    doi: environment.startsWith("p") ? one.doi.slice("doi:".length) : "DOI_PLACE_HOLDER",
    stop: query.has("no_dot") ? "" : ".",
    accessed: query.has("access") ? new Date(now()).toISOString().slice(0, 10) : undefined,
  };
  if (facts.names.length === 0) {
    throw new Refused("No authors are left");
  }
  return write(type, style, facts);
}

/** The first type of the list that the service knows; quality values are not understood. */
function acceptable(accept: string | undefined): string | undefined {
  for (const type of (accept ?? "*/*").split(",").map((one) => one.trim())) {
    if (type === "*/*") {
      return "text/plain";
    }
    if (["text/plain", "text/html", "application/json"].includes(type)) {
      return type;
    }
  }
  return undefined;
}

interface Facts {
  readonly one: Package;
  readonly names: readonly Name[];
  readonly year: string;
  readonly doi: string;
  readonly stop: string;
  readonly accessed: string | undefined;
}

interface Name {
  readonly given: readonly string[];
  /** Surname, organisation or position. */
  readonly last: string;
}

/** The person, else the organisation, else the position. */
function nameOf(party: Party, ignored: readonly string[]): Name | undefined {
  if (party.surName !== undefined && !ignored.includes("INDIVIDUALS")) {
    return { given: party.givenNames ?? [], last: party.surName };
  }
  if (party.organization !== undefined && !ignored.includes("ORGANIZATIONS")) {
    return { given: [], last: party.organization };
  }
  return party.position !== undefined && !ignored.includes("POSITIONS")
    ? { given: [], last: party.position }
    : undefined;
}

function write(type: string, style: Style, facts: Facts): Answer {
  if (style === "RAW") {
    return text(200, JSON.stringify(raw(facts), undefined, 2), "application/json");
  }
  if (style === "BIBTEX" || style === "BIBTEX-ONLINE") {
    const entry = bibtex(style, facts);
    return type === "application/json"
      ? text(200, JSON.stringify(entry), type)
      : text(200, type === "text/html" ? `<pre>${escapeXml(entry)}</pre>` : entry, type);
  }
  const parts = style === "ESIP" ? esip(facts) : dryad(facts);
  if (type === "application/json") {
    return text(200, JSON.stringify(parts, undefined, 2), type);
  }
  const sentence = Object.values(parts).join(" ");
  const url = `https://doi.org/${facts.doi}`;
  return type === "text/html"
    ? text(200, escapeXml(sentence).replace(url, `<a href="${url}">${url}</a>`), type)
    : text(200, sentence, type);
}

function esip(facts: Facts): Record<string, string> {
  return {
    authors: `${joinNames(facts.names.map(esipName))}.`.replace(/\.\.$/, "."),
    pub_year: `${facts.year}.`,
    title: facts.one.description.dataset.title,
    version: `ver ${facts.one.description.revision}.`,
    publisher: `${PUBLISHER}.`,
    doi: `https://doi.org/${facts.doi}${facts.stop}`,
    ...accessedPart(facts),
  };
}

function dryad(facts: Facts): Record<string, string> {
  const names = facts.names.map(({ given, last }) =>
    [last, given.map((name) => name[0]).join("")].filter(Boolean).join(" "),
  );
  return {
    authors: names.join(", "),
    pub_year: `(${facts.year})`,
    title: `${facts.one.description.dataset.title},`,
    version: `ver ${facts.one.description.revision}.`,
    publisher: `${PUBLISHER}.`,
    doi: `https://doi.org/${facts.doi}${facts.stop}`,
    ...accessedPart(facts),
  };
}

function accessedPart({ accessed }: Facts): Record<string, string> {
  return accessed === undefined ? {} : { accessed: `Accessed ${accessed}.` };
}

/** The first author surname first, the others initials first. */
function esipName({ given, last }: Name, index: number): string {
  const initials = given.map((name) => `${name[0]}.`).join("");
  if (initials === "") {
    return last;
  }
  return index === 0 ? `${last}, ${initials}` : `${initials} ${last}`;
}

function joinNames(names: readonly string[]): string {
  return names.length < 2
    ? names.join("")
    : `${names.slice(0, -1).join(", ")}, and ${names.at(-1)}`;
}

function bibtex(
  style: "BIBTEX" | "BIBTEX-ONLINE",
  { one, names, year, doi, accessed }: Facts,
): string {
  const { title } = one.description.dataset;
  const lines = [
    `author={${names.map(({ given, last }) => [...given, last].join(" ")).join(" and ")}}`,
    `title={{${title}. ver ${one.description.revision}}}`,
    `year={${year}}`,
    `publisher={${PUBLISHER}}`,
    `doi={${doi}}`,
    `url={https://doi.org/${doi}}`,
    ...(accessed === undefined ? [] : [`urldate={${accessed}}`]),
    "note = {Type: dataset}",
  ];
  const kind = style === "BIBTEX" ? "misc" : "online";
  return `@${kind}{${one.id},\n    ${lines.join(",\n    ")}\n}`;
}

function raw({ one }: Facts): object {
  const { dataset, uploaded, revision } = one.description;
  return {
    title: dataset.title,
    pubdate: uploaded.slice(0, 10),
    version: String(revision),
    doi: one.doi,
    authors: dataset.creators.map((party) => ({
      individual_names:
        party.surName === undefined
          ? []
          : [{ sur_name: party.surName, given_names: party.givenNames ?? [] }],
      organization_names: party.organization === undefined ? [] : [party.organization],
      position_names: party.position === undefined ? [] : [party.position],
    })),
    publisher: PUBLISHER,
  };
}
