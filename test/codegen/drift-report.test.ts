import { describe, expect, test } from "vitest";
import type { Finding } from "../../codegen/drift/finding.ts";
import { type CheckReport, formatReport } from "../../codegen/drift/report.ts";

const FINDINGS: readonly Finding[] = [
  {
    level: "breaking",
    tool: "list_materials",
    operation: "list_materials",
    pointer: "/components/parameters/Limit100",
    message: 'query parameter "limit" renamed to "page, size": 100% of it',
  },
  {
    level: "breaking",
    tool: "list_cell_specs",
    operation: "list_cell_specifications",
    pointer: "/components/parameters/Limit100",
    message: 'query parameter "limit" renamed to "page, size": 100% of it',
  },
  {
    level: "additive",
    tool: null,
    operation: "get_thing",
    pointer: "/paths/~1thing/get",
    message: "new public read operation GET /thing (get_thing)\nis not in the manifest",
  },
  { level: "note", tool: "get_material", operation: "get_material", pointer: null, message: "m" },
];

const REPORT: CheckReport = {
  stale: [{ file: "generated/ionworks/tools.ts", state: "changed" }],
  findings: FINDINGS,
  good: "no difference that matters",
  compared: "openapi/ionworks.yaml against new.json",
  manifest: "sub/tools.manifest.yaml",
  folder: "sub/",
  lines: new Map([["list_materials", 41]]),
};

/** Undoes the escaping of a workflow command, as the runner does. */
function parseAnnotation(line: string) {
  const [, command = "", properties = "", data = ""] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? [];
  const plain = (text: string) =>
    text
      .replaceAll("%3A", ":")
      .replaceAll("%2C", ",")
      .replaceAll("%0A", "\n")
      .replaceAll("%0D", "\r")
      .replaceAll("%25", "%");
  const pairs = properties.split(",").map((pair) => pair.split("="));
  return {
    command,
    properties: Object.fromEntries(pairs.map(([key, value]) => [key, plain(value ?? "")])),
    message: plain(data),
  };
}

describe("formatReport", () => {
  test("text names level, tools, operation, place, and groups two tools under one difference", () => {
    expect(formatReport(REPORT, "text")).toBe(
      [
        "stale     sub/generated/ionworks/tools.ts is not what the manifest and the document give",
        "hint: run vitrine generate and commit what it writes",
        "breaking  list_materials, list_cell_specs (list_materials, list_cell_specifications)",
        '          query parameter "limit" renamed to "page, size": 100% of it',
        "          at #/components/parameters/Limit100",
        "additive  - (get_thing)",
        "          new public read operation GET /thing (get_thing)",
        "          is not in the manifest",
        "          at #/paths/~1thing/get",
        "note      get_material (get_material)",
        "          m",
        "openapi/ionworks.yaml against new.json: 1 breaking, 1 additive, 1 note",
        "",
      ].join("\n"),
    );
  });

  test("json has stale and findings and every key of a finding, null where there is none", () => {
    const parsed = JSON.parse(formatReport(REPORT, "json"));
    expect(Object.keys(parsed)).toEqual(["stale", "findings"]);
    expect(parsed.stale).toEqual([{ file: "generated/ionworks/tools.ts", state: "changed" }]);
    expect(parsed.findings).toEqual(FINDINGS);
    for (const finding of parsed.findings) {
      expect(Object.keys(finding)).toEqual(["level", "tool", "operation", "pointer", "message"]);
    }
  });

  test("github starts every line with ::error, ::warning or ::notice and escapes % , : and line ends", () => {
    const lines = formatReport(REPORT, "github").trimEnd().split("\n");
    expect(lines.map((line) => /^::(\w+) /.exec(line)?.[1])).toEqual([
      "error",
      "error",
      "warning",
      "notice",
    ]);
    expect(lines[1]).toContain("100%25 of it");
    expect(lines[1]).toContain("title=breaking%3A list_materials%2C list_cell_specs::");
    expect(lines[2]).toContain("(get_thing)%0Ais not in the manifest");
    const annotation = parseAnnotation(lines[1] ?? "");
    expect(annotation.properties).toEqual({
      file: "sub/tools.manifest.yaml",
      line: "41",
      title: "breaking: list_materials, list_cell_specs",
    });
    expect(annotation.message).toBe(
      'query parameter "limit" renamed to "page, size": 100% of it (operation list_materials, list_cell_specifications) at #/components/parameters/Limit100',
    );
  });

  test("nothing found is an empty list in json, no line in github, one line in text", () => {
    const nothing = { ...REPORT, stale: [], findings: [] };
    expect(JSON.parse(formatReport(nothing, "json"))).toEqual({ stale: [], findings: [] });
    expect(formatReport(nothing, "github")).toBe("");
    expect(formatReport(nothing, "text").split("\n")).toHaveLength(2);
  });

  test("of 25 notes text and github show 20 and count the other 5, json has all", () => {
    const findings = Array.from(
      { length: 25 },
      (_, index): Finding => ({
        level: "note",
        tool: "get_material",
        operation: "get_material",
        pointer: `/paths/${index}`,
        message: "description changed",
      }),
    );
    const report = { ...REPORT, stale: [], findings };
    expect(formatReport(report, "text")).toContain("5 more notes");
    expect(formatReport(report, "text")).toContain("0 breaking, 0 additive, 25 notes");
    expect(formatReport(report, "github").trimEnd().split("\n")).toHaveLength(21);
    expect(JSON.parse(formatReport(report, "json")).findings).toHaveLength(25);
  });
});
