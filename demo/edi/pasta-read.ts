/** PASTA's methods that list and read: scopes to bytes. Each is one route with the name that a refusal quotes. */
import { type Answer, text } from "./answer.ts";
import { type Corpus, digest, type Package, type PlacedEntity } from "./build-corpus.ts";
import { emlNamespace } from "./eml/write-eml.ts";
import { findEntity, identifiersOf, revisionsOf, scopesOf } from "./find-package.ts";
import { type PastaCall, PastaProblem, type PastaRoute } from "./pasta-route.ts";
import { entityRecord, oreMap, packageRecord, resourceMap } from "./records.ts";

/** Registers a large file with the data server and gives its one-shot URL. */
type HandOver = (entity: PlacedEntity) => string;

export interface ReadOptions {
  readonly corpus: Corpus;
  /** Files of this size or more are handed to the data server [bytes]. */
  readonly redirectBytes: number;
  readonly handOver: HandOver;
  /** PASTA honours `Range` on entities. */
  readonly ranges: boolean;
}

export function readRoutes(options: ReadOptions): PastaRoute[] {
  const { corpus } = options;
  return [
    {
      method: "listDataPackageScopes",
      path: "/package/eml",
      answer: () => lines(required(scopesOf(corpus), "No resources found")),
    },
    {
      method: "listDeletedDataPackages",
      path: "/package/eml/deleted",
      answer: () =>
        lines(
          corpus.series
            .filter((series) => series.revisions.length === 0)
            .map((series) => `${series.scope}.${series.identifier}`),
        ),
    },
    {
      method: "listDataPackageIdentifiers",
      path: "/package/eml/:scope",
      answer: ({ params: { scope = "" } }) =>
        trimmed(required(identifiersOf(corpus, scope), `No resources found for scope='${scope}'`)),
    },
    {
      method: "listDataPackageRevisions",
      path: "/package/eml/:scope/:identifier",
      answer: (call) => listRevisions(corpus, call),
    },
    {
      method: "readDataPackage",
      path: "/package/eml/:scope/:identifier/:flexRevision",
      answer: ({ query, findPackage }) =>
        query.has("ore") ? oreMap(findPackage()) : lines(resourceMap(findPackage())),
    },
    {
      method: "readMetadata",
      path: "/package/metadata/eml/:scope/:identifier/:flexRevision",
      answer: ({ findPackage }) => ({
        status: 200,
        headers: { "Content-Type": "application/xml" },
        body: findPackage().eml,
      }),
    },
    {
      method: "readMetadataChecksum",
      path: "/package/metadata/checksum/eml/:scope/:identifier/:revision",
      answer: ({ findPackage }) => text(200, digest("sha1", findPackage().eml)),
    },
    {
      method: "readMetadataFormat",
      path: "/package/metadata/format/eml/:scope/:identifier/:revision",
      answer: ({ findPackage }) => text(200, emlNamespace(findPackage().emlVersion)),
    },
    {
      method: "listDataEntities",
      path: "/package/data/eml/:scope/:identifier/:flexRevision",
      answer: ({ findPackage }) =>
        lines(
          findPackage()
            .entities.filter((entity) => entity.description.restricted !== true)
            .map((entity) => entity.id),
        ),
    },
    {
      method: "readDataEntity",
      path: "/package/data/eml/:scope/:identifier/:flexRevision/:entity",
      answer: (call) => readEntity(options, call),
    },
    {
      method: "readDataEntitySizes",
      path: "/package/data/size/eml/:scope/:identifier/:revision",
      answer: ({ findPackage }) => pairs(findPackage(), (entity) => String(entity.sizeBytes)),
    },
    {
      method: "readDataEntitySize",
      path: "/package/data/size/eml/:scope/:identifier/:revision/:entity",
      answer: (call) => text(200, String(entityOf(call).sizeBytes)),
    },
    {
      method: "readDataEntityChecksum",
      path: "/package/data/checksum/eml/:scope/:identifier/:revision/:entity",
      answer: (call) => text(200, entityOf(call).sha1),
    },
    {
      method: "readDataEntityResourceMetadata",
      path: "/package/data/rmd/eml/:scope/:identifier/:revision/:entity",
      answer: (call) => entityRecord(call.findPackage(), entityOf(call)),
    },
    {
      method: "readDataEntityNames",
      path: "/package/name/eml/:scope/:identifier/:revision",
      answer: ({ findPackage }) =>
        pairs(findPackage("Unknown data package"), (entity) => entity.description.name),
    },
    {
      method: "readDataEntityName",
      path: "/package/name/eml/:scope/:identifier/:revision/:entity",
      answer: (call) => text(200, entityOf(call).description.name),
    },
    {
      method: "readDataPackageDoi",
      path: "/package/doi/eml/:scope/:identifier/:revision",
      answer: ({ findPackage }) => {
        const one = findPackage();
        if (one.doi === undefined) {
          throw new PastaProblem(404, `No DOI found for data package ${one.id}`);
        }
        return text(200, one.doi);
      },
    },
    {
      method: "readDataPackageFromDoi",
      path: "/package/doi/:shoulder/:pasta/:md5",
      answer: ({ params: { shoulder = "", pasta, md5 } }) => {
        const doi = `doi:${shoulder.replace(/^doi:/, "")}/${pasta}/${md5}`;
        const one = corpus.packages.find((candidate) => candidate.doi === doi);
        if (one === undefined) {
          throw new PastaProblem(404, `No data package found for DOI ${doi}`);
        }
        return lines(resourceMap(one));
      },
    },
    {
      method: "readDataPackageResourceMetadata",
      path: "/package/rmd/eml/:scope/:identifier/:revision",
      answer: ({ findPackage }) => packageRecord(findPackage()),
    },
  ];
}

/** One value a line, with a line break at the end; empty for no values. */
function lines(values: readonly (string | number)[]): Answer {
  return text(200, values.map((value) => `${value}\n`).join(""));
}

/** One value a line, without a line break at the end. */
function trimmed(values: readonly (string | number)[]): Answer {
  return text(200, values.join("\n"));
}

function pairs(one: Package, value: (entity: PlacedEntity) => string): Answer {
  const rows = one.entities.map((entity) => `${entity.id},${value(entity)}\n`);
  return text(200, rows.join(""), "text/csv");
}

function required<T>(values: readonly T[], complaint: string): readonly T[] {
  if (values.length === 0) {
    throw new PastaProblem(404, complaint);
  }
  return values;
}

function listRevisions(corpus: Corpus, { params, query }: PastaCall): Answer {
  const { scope = "", identifier = "" } = params;
  if (!/^\d+$/.test(identifier)) {
    throw new PastaProblem(400, `identifier value '${identifier}' must be a non-negative integer`);
  }
  const revisions = required(
    revisionsOf(corpus, scope, identifier),
    `No resources found for scope='${scope}', identifier='${identifier}'`,
  ).map((one) => one.description.revision);
  switch (query.get("filter")) {
    case null:
      return trimmed(revisions);
    case "newest":
      return trimmed(revisions.slice(-1));
    case "oldest":
      return trimmed(revisions.slice(0, 1));
    default:
      return text(200, "");
  }
}

function entityOf({ params: { entity: id = "" }, findPackage }: PastaCall): PlacedEntity {
  const one = findPackage();
  const entity = findEntity(one, id);
  if (entity === undefined) {
    throw new PastaProblem(404, `Unknown entity: ${id} in data package ${one.id}`);
  }
  return entity;
}

function readEntity(options: ReadOptions, call: PastaCall): Answer {
  const entity = entityOf(call);
  const { restricted, mediaType, fileName } = entity.description;
  if (restricted === true) {
    throw new PastaProblem(
      403,
      `User '${call.user}' does not have permission to read this data entity: ${entity.url}`,
    );
  }
  if (entity.sizeBytes >= options.redirectBytes) {
    return { status: 307, headers: { Location: options.handOver(entity) }, body: "" };
  }
  return {
    status: 200,
    headers: {
      "Content-Type": mediaType,
      "Content-Disposition": `inline; filename="${fileName}"`,
    },
    body: "bytes" in entity.content ? entity.content.bytes : entity.content,
    ...(options.ranges ? { rangeTag: entity.sha1 } : {}),
  };
}
