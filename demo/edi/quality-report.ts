/** The quality report of a revision: checks that are really made on the document and the bytes. */
import type { Package, PlacedEntity } from "./build-corpus.ts";
import type { Attribute, TextLayout } from "./model.ts";
import { type Element, el } from "./xml.ts";

interface Check {
  readonly type: "metadata" | "data" | "congruency";
  readonly system: "knb" | "lter";
  /** What a failure of the check counts as. */
  readonly severity: "info" | "warn" | "error";
  readonly identifier: string;
  readonly name: string;
  readonly description: string;
  readonly expected: string;
  readonly found: string;
  readonly passed: boolean;
  readonly explanation?: string;
  readonly suggestion?: string;
}

/** The report's root element. */
export function qualityReport(one: Package): Element {
  return el(
    "qr:qualityReport",
    {
      xmlns: "eml://ecoinformatics.org/qualityReport",
      "xmlns:qr": "eml://ecoinformatics.org/qualityReport",
      "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
      "xsi:schemaLocation":
        "eml://ecoinformatics.org/qualityReport http://svn.lternet.edu/svn/NIS/documents/schemas/quality/qualityReportSchema.xsd",
    },
    [
      el("creationDate", secondsBefore(one.description.uploaded, 2)),
      el("packageId", one.id),
      el("includeSystem", "lter"),
      el("includeSystem", "knb"),
      el("datasetReport", datasetChecks(one).map(writeCheck)),
      one.entities.map((entity) =>
        el("entityReport", [
          el("entityName", entity.description.name),
          el("entityId", entity.id),
          entityChecks(entity).map(writeCheck),
        ]),
      ),
    ],
  );
}

function secondsBefore(time: string, seconds: number): string {
  const second = Date.parse(`${time.slice(0, 19)}Z`) - seconds * 1000;
  return new Date(second).toISOString().slice(0, 19);
}

function writeCheck(check: Check): Element {
  const { type, system, severity } = check;
  return el("qualityCheck", { qualityType: type, system, statusType: severity }, [
    el("identifier", check.identifier),
    el("name", check.name),
    el("description", check.description),
    el("expected", check.expected),
    el("found", check.found),
    el("status", check.passed && severity !== "info" ? "valid" : severity),
    el("explanation", check.explanation ?? ""),
    el("suggestion", check.suggestion ?? ""),
    el("reference", ""),
  ]);
}

function datasetChecks(one: Package): Check[] {
  const { title, methods, coverage } = one.description.dataset;
  const words = title.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return [
    {
      type: "metadata",
      system: "knb",
      severity: "error",
      identifier: "packageIdPattern",
      name: 'packageId pattern matches "scope.identifier.revision"',
      description: "Check the form of the packageId attribute",
      expected: "A string, an integer and an integer joined by dots",
      found: one.id,
      passed: true,
    },
    {
      type: "metadata",
      system: "lter",
      severity: "warn",
      identifier: "titleLength",
      name: "Dataset title length is at least 5 words",
      description: "Titles should say what, where and when",
      expected: "Between 7 and 20 words",
      found: `${words} words`,
      passed: words >= 5,
      ...(words >= 5 ? {} : { suggestion: "Say where and when the data were taken" }),
    },
    ...(methods === undefined ? [absent("methodsElementPresent", "A methods element")] : []),
    ...(coverage?.boxes === undefined
      ? [absent("geographicCoveragePresent", "A geographic coverage")]
      : []),
  ];
}

function absent(identifier: string, expected: string): Check {
  return {
    type: "metadata",
    system: "lter",
    severity: "warn",
    identifier,
    name: `${expected} is present`,
    description: "Look for the element",
    expected,
    found: "none",
    passed: false,
    explanation: "Readers cannot judge the data without it",
    suggestion: "Add it",
  };
}

function entityChecks({ description, content }: PlacedEntity): Check[] {
  const { layout, records, attributes } = description;
  // A file on disk was counted when it was made.
  if (layout === undefined || layout.widths !== undefined) {
    return [];
  }
  const rows = "bytes" in content ? dataRows(content.bytes, layout) : undefined;
  const header = "bytes" in content ? headerNames(content.bytes, layout) : undefined;
  const names = (attributes ?? []).map((one: Attribute | string) =>
    typeof one === "string" ? undefined : one.name,
  );
  return [
    {
      type: "congruency",
      system: "knb",
      severity: "warn",
      identifier: "numberOfRecords",
      name: "Number of data rows matches numberOfRecords",
      description: "Compare counted rows with the metadata",
      expected: String(records ?? ""),
      found: String(rows?.length ?? records ?? ""),
      passed: rows === undefined || rows.length === records,
      ...(rows === undefined || rows.length === records
        ? {}
        : { explanation: "Lines were counted; a quoted line break makes two lines of one record" }),
    },
    {
      type: "data",
      system: "knb",
      severity: "info",
      identifier: "dataRowLength",
      name: "First rows are shown",
      description: "Display the start of the table",
      expected: "Informational",
      found: rows?.[0] ?? "too large to show",
      passed: true,
    },
    ...(header === undefined || header.length === names.length
      ? []
      : [
          {
            type: "congruency",
            system: "knb",
            severity: "error",
            identifier: "headerRowAttributeNames",
            name: "The header has as many columns as the metadata",
            description: "Compare the header with the attribute names",
            expected: `${names.length} columns`,
            found: `${header.length} columns`,
            passed: false,
            explanation: "Columns without a description cannot be read safely",
            suggestion: "Describe every column",
          } satisfies Check,
        ]),
  ];
}

const DELIMITERS: Readonly<Record<string, string>> = { "#x09": "\t", "#x20": " " };

function dataRows(bytes: Buffer, layout: TextLayout): string[] {
  const lines = bytes.toString("latin1").split(/\r?\n/);
  return lines.slice(layout.headerLines ?? 0, lines.length - 1 - (layout.footerLines ?? 0));
}

function headerNames(bytes: Buffer, layout: TextLayout): string[] | undefined {
  if (layout.headerLines !== 1 || layout.orientation === "row") {
    return undefined;
  }
  const delimiter = DELIMITERS[layout.fieldDelimiter ?? ","] ?? layout.fieldDelimiter ?? ",";
  const [header = ""] = bytes.toString("latin1").split(/\r?\n/);
  const collapse = layout.collapseDelimiters === "yes";
  return header.split(delimiter).filter((name) => !collapse || name !== "");
}
