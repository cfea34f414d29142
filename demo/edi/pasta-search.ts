/** `GET /package/search/eml`: PASTA's own index of newest revisions, answered as its XML result set. */
import { type Answer, type DemoRequest, text } from "./answer.ts";
import type { Corpus, Package, Quirks } from "./build-corpus.ts";
import { newestPackages } from "./find-package.ts";
import {
  datesOf,
  displayName,
  flatProse,
  keywordsOf,
  methodsText,
  surNameFirst,
  taxonNames,
} from "./plain-text.ts";
import { type Schema, type SolrDocument, valuesOf } from "./solr/match-query.ts";
import { QuerySyntaxError } from "./solr/parse-query.ts";
import { type Hit, search } from "./solr/search.ts";
import { escapeXml } from "./xml.ts";

const SCHEMA: Schema = {
  abstract: { kind: "text" },
  author: { kind: "text" },
  begindate: { kind: "date" },
  coordinates: { kind: "box" },
  derivedFrom: { kind: "code" },
  doi: { kind: "code" },
  enddate: { kind: "date" },
  funding: { kind: "text" },
  geographicdescription: { kind: "text" },
  id: { kind: "code" },
  keyword: { kind: "text" },
  methods: { kind: "text" },
  organization: { kind: "text" },
  packageid: { kind: "code" },
  projectTitle: { kind: "text" },
  pubdate: { kind: "date" },
  relatedProjectTitle: { kind: "text" },
  responsibleParties: { kind: "code" },
  scope: { kind: "code" },
  singledate: { kind: "date" },
  site: { kind: "code" },
  subject: { kind: "text", hidden: true },
  taxonomic: { kind: "text" },
  text: { kind: "text", hidden: true },
  timescale: { kind: "text" },
  title: { kind: "text" },
  titles: { kind: "code", hidden: true },
};

/** Fields with several values and the element around them. */
const WRAPPERS: Readonly<Record<string, string>> = {
  author: "authors",
  coordinates: "spatialCoverage",
  derivedFrom: "sources",
  keyword: "keywords",
  organization: "organizations",
  singledate: "singledates",
  timescale: "timescales",
};

const REPEATED = new Set(["projectTitle", "relatedProjectTitle"]);

/** What `fl=*` stands for, in this order. */
const ALL_FIELDS =
  "abstract,begindate,doi,enddate,funding,geographicdescription,id,methods,packageid,pubdate,responsibleParties,scope,site,taxonomic,title,author,coordinates,derivedFrom,keyword,organization,singledate,timescale";

/** The index over a corpus. */
export function pastaIndex(corpus: Corpus, quirks: Quirks): readonly SolrDocument[] {
  return newestPackages(corpus).map((one) => {
    const document = documentOf(one);
    return one.id === quirks.untitled ? withoutTitle(document) : document;
  });
}

/** Answers a search; a query that Solr would refuse is a 500. */
export function answerSearch(index: readonly SolrDocument[], request: DemoRequest): Answer {
  const { query } = request;
  const start = wholeNumber(query.get("start"), 0);
  const rows = wholeNumber(query.get("rows"), 10);
  try {
    const result = search(index, SCHEMA, "text", {
      query: query.get("q") ?? "*:*",
      lenient: query.get("defType") === "edismax",
      filters: query.getAll("fq"),
      sort: query.getAll("sort").flatMap(sortKey),
      start,
      rows,
    });
    const fields = fieldList(query.get("fl"));
    const lines = [
      `<resultset numFound='${result.numFound}' start='${start}' rows='${rows}'>`,
      ...result.hits.flatMap((hit) => documentLines(hit, fields)),
      "</resultset>",
    ];
    return text(200, `${lines.join("\n")}\n`, "application/xml");
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) {
      throw error;
    }
    return text(500, `Error from server: org.apache.solr.search.SyntaxError: ${error.message}`);
  }
}

function wholeNumber(value: string | null, fallback: number): number {
  return value !== null && /^\d+$/.test(value) ? Number(value) : fallback;
}

/** `field,dir`; what does not split in two is ignored, any direction but `asc` is descending. */
function sortKey(value: string) {
  const [field, direction, ...rest] = value.split(",");
  if (field === undefined || direction === undefined || rest.length > 0) {
    return [];
  }
  return [{ field, descending: direction !== "asc" }];
}

function fieldList(fl: string | null): string[] {
  return (fl === "*" ? ALL_FIELDS : (fl ?? "")).split(",").filter((field) => field !== "");
}

function documentLines({ document, score }: Hit, fields: readonly string[]): string[] {
  return [
    "    <document>",
    ...fields.flatMap((field) => fieldLines(document, field, score)),
    "    </document>",
  ];
}

function fieldLines(document: SolrDocument, field: string, score: number): string[] {
  const line = (value: string, indent = 8) =>
    `${" ".repeat(indent)}<${field}>${escapeXml(value)}</${field}>`;
  const values = valuesOf(document, field).map(String);
  const wrapper = WRAPPERS[field];
  if (wrapper !== undefined) {
    return [
      `        <${wrapper}>`,
      ...values.map((value) => line(value, 12)),
      `        </${wrapper}>`,
    ];
  }
  if (REPEATED.has(field)) {
    return values.map((value) => line(value));
  }
  switch (field) {
    case "score":
      return [line(score.toFixed(4))];
    case "title":
      return [line(values[0] ?? "null")];
    case "pubdate":
      return [line(values[0]?.slice(0, 4) ?? "")];
    default:
      return [line(SCHEMA[field]?.hidden === true ? "" : (values[0] ?? ""))];
  }
}

function documentOf(one: Package): SolrDocument {
  const { dataset } = one.description;
  const { scope, identifier } = one.series;
  const dates = datesOf(dataset.coverage);
  const authors = dataset.creators.flatMap((party) => surNameFirst(party) ?? []);
  const organizations = dataset.creators.flatMap((party) => party.organization ?? []);
  const boxes = dataset.coverage?.boxes ?? [];
  const keywords = keywordsOf(dataset);
  const abstract = flatProse(dataset.abstract);
  const methods = methodsText(dataset);
  const funding = flatProse(dataset.project?.funding);
  const taxonomic = taxonNames(dataset.coverage?.taxa).join(" ");
  const places = boxes.map((box) => box.description).join(" ");
  const subject = [dataset.title, ...keywords, ...authors, ...organizations, abstract ?? ""];
  return {
    abstract,
    author: authors,
    begindate: dates.begin,
    coordinates: boxes.map(
      (box) => `ENVELOPE(${box.west}, ${box.east}, ${box.north}, ${box.south})`,
    ),
    derivedFrom: (dataset.methods?.steps ?? []).flatMap((step) => step.source?.packageId ?? []),
    doi: one.doi,
    enddate: dates.end,
    funding,
    geographicdescription: places || undefined,
    id: `${scope}.${identifier}`,
    keyword: keywords,
    methods,
    organization: organizations,
    packageid: one.id,
    projectTitle: dataset.project?.title,
    pubdate: dataset.pubDate,
    responsibleParties: dataset.creators.map(displayName).join("\n"),
    scope,
    singledate: dates.singles,
    site: scope.startsWith("knb-lter-") ? scope.slice("knb-lter-".length) : undefined,
    taxonomic: taxonomic || undefined,
    timescale: dates.timescales,
    title: dataset.title,
    titles: dataset.title,
    subject: subject.join(" \n"),
    text: [...subject, methods, funding, taxonomic, places, dataset.project?.title].join(" \n"),
  };
}

function withoutTitle(document: SolrDocument): SolrDocument {
  const gone = ["title", "titles", "begindate", "enddate", "pubdate", "singledate"];
  return { ...document, ...Object.fromEntries(gone.map((field) => [field, undefined])) };
}
