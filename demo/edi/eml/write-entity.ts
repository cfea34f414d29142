/** One data entity of an EML document. */
import type { EntityDescription, TextLayout } from "../model.ts";
import { type Child, type Element, el, maybe } from "../xml.ts";
import { writeAttribute, writeCoverage } from "./write-parts.ts";

/** What is known of an entity only once its bytes exist. */
export interface EntityFacts {
  /** Id in PASTA; absent where the document does not carry it. */
  readonly id: string | undefined;
  readonly url: string;
  readonly sizeBytes: number;
  /** MD5 of the bytes, lower-case hex. */
  readonly md5: string;
  /** Principal that alone may read a restricted entity. */
  readonly owner: string;
}

/** The element of an entity, named after its kind. */
export function writeEntity(entity: EntityDescription, facts: EntityFacts): Element {
  const scope = facts.id === undefined ? undefined : "document";
  const system = facts.id === undefined ? undefined : "https://pasta.edirepository.org";
  const { attributes } = entity;
  return el(entity.kind, { id: facts.id, scope, system }, [
    el("entityName", entity.name),
    maybe("entityDescription", entity.description),
    writePhysical(entity, facts),
    writeCoverage(entity.coverage),
    attributes && el("attributeList", { id: entity.attributesId }, attributes.map(writeAttribute)),
    maybe("caseSensitive", entity.caseSensitive),
    entity.kind === "dataTable" ? maybe("numberOfRecords", entity.records?.toString()) : undefined,
    writeKind(entity),
  ]);
}

function writePhysical(entity: EntityDescription, facts: EntityFacts): Element {
  return el("physical", { scope: "document" }, [
    el("objectName", entity.fileName),
    el("size", { unit: "byte" }, String(facts.sizeBytes)),
    el("authentication", { method: "MD5" }, facts.md5),
    maybe("characterEncoding", entity.encoding),
    el("dataFormat", [writeFormat(entity)]),
    el("distribution", [
      el("online", [el("url", { function: "download" }, facts.url)]),
      entity.restricted === true ? writeRestriction(facts.owner) : undefined,
    ]),
  ]);
}

function writeFormat(entity: EntityDescription): Element {
  if (entity.layout !== undefined) {
    return el("textFormat", writeLayout(entity.layout));
  }
  return el("externallyDefinedFormat", [
    el("formatName", entity.format?.name ?? entity.mediaType),
    maybe("formatVersion", entity.format?.version),
  ]);
}

function writeLayout(layout: TextLayout): Child[] {
  return [
    maybe("numHeaderLines", layout.headerLines?.toString()),
    maybe("numFooterLines", layout.footerLines?.toString()),
    maybe("recordDelimiter", layout.recordDelimiter),
    el("attributeOrientation", layout.orientation ?? "column"),
    layout.widths === undefined
      ? el("simpleDelimited", [
          el("fieldDelimiter", layout.fieldDelimiter ?? ","),
          maybe("collapseDelimiters", layout.collapseDelimiters),
          maybe("quoteCharacter", layout.quote),
        ])
      : el(
          "complex",
          layout.widths.map((width) => el("textFixed", [el("fieldWidth", String(width))])),
        ),
  ];
}

function writeRestriction(owner: string): Element {
  const rule = (name: string, principal: string) =>
    el(name, [el("principal", principal), el("permission", "read")]);
  return el(
    "access",
    {
      authSystem: "https://pasta.edirepository.org/authentication",
      order: "allowFirst",
      scope: "document",
    },
    [rule("allow", owner), rule("deny", "public")],
  );
}

/** What follows the columns is particular to the kind of entity. */
function writeKind(entity: EntityDescription): Child {
  switch (entity.kind) {
    case "dataTable":
      return undefined;
    case "otherEntity":
      return el("entityType", entity.entityType ?? entity.mediaType);
    case "view":
      return el("queryStatement", entity.query ?? "SELECT * FROM demonstration");
    case "storedProcedure":
      return el("parameter", [
        el("name", "year"),
        el("domainDescription", "Calendar year"),
        el("required", "yes"),
        el("repeats", "no"),
      ]);
    case "spatialVector":
      return el("geometry", "Polygon");
    case "spatialRaster":
      return RASTER_PARTS.map(([name, text]) => el(name, text));
  }
}

const RASTER_PARTS = [
  ["cellSizeXDirection", "30"],
  ["cellSizeYDirection", "30"],
  ["numberOfBands", "1"],
  ["rasterOrigin", "Upper Left"],
  ["rows", "40"],
  ["columns", "60"],
  ["verticals", "1"],
  ["cellGeometry", "matrix"],
] as const;
