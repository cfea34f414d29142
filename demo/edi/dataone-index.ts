/** The coordinating node's Solr index: documents, schema, and its JSON and XML answers. */
import { type Answer, type DemoRequest, json, xml } from "./answer.ts";
import type { D1Object } from "./dataone-objects.ts";
import type { Box } from "./model.ts";
import {
  datesOf,
  displayName,
  flatProse,
  keywordsOf,
  methodsText,
  taxonNames,
} from "./plain-text.ts";
import {
  type Field,
  type Schema,
  type SolrDocument,
  type Value,
  valuesOf,
} from "./solr/match-query.ts";
import { QuerySyntaxError } from "./solr/parse-query.ts";
import { type SearchResult, search } from "./solr/search.ts";
import { type Element, el } from "./xml.ts";

const kinds = (kind: Field["kind"], names: string, hidden = false) =>
  Object.fromEntries(names.split(" ").map((name) => [name, { kind, hidden }]));

const SCHEMA: Schema = {
  ...kinds(
    "code",
    "id formatId formatType datasource authoritativeMN obsoletes obsoletedBy resourceMap documents isDocumentedBy fileName checksum checksumAlgorithm keywords origin authorLastName investigator author site scientificName attributeName attributeUnit isPublic dataUrl licenseName licenseUrl",
  ),
  ...kinds("text", "identifier title abstract"),
  ...kinds("text", "text keywordsText originText investigatorText", true),
  ...kinds("date", "beginDate endDate pubDate datePublished dateUploaded dateModified"),
  ...kinds("number", "size northBoundCoord southBoundCoord eastBoundCoord westBoundCoord"),
};

/** Date ranges, which Solr cannot sort. */
const UNSORTABLE = new Set(["pubDate", "datePublished"]);

const pidOf = (object: D1Object) => object.pid;

/** The index; objects that not everybody may read are not in it. */
export function dataoneIndex(objects: readonly D1Object[]): readonly SolrDocument[] {
  return objects
    .filter((object) => !object.restricted)
    .map((object) => {
      const siblings = objects.filter((other) => other.one === object.one && !other.restricted);
      return documentOf(object, siblings);
    });
}

/** `GET /cn/v2/query/solr/`; a refused query is a 400 in Solr's own form. */
export function answerSolr(index: readonly SolrDocument[], { query }: DemoRequest): Answer {
  const start = Number(query.get("start") ?? 0);
  const params: Record<string, string | string[]> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    params[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  const asJson = query.get("wt") === "json";
  try {
    if (!(start >= 0) || !(Number(query.get("rows") ?? 10) >= 0)) {
      throw new QuerySyntaxError("start and rows must be non-negative integers");
    }
    const result = search(index, SCHEMA, "text", {
      query: query.get("q") ?? "*:*",
      lenient: query.get("defType") === "edismax",
      filters: query.getAll("fq"),
      sort: sortKeys(query.get("sort")),
      start,
      rows: Number(query.get("rows") ?? 10),
    });
    const fields = query.get("fl")?.split(/[\s,]+/);
    const scored = fields?.includes("score") ?? false;
    const docs = result.hits.map((hit) => ({
      ...visible(hit.document, fields),
      ...(scored ? { score: hit.score } : {}),
    }));
    return asJson
      ? json(200, {
          responseHeader: { status: 0, QTime: 1, params },
          response: {
            numFound: result.numFound,
            start,
            ...(scored || fields === undefined ? { maxScore: result.maxScore } : {}),
            docs,
          },
        })
      : xml(200, xmlResponse(result, start, docs));
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) {
      throw error;
    }
    const problem = { msg: error.message, code: 400 };
    return json(400, { responseHeader: { status: 400, QTime: 0, params }, error: problem });
  }
}

/** `field dir, field dir` */
function sortKeys(sort: string | null) {
  return (sort ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const [field = "", direction] = one.split(/\s+/);
      if ((direction !== "asc" && direction !== "desc") || UNSORTABLE.has(field)) {
        throw new QuerySyntaxError(
          `Can't determine a Sort Order (asc or desc) in sort spec '${one}'`,
        );
      }
      return { field, descending: direction === "desc" };
    });
}

/** Stored fields that have a value, all of them or those asked for. */
function visible(
  document: SolrDocument,
  fields: readonly string[] | undefined,
): Record<string, Value | readonly Value[]> {
  const wanted = fields === undefined || fields.includes("*") ? undefined : new Set(fields);
  const found: Record<string, Value | readonly Value[]> = {};
  for (const [name, value] of Object.entries(document)) {
    const shown = value !== undefined && SCHEMA[name]?.hidden !== true;
    if (shown && (wanted?.has(name) ?? true) && valuesOf(document, name).length > 0) {
      found[name] = value;
    }
  }
  return found;
}

function xmlResponse(
  result: SearchResult,
  start: number,
  docs: readonly Record<string, Value | readonly Value[]>[],
): Element {
  const scalar = (value: Value, name?: string) =>
    el(
      typeof value === "number" ? "float" : typeof value === "boolean" ? "bool" : "str",
      { name },
      String(value),
    );
  return el("response", [
    el("lst", { name: "responseHeader" }, [
      el("int", { name: "status" }, "0"),
      el("int", { name: "QTime" }, "1"),
    ]),
    el(
      "result",
      { name: "response", numFound: String(result.numFound), start: String(start) },
      docs.map((doc) =>
        el(
          "doc",
          Object.entries(doc).map(([name, value]) =>
            typeof value === "object"
              ? el(
                  "arr",
                  { name },
                  value.map((one) => scalar(one)),
                )
              : scalar(value, name),
          ),
        ),
      ),
    ),
  ]);
}

/** Solr writes times without trailing zeros in the fraction. */
function solrTime(time: string): string {
  return `${time.replace(/\.?0+$/, "").padEnd(19, ":00")}Z`;
}

function documentOf(object: D1Object, siblings: readonly D1Object[]): SolrDocument {
  const { one, pid, type } = object;
  const node = `urn:node:${object.node}`;
  const metadata = siblings.filter((other) => other.type === "METADATA").map(pidOf);
  const shared = {
    id: pid,
    identifier: pid,
    formatId: object.formatId,
    formatType: type,
    fileName: object.fileName,
    size: object.sizeBytes,
    checksum: object.sha1,
    checksumAlgorithm: "SHA-1",
    datasource: node,
    authoritativeMN: node,
    dateUploaded: solrTime(object.uploaded),
    dateModified: solrTime(object.modified),
    isPublic: true,
    dataUrl: `https://cn.dataone.org/cn/v2/resolve/${encodeURIComponent(pid)}`,
    resourceMap: type !== "RESOURCE" && one.doi !== undefined ? [one.doi] : undefined,
    obsoletes: object.obsoletes,
    obsoletedBy: object.obsoletedBy,
  };
  switch (type) {
    case "DATA":
      return { ...shared, isDocumentedBy: metadata };
    case "RESOURCE":
      return shared;
    case "METADATA": {
      const documents = siblings.filter((other) => other.type === "DATA").map(pidOf);
      return { ...shared, ...metadataFields(object), documents };
    }
  }
}

/** The index keeps only the first box and the first date range of a document. */
function metadataFields({ one }: D1Object): SolrDocument {
  const { dataset } = one.description;
  const { coverage, creators, license } = dataset;
  const [firstPeriod] = coverage?.periods ?? [];
  const dates = datesOf(firstPeriod && { periods: [firstPeriod] });
  const [single] = dates.singles;
  const origin = creators.map(displayName);
  const keywords = keywordsOf(dataset);
  const abstract = flatProse(dataset.abstract);
  const day = (date: string | undefined) => date && `${date}T00:00:00Z`;
  const columns = dataset.entities.flatMap((entity) =>
    (entity.attributes ?? []).flatMap((one) => (typeof one === "string" ? [] : [one])),
  );
  return {
    title: dataset.title,
    author: origin[0],
    authorLastName: creators.flatMap((party) => party.surName ?? []),
    origin,
    originText: origin.join(" \n"),
    investigator: creators.flatMap((party) => party.surName ?? party.organization ?? []),
    investigatorText: origin.join(" \n"),
    keywords,
    keywordsText: keywords.join(" \n"),
    abstract,
    beginDate: day(dates.begin ?? single),
    endDate: day(dates.end ?? single),
    pubDate: day(dataset.pubDate),
    datePublished: day(dataset.pubDate),
    ...boxFields(coverage?.boxes?.[0]),
    licenseName: license && [license.name],
    licenseUrl: license && [license.url],
    scientificName: taxonNames(coverage?.taxa),
    attributeName: columns.map((column) => column.name),
    attributeUnit: columns.flatMap(({ scale }) => ("unit" in scale ? [scale.unit] : [])),
    text: [
      dataset.title,
      abstract,
      ...keywords,
      ...origin,
      methodsText(dataset),
      ...taxonNames(coverage?.taxa),
      ...(coverage?.boxes ?? []).map((box) => box.description),
      ...columns.map((column) => `${column.name} ${column.definition}`),
    ].join(" \n"),
  };
}

function boxFields(box: Box | undefined): SolrDocument {
  return box === undefined
    ? {}
    : {
        westBoundCoord: Number(box.west),
        eastBoundCoord: Number(box.east),
        northBoundCoord: Number(box.north),
        southBoundCoord: Number(box.south),
      };
}
