/** From descriptions to packages: ids, sizes, checksums, DOIs and documents that agree with each other. */
import { createHash } from "node:crypto";
import { writeEml } from "./eml/write-eml.ts";
import { writeEntity } from "./eml/write-entity.ts";
import type {
  Content,
  EmlVersion,
  EntityDescription,
  RevisionDescription,
  SeriesDescription,
} from "./model.ts";

export const PASTA_URL = "https://pasta.lternet.edu";

export interface PlacedEntity {
  readonly description: EntityDescription;
  /** MD5 of the entity's name, lower-case hex: its id in PASTA. */
  readonly id: string;
  /** The entity's PASTA URL, at the same time its DataONE identifier. */
  readonly url: string;
  readonly content: Content;
  readonly sizeBytes: number;
  readonly sha1: string;
  readonly md5: string;
}

export interface Package {
  readonly series: SeriesDescription;
  readonly description: RevisionDescription;
  /** `scope.identifier.revision` */
  readonly id: string;
  /** `scope/identifier/revision` */
  readonly path: string;
  readonly doi: string | undefined;
  readonly emlVersion: EmlVersion;
  readonly eml: Buffer;
  readonly entities: readonly PlacedEntity[];
}

export interface Corpus {
  /** Ordered by scope, identifier, revision. */
  readonly packages: readonly Package[];
  /** Every series, also those of which nothing is left. */
  readonly series: readonly SeriesDescription[];
}

export interface Quirks {
  /** Id of a package whose EML carries a document type declaration with an entity. */
  readonly dtd?: string;
  /** Drops this many of the newest replicas of every series from DataONE. */
  readonly lag?: number;
  /** DataONE has lost the obsolescence links, so that old revisions look current. */
  readonly staleChains?: boolean;
  /** URLs of sources carry a raw `&`, which is not XML. */
  readonly rawAmpersand?: boolean;
  /** Id of a package whose search document has the title `null` and no dates. */
  readonly untitled?: string;
}

/** Builds every package of the descriptions; identical input gives identical bytes. */
export function buildCorpus(descriptions: readonly SeriesDescription[], quirks: Quirks): Corpus {
  const series = [...descriptions].sort(
    (a, b) => compareText(a.scope, b.scope) || a.identifier - b.identifier,
  );
  return {
    series,
    packages: series.flatMap((one) =>
      one.revisions.map((revision) => buildPackage(one, revision, quirks)),
    ),
  };
}

/** Order of code units: the same in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Lower-case hex digest. */
export function digest(algorithm: "md5" | "sha1", bytes: Buffer | string): string {
  return createHash(algorithm).update(bytes).digest("hex");
}

function buildPackage(
  series: SeriesDescription,
  description: RevisionDescription,
  quirks: Quirks,
): Package {
  const path = `${series.scope}/${series.identifier}/${description.revision}`;
  const id = path.replaceAll("/", ".");
  const emlVersion = description.eml ?? "2.2.0";
  const doi =
    description.withoutDoi === true
      ? undefined
      : `doi:10.6073/pasta/${digest("md5", `${PASTA_URL}/package/eml/${path}`)}`;
  const entities = description.dataset.entities.map((entity) => placeEntity(entity, path));
  const text = writeEml({
    packageId: id,
    version: emlVersion,
    doi,
    dataset: description.dataset,
    entities: entities.map((entity) =>
      writeEntity(entity.description, {
        id: description.withoutEntityIds === true ? undefined : entity.id,
        url: entity.url,
        sizeBytes: entity.sizeBytes,
        md5: entity.md5,
        owner: series.owner,
      }),
    ),
  });
  const eml = Buffer.from(quirks.dtd === id ? withDtd(text) : text);
  return { series, description, id, path, doi, emlVersion, eml, entities };
}

function placeEntity(description: EntityDescription, path: string): PlacedEntity {
  const { content } = description;
  const id = digest("md5", description.name);
  const facts =
    "bytes" in content
      ? {
          sizeBytes: content.bytes.length,
          sha1: digest("sha1", content.bytes),
          md5: digest("md5", content.bytes),
        }
      : { sizeBytes: content.sizeBytes, sha1: content.sha1, md5: content.md5 };
  return {
    description,
    id,
    url: `${PASTA_URL}/package/data/eml/${path}/${id}`,
    content,
    ...facts,
  };
}

function withDtd(text: string): string {
  return text.replace(
    "<eml:eml ",
    '<!DOCTYPE eml:eml [<!ENTITY demo "Demonstration">]>\n<eml:eml ',
  );
}
