/** What DataONE holds of the corpus: one object per document, data file, report and resource map of each replica. */
import type { Body } from "./answer.ts";
import { type Corpus, digest, PASTA_URL, type Package, type Quirks } from "./build-corpus.ts";
import { emlNamespace, metadataUrl } from "./eml/write-eml.ts";
import { qualityReport } from "./quality-report.ts";
import { resourceMap } from "./records.ts";
import { writeXml } from "./xml.ts";

export type NodeName = "LTER" | "EDI";

export interface D1Object {
  /** The persistent identifier: a PASTA URL, or the DOI of a resource map. */
  readonly pid: string;
  readonly type: "METADATA" | "DATA" | "RESOURCE";
  readonly formatId: string;
  readonly node: NodeName;
  readonly one: Package;
  readonly fileName: string | undefined;
  readonly restricted: boolean;
  readonly sizeBytes: number;
  readonly sha1: string;
  readonly body: Body;
  readonly obsoletes: string | undefined;
  readonly obsoletedBy: string | undefined;
  /** UTC, `YYYY-MM-DDThh:mm:ss.SSS` */
  readonly uploaded: string;
  readonly modified: string;
}

/** Scopes of the node `urn:node:LTER`; the others are on `urn:node:EDI`. */
const LTER_SCOPE = /^(knb-lter-|lter-landsat|ecotrends$|msb-cap$|msb-paleon$)/;

/** All objects, ordered as the packages are. */
export function dataoneObjects(corpus: Corpus, quirks: Quirks): D1Object[] {
  return corpus.series.flatMap((series) => {
    const replicas = corpus.packages.filter(
      (one) => one.series === series && one.description.replicated !== undefined,
    );
    const kept = replicas.slice(0, Math.max(0, replicas.length - (quirks.lag ?? 0)));
    return kept.flatMap((one, index) =>
      objectsOf(one, quirks.staleChains === true ? [] : [kept[index - 1], kept[index + 1]]),
    );
  });
}

function objectsOf(one: Package, [before, after]: readonly (Package | undefined)[]): D1Object[] {
  const shared = {
    node: LTER_SCOPE.test(one.series.scope) ? ("LTER" as const) : ("EDI" as const),
    one,
    fileName: undefined,
    restricted: false,
    obsoletes: undefined,
    obsoletedBy: undefined,
    uploaded: one.description.uploaded,
    modified: one.description.replicated ?? one.description.uploaded,
  };
  const stored = (bytes: Buffer) => ({
    sizeBytes: bytes.length,
    sha1: digest("sha1", bytes),
    body: bytes,
  });
  return [
    {
      ...shared,
      pid: metadataUrl(one.id),
      type: "METADATA",
      formatId: emlNamespace(one.emlVersion),
      obsoletes: before && metadataUrl(before.id),
      obsoletedBy: after && metadataUrl(after.id),
      ...stored(one.eml),
    },
    ...one.entities.map(
      (entity): D1Object => ({
        ...shared,
        pid: entity.url,
        type: "DATA",
        formatId: entity.description.mediaType,
        fileName: entity.description.fileName,
        restricted: entity.description.restricted === true,
        sizeBytes: entity.sizeBytes,
        sha1: entity.sha1,
        body: "bytes" in entity.content ? entity.content.bytes : entity.content,
      }),
    ),
    {
      ...shared,
      pid: `${PASTA_URL}/package/report/eml/${one.path}`,
      type: "DATA",
      formatId: "text/xml",
      ...stored(Buffer.from(writeXml(qualityReport(one)))),
    },
    ...(one.doi === undefined
      ? []
      : [
          {
            ...shared,
            pid: one.doi,
            type: "RESOURCE" as const,
            formatId: "http://www.openarchives.org/ore/terms",
            ...stored(Buffer.from(resourceMap(one).join("\n"))),
          },
        ]),
  ];
}
