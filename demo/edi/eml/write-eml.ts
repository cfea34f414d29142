/** A whole EML document of a revision, as PASTA serves it (Level 1: ids, rewritten URLs, publisher and DOI added). */
import type { CustomUnit, Dataset, EmlVersion, MethodStep } from "../model.ts";
import { type Child, type Element, el, maybe, writeXml } from "../xml.ts";
import { maybeProse, writeCoverage, writeParty, writeProse } from "./write-parts.ts";

const SYSTEM = "https://pasta.edirepository.org";

const VERSIONS: Record<EmlVersion, { namespace: string; schema: string; stmml: string }> = {
  "2.2.0": {
    namespace: "https://eml.ecoinformatics.org/eml-2.2.0",
    schema: "https://eml.ecoinformatics.org/eml-2.2.0/eml.xsd",
    stmml: "http://www.xml-cml.org/schema/stmml-1.2",
  },
  "2.1.1": {
    namespace: "eml://ecoinformatics.org/eml-2.1.1",
    schema: "http://nis.lternet.edu/schemas/EML/eml-2.1.1/eml.xsd",
    stmml: "http://www.xml-cml.org/schema/stmml-1.1",
  },
  "2.1.0": {
    namespace: "eml://ecoinformatics.org/eml-2.1.0",
    schema: "http://nis.lternet.edu/schemas/EML/eml-2.1.0/eml.xsd",
    stmml: "http://www.xml-cml.org/schema/stmml-1.1",
  },
};

/** The XML namespace that names an EML version; DataONE uses it as the format id. */
export function emlNamespace(version: EmlVersion): string {
  return VERSIONS[version].namespace;
}

export interface EmlInput {
  readonly packageId: string;
  readonly version: EmlVersion;
  /** `doi:10.6073/pasta/…`, absent where none was assigned. */
  readonly doi: string | undefined;
  readonly dataset: Dataset;
  /** The entities, already written. */
  readonly entities: readonly Element[];
}

/** The document's text, UTF-8 when encoded. */
export function writeEml(input: EmlInput): string {
  const { namespace, schema, stmml } = VERSIONS[input.version];
  return writeXml(
    el(
      "eml:eml",
      {
        "xmlns:eml": namespace,
        "xmlns:stmml": stmml,
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        packageId: input.packageId,
        system: SYSTEM,
        "xsi:schemaLocation": `${namespace} ${schema}`,
      },
      [PUBLIC_ACCESS, el("dataset", writeDataset(input)), writeUnits(input.dataset.units)],
    ),
  );
}

const PUBLIC_ACCESS = el(
  "access",
  {
    authSystem: `${SYSTEM}/authentication`,
    order: "allowFirst",
    scope: "document",
    system: SYSTEM,
  },
  [el("allow", [el("principal", "public"), el("permission", "read")])],
);

const PUBLISHER = writeParty("publisher", {
  organization: "Environmental Data Initiative",
  email: "info@edirepository.org",
  url: "https://edirepository.org",
  userId: { directory: "https://ror.org", value: "https://ror.org/0330j0z60" },
});

function writeDataset({ dataset, doi, version, entities }: EmlInput): Child[] {
  const doiUrl = doi?.replace("doi:", "https://doi.org/");
  return [
    doi && el("alternateIdentifier", { system: "https://doi.org" }, doi),
    maybe("shortName", dataset.shortName),
    el("title", dataset.title),
    dataset.creators.map((party) => writeParty("creator", party)),
    (dataset.associated ?? []).map((party) => writeParty("associatedParty", party)),
    maybe("pubDate", dataset.pubDate),
    maybe("language", dataset.language),
    maybeProse("abstract", dataset.abstract),
    (dataset.keywords ?? []).map((set) =>
      el("keywordSet", [
        set.words.map((word) => el("keyword", { keywordType: set.type }, word)),
        maybe("keywordThesaurus", set.thesaurus),
      ]),
    ),
    maybeProse("additionalInfo", dataset.additionalInfo),
    maybeProse("intellectualRights", dataset.rights),
    version === "2.2.0" ? writeLicense(dataset) : undefined,
    doiUrl && el("distribution", [el("online", [el("url", { function: "information" }, doiUrl)])]),
    writeCoverage(dataset.coverage),
    writeMaintenance(dataset),
    dataset.contacts.map((party) => writeParty("contact", party)),
    PUBLISHER,
    el("pubPlace", "Environmental Data Initiative"),
    writeMethods(dataset),
    writeProject(dataset, version),
    entities,
  ].map((child) => child || undefined);
}

function writeLicense({ license }: Dataset): Element | undefined {
  return (
    license &&
    el("licensed", [
      el("licenseName", license.name),
      el("url", license.url),
      el("identifier", license.id),
    ])
  );
}

function writeMaintenance({ maintenance }: Dataset): Element | undefined {
  return (
    maintenance &&
    el("maintenance", [
      el("description", writeProse(maintenance.description)),
      maybe("maintenanceUpdateFrequency", maintenance.frequency),
    ])
  );
}

function writeMethods({ methods }: Dataset): Element | undefined {
  if (methods === undefined) {
    return undefined;
  }
  const { extent, sampling, quality } = methods;
  return el("methods", [
    methods.steps.map(writeStep),
    extent && sampling
      ? el("sampling", [
          el("studyExtent", [el("description", writeProse(extent))]),
          el("samplingDescription", writeProse(sampling)),
        ])
      : undefined,
    quality && el("qualityControl", [el("description", writeProse(quality))]),
  ]);
}

function writeStep(step: MethodStep): Element {
  const { source } = step;
  return el("methodStep", [
    el("description", writeProse(step.description)),
    (step.instruments ?? []).map((instrument) => el("instrumentation", instrument)),
    source && writeSource(source),
  ]);
}

/** The `dataSource` of a method step, also served alone as provenance. */
export function writeSource(source: NonNullable<MethodStep["source"]>): Element {
  return el("dataSource", [
    el("title", source.title),
    writeParty("creator", { organization: source.organization }),
    el("distribution", [
      el("online", [el("url", { function: "information" }, metadataUrl(source.packageId))]),
    ]),
    writeParty("contact", { organization: source.organization }),
  ]);
}

/** PASTA's URL of a revision's metadata; DataONE uses the same text as identifier. */
export function metadataUrl(packageId: string): string {
  return `https://pasta.lternet.edu/package/metadata/eml/${packageId.replaceAll(".", "/")}`;
}

function writeProject({ project }: Dataset, version: EmlVersion): Element | undefined {
  if (project === undefined) {
    return undefined;
  }
  const awards = version === "2.2.0" ? (project.awards ?? []) : [];
  return el("project", [
    el("title", project.title),
    project.personnel.map((party) => writeParty("personnel", party)),
    maybeProse("funding", project.funding),
    awards.map((award) =>
      el("award", [
        el("funderName", award.funder),
        maybe("funderIdentifier", award.funderId),
        el("awardNumber", award.number),
        el("title", award.title),
        maybe("awardUrl", award.url),
      ]),
    ),
  ]);
}

function writeUnits(units: readonly CustomUnit[] | undefined): Element | undefined {
  if (units === undefined) {
    return undefined;
  }
  return el("additionalMetadata", [
    el("metadata", [
      el(
        "stmml:unitList",
        units.map((unit) =>
          el(
            "stmml:unit",
            {
              id: unit.id,
              name: unit.id,
              unitType: unit.unitType,
              parentSI: unit.parentSI,
              multiplierToSI: unit.multiplierToSI,
            },
            [el("stmml:description", unit.description)],
          ),
        ),
      ),
    ]),
  ]);
}
