/** EML parts that datasets and entities share: prose, parties, coverage, attributes. */
import type { Attribute, Box, Coverage, Party, Period, Prose, Scale, Taxon } from "../model.ts";
import { type Child, type Element, el, maybe } from "../xml.ts";

/** Paragraphs and sections as the children of a text element. */
export function writeProse(prose: Prose): Element[] {
  return prose.map((part) =>
    typeof part === "string"
      ? el("para", part)
      : el("section", [el("title", part.title), part.paras.map((para) => el("para", para))]),
  );
}

/** A text element such as `abstract`, or nothing where there is no prose. */
export function maybeProse(name: string, prose: Prose | undefined): Element | undefined {
  return prose === undefined ? undefined : el(name, writeProse(prose));
}

/** A responsible party under the element `name`. */
export function writeParty(name: string, party: Party): Element {
  if (party.references !== undefined) {
    return el(name, [el("references", party.references), maybe("role", party.role)]);
  }
  const person =
    party.surName === undefined
      ? undefined
      : el("individualName", [
          (party.givenNames ?? []).map((given) => el("givenName", given)),
          el("surName", party.surName),
        ]);
  const { userId } = party;
  return el(name, { id: party.id }, [
    person,
    maybe("organizationName", party.organization),
    maybe("positionName", party.position),
    maybe("electronicMailAddress", party.email),
    maybe("onlineUrl", party.url),
    userId && el("userId", { directory: userId.directory }, userId.value),
    maybe("role", party.role),
  ]);
}

/** Where, when and which organisms. */
export function writeCoverage(coverage: Coverage | undefined): Element | undefined {
  if (coverage === undefined) {
    return undefined;
  }
  if (coverage.references !== undefined) {
    return el("coverage", [el("references", coverage.references)]);
  }
  const taxa = coverage.taxa ?? [];
  return el("coverage", { id: coverage.id }, [
    (coverage.boxes ?? []).map(writeBox),
    (coverage.periods ?? []).map(writePeriod),
    taxa.length === 0 ? undefined : el("taxonomicCoverage", taxa.map(writeTaxon)),
  ]);
}

function writeBox(box: Box): Element {
  const { altitude } = box;
  return el("geographicCoverage", [
    el("geographicDescription", box.description),
    el("boundingCoordinates", [
      el("westBoundingCoordinate", box.west),
      el("eastBoundingCoordinate", box.east),
      el("northBoundingCoordinate", box.north),
      el("southBoundingCoordinate", box.south),
      altitude &&
        el("boundingAltitudes", [
          el("altitudeMinimum", altitude.min),
          el("altitudeMaximum", altitude.max),
          el("altitudeUnits", altitude.unit),
        ]),
    ]),
  ]);
}

function writePeriod(period: Period): Element {
  return el("temporalCoverage", [periodContent(period)]);
}

function periodContent(period: Period): Element {
  if ("begin" in period) {
    return el("rangeOfDates", [
      el("beginDate", [el("calendarDate", period.begin)]),
      el("endDate", [el("calendarDate", period.end)]),
    ]);
  }
  if ("date" in period) {
    return el("singleDateTime", [el("calendarDate", period.date)]);
  }
  return el("singleDateTime", [
    el("alternativeTimeScale", [
      el("timeScaleName", period.timescale),
      el("timeScaleAgeEstimate", period.age),
    ]),
  ]);
}

function writeTaxon(taxon: Taxon): Element {
  const { taxonId } = taxon;
  return el("taxonomicClassification", [
    el("taxonRankName", taxon.rank),
    el("taxonRankValue", taxon.value),
    maybe("commonName", taxon.common),
    taxonId && el("taxonId", { provider: taxonId.provider }, taxonId.value),
    (taxon.children ?? []).map(writeTaxon),
  ]);
}

/** One column; a text stands for an attribute described elsewhere in the document. */
export function writeAttribute(attribute: Attribute | string): Element {
  if (typeof attribute === "string") {
    return el("attribute", [el("references", attribute)]);
  }
  return el("attribute", { id: attribute.id }, [
    el("attributeName", attribute.name),
    maybe("attributeLabel", attribute.label),
    el("attributeDefinition", attribute.definition),
    attribute.storage === undefined
      ? undefined
      : el("storageType", { typeSystem: attribute.storageSystem }, attribute.storage),
    el("measurementScale", [el(attribute.scale.kind, writeScale(attribute.scale))]),
    Object.entries(attribute.missing ?? {}).map(([code, explanation]) =>
      el("missingValueCode", [el("code", code), el("codeExplanation", explanation)]),
    ),
  ]);
}

function writeScale(scale: Scale): Child[] {
  switch (scale.kind) {
    case "dateTime":
      return [el("formatString", scale.format), maybe("dateTimePrecision", scale.precision)];
    case "nominal":
    case "ordinal":
      return [el("nonNumericDomain", [writeDomain(scale)])];
    case "interval":
    case "ratio": {
      const bounded = scale.min !== undefined || scale.max !== undefined;
      return [
        el("unit", [el(scale.custom === true ? "customUnit" : "standardUnit", scale.unit)]),
        maybe("precision", scale.precision),
        el("numericDomain", [
          el("numberType", scale.number),
          bounded
            ? el("bounds", [writeBound("minimum", scale.min), writeBound("maximum", scale.max)])
            : undefined,
        ]),
      ];
    }
  }
}

function writeDomain(scale: Extract<Scale, { kind: "nominal" | "ordinal" }>): Element {
  if (scale.codes === undefined) {
    return el("textDomain", [el("definition", scale.text ?? "Free text")]);
  }
  return el(
    "enumeratedDomain",
    { enforced: scale.enforced },
    Object.entries(scale.codes).map(([code, definition]) =>
      el("codeDefinition", [el("code", code), el("definition", definition)]),
    ),
  );
}

function writeBound(name: string, bound: string | undefined): Element | undefined {
  return bound === undefined ? undefined : el(name, { exclusive: "false" }, bound);
}
