/** PASTA's records of a revision: the map of its URLs, and what the archive wrote down about it and its entities. */
import { type Answer, xml } from "./answer.ts";
import { PASTA_URL, type Package, type PlacedEntity } from "./build-corpus.ts";
import { metadataUrl } from "./eml/write-eml.ts";
import { el, maybe } from "./xml.ts";

/** Every URL of a revision: entities, metadata, report, the package itself. */
export function resourceMap(one: Package): string[] {
  return [
    ...one.entities.map((entity) => entity.url),
    metadataUrl(one.id),
    `${PASTA_URL}/package/report/eml/${one.path}`,
    `${PASTA_URL}/package/eml/${one.path}`,
  ];
}

/** The same as an OAI-ORE resource map. */
export function oreMap(one: Package): Answer {
  const mapUrl = `${PASTA_URL}/package/eml/${one.path}?ore`;
  const aggregation = `${PASTA_URL}/package/eml/${one.path}#aggregation`;
  const root = el(
    "rdf:RDF",
    {
      "xmlns:rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
      "xmlns:ore": "http://www.openarchives.org/ore/terms/",
    },
    [
      el("rdf:Description", { "rdf:about": mapUrl }, [
        el("ore:describes", { "rdf:resource": aggregation }, []),
      ]),
      el(
        "rdf:Description",
        { "rdf:about": aggregation },
        resourceMap(one).map((url) => el("ore:aggregates", { "rdf:resource": url }, [])),
      ),
    ],
  );
  return { ...xml(200, root), headers: { "Content-Type": "application/rdf+xml" } };
}

/** The resource record of a revision. */
export function packageRecord(one: Package): Answer {
  return xml(
    200,
    el("resourceMetadata", [
      el("dateCreated", one.description.uploaded.replace("T", " ")),
      maybe("doi", one.doi),
      el("identifier", String(one.series.identifier)),
      el("packageId", one.id),
      el("principalOwner", one.series.owner),
      el("resourceId", `${PASTA_URL}/package/eml/${one.path}`),
      el("resourceType", "dataPackage"),
      el("revision", String(one.description.revision)),
      el("scope", one.series.scope),
    ]),
  );
}

/** Entities are stored a third of a second before their package is complete. */
const ENTITY_LEAD_MS = 333;

/** The resource record of an entity: its size and both checksums in one call. */
export function entityRecord(one: Package, entity: PlacedEntity): Answer {
  const created = new Date(Date.parse(`${one.description.uploaded}Z`) - ENTITY_LEAD_MS);
  return xml(
    200,
    el("resourceMetadata", [
      el("dataFormat", entity.description.mediaType),
      el("dateCreated", created.toISOString().replace("T", " ").slice(0, -1)),
      el("entityId", entity.id),
      el("entityName", entity.description.name),
      el("fileName", entity.description.fileName),
      el("identifier", String(one.series.identifier)),
      el("md5Checksum", entity.md5),
      el("packageId", one.id),
      el("principalOwner", one.series.owner),
      el("resourceId", entity.url),
      el("resourceLocation", "/home/pasta/local/data"),
      el("resourceSize", String(entity.sizeBytes)),
      el("resourceType", "data"),
      el("revision", String(one.description.revision)),
      el("scope", one.series.scope),
      el("sha1Checksum", entity.sha1),
    ]),
  );
}
