/** PASTA's methods about a package: report, sources, descendants, provenance, citations, changes, reads. */
import { type Answer, html, text, xml } from "./answer.ts";
import { type Corpus, digest, PASTA_URL, type Package, type Quirks } from "./build-corpus.ts";
import { answerChanges, answerUploads } from "./change-feed.ts";
import { metadataUrl, writeSource } from "./eml/write-eml.ts";
import { revisionsOf } from "./find-package.ts";
import { PastaProblem, type PastaRoute } from "./pasta-route.ts";
import { displayName } from "./plain-text.ts";
import { qualityReport } from "./quality-report.ts";
import { type Element, el, escapeXml } from "./xml.ts";

export function lineageRoutes(corpus: Corpus, quirks: Quirks): PastaRoute[] {
  return [
    {
      method: "readDataPackageReport",
      path: "/package/report/eml/:scope/:identifier/:flexRevision",
      answer: ({ accept, findPackage }) => {
        const one = findPackage();
        return accept.includes("text/html") ? reportPage(one) : xml(200, qualityReport(one));
      },
    },
    {
      method: "listDataSources",
      path: "/package/sources/eml/:scope/:identifier/:flexRevision",
      answer: ({ findPackage }) =>
        lineage("dataSources", "dataSource", sourcesOf(findPackage()), quirks),
    },
    {
      method: "listDataDescendants",
      path: "/package/descendants/eml/:scope/:identifier/:flexRevision",
      answer: ({ findPackage }) =>
        lineage("dataDescendants", "dataDescendant", descendantsOf(corpus, findPackage()), quirks),
    },
    {
      method: "getProvenanceMetadata",
      path: "/package/provenance/eml/:scope/:identifier/:flexRevision",
      answer: ({ findPackage }) => provenance(findPackage()),
    },
    {
      method: "listDataPackageCitations",
      path: "/package/citations/eml/:scope/:identifier/:flexRevision",
      answer: ({ findPackage }) => articles(findPackage()),
    },
    {
      method: "listRecentChanges",
      path: "/package/changes/eml",
      answer: ({ query }) => answerChanges(corpus, query),
    },
    {
      method: "listRecentUploads",
      path: "/package/uploads/eml",
      answer: ({ query }) => answerUploads(corpus, query),
    },
    {
      method: "getSeriesReads",
      path: "/audit/reads/:scope/:identifier",
      answer: ({ params: { scope = "", identifier = "" } }) => {
        const revisions = revisionsOf(corpus, scope, identifier);
        if (revisions.length === 0) {
          throw new PastaProblem(404, `No reads found for ${scope}.${identifier}`);
        }
        return xml(200, el("resourceReads", revisions.map(readsOf)));
      },
    },
    {
      method: "getRevisionReads",
      path: "/audit/reads/:scope/:identifier/:revision",
      answer: ({ findPackage }) => xml(200, el("resourceReads", [readsOf(findPackage())])),
    },
  ];
}

function reportPage(one: Package): Answer {
  return html(
    200,
    `<html><head><title>Quality report ${one.id}</title></head><body><h1>${one.id}</h1><p>Synthetic demonstration package.</p></body></html>`,
  );
}

interface LineageItem {
  /** Empty for a source outside PASTA. */
  readonly packageId: string;
  readonly title: string;
  readonly url: string;
}

function sourcesOf(one: Package): LineageItem[] {
  const { dataset, externalSources } = one.description;
  return [
    ...(dataset.methods?.steps ?? []).flatMap(({ source }) =>
      source === undefined
        ? []
        : [
            {
              packageId: source.packageId,
              title: source.title,
              url: metadataUrl(source.packageId),
            },
          ],
    ),
    ...(externalSources ?? []).map((source) => ({ packageId: "", ...source })),
  ];
}

function descendantsOf(corpus: Corpus, one: Package): LineageItem[] {
  return corpus.packages
    .filter((other) => sourcesOf(other).some((source) => source.packageId === one.id))
    .map((other) => ({
      packageId: other.id,
      title: other.description.dataset.title,
      url: metadataUrl(other.id),
    }));
}

/** PASTA does not escape these URLs; the quirk puts in the `&` that then breaks a parser. */
function lineage(
  root: string,
  name: string,
  items: readonly LineageItem[],
  quirks: Quirks,
): Answer {
  const lines = items.flatMap((item) => [
    `    <${name}>`,
    `        <packageId>${item.packageId}</packageId>`,
    `        <title>${escapeXml(item.title)}</title>`,
    `        <url>${item.url}${quirks.rawAmpersand === true && item.packageId === "" ? "?a=1&b=2" : ""}</url>`,
    `    </${name}>`,
  ]);
  const document = ['<?xml version="1.0" encoding="UTF-8"?>', `<${root}>`, ...lines, `</${root}>`];
  return text(200, `${document.join("\n")}\n`, "application/xml");
}

function provenance(one: Package): Answer {
  const { title, creators } = one.description.dataset;
  const [creator] = creators;
  return xml(
    200,
    el("methodStep", [
      el("description", [
        el("para", "This method step describes provenance-based metadata as specified in EML."),
      ]),
      writeSource({
        packageId: one.id,
        title,
        organization: creator === undefined ? "" : displayName(creator),
      }),
    ]),
  );
}

function articles(one: Package): Answer {
  return xml(
    200,
    el(
      "journalCitations",
      (one.description.articles ?? []).map((article, index) =>
        el("journalCitation", [
          el("journalCitationId", String(index + 1)),
          el("packageId", one.id),
          el("articleDoi", article.doi),
          el("articleTitle", article.title),
          el("articleUrl", `https://doi.org/${article.doi}`),
          el("principalOwner", one.series.owner),
          el("dateCreated", one.description.uploaded),
          el("journalTitle", article.journal),
          el("relationType", "IsCitedBy"),
        ]),
      ),
    ),
  );
}

/** Reads of the package, its metadata and its entities; numbers that nobody wrote down follow from the URL. */
function readsOf(one: Package): Element[] {
  const { reads } = one.description;
  const resources = [
    [`${PASTA_URL}/package/eml/${one.path}`, "dataPackage"] as const,
    [metadataUrl(one.id), "metadata"] as const,
    ...one.entities.map((entity) => [entity.url, "data"] as const),
  ];
  return resources.flatMap(([url, type], index) => {
    const derived = Number.parseInt(digest("md5", url).slice(0, 4), 16) % 500;
    const [total, byPeople] =
      reads === undefined ? [derived, Math.floor(derived * 0.7)] : (reads[index] ?? []);
    return total === undefined || byPeople === undefined
      ? []
      : [
          el("resource", [
            el("resourceId", url),
            el("resourceType", type),
            el("scope", one.series.scope),
            el("identifier", String(one.series.identifier)),
            el("revision", String(one.description.revision)),
            el("totalReads", String(total)),
            el("nonRobotReads", String(byPeople)),
          ]),
        ];
  });
}
