import { afterEach, describe, expect, test } from "vitest";
import { type CheckResult, runCheck } from "../../codegen/check.ts";
import { compareDocuments } from "../../codegen/drift/compare.ts";
import { server } from "../helpers/ionworks-edits.ts";
import { ionworksDocument, type LooseDocument } from "../helpers/ionworks-plan.ts";
import { makeSmallProject, type SmallProject } from "../helpers/small-project.ts";

const made: SmallProject[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((project) => project.remove()));
});

/** Check of a project that committed one document against another one. */
async function check(committed: LooseDocument, next: LooseDocument): Promise<CheckResult> {
  const project = await makeSmallProject(committed);
  made.push(project);
  const against = await project.write("next.json", next);
  return runCheck({ manifest: project.manifest, against, format: "json" });
}

/** The committed document as the API was in July 2026. */
function julyDocument(): LooseDocument {
  const document = ionworksDocument();
  const { schemas } = document.components;
  const materials = document.paths["/materials"].get;
  materials.parameters = [
    {
      name: "project_id",
      in: "query",
      description: "Scopes property_count.",
      schema: { type: "string" },
    },
    { name: "include_system", in: "query", schema: { type: "boolean", default: true } },
    ...materials.parameters.filter((parameter: LooseDocument) =>
      ["Limit100", "Offset"].some((name) => parameter.$ref?.endsWith(`/${name}`)),
    ),
  ];
  expect(materials.parameters).toHaveLength(4);
  for (const path of Object.keys(document.paths)) {
    if (path.startsWith("/cell_batches")) {
      delete document.paths[path];
    }
  }
  const withoutFilter = (path: string, names: readonly string[]): void => {
    const { get } = document.paths[path];
    get.parameters = get.parameters.filter(
      ({ name, $ref = "" }: LooseDocument) => !names.includes(name ?? $ref.split("/").pop()),
    );
  };
  withoutFilter("/cell_specifications/{cell_spec_id}/cell_instances", ["batch_id"]);
  withoutFilter("/cell_instances/{cell_instance_id}/cell_measurements", ["TagsAll", "TagsAny"]);
  delete schemas.CellInstance.properties.batch_id;
  delete schemas.CellInstance.properties.batch_name;
  schemas.CellInstance.properties.batch = { type: ["string", "null"], description: "Batch." };
  for (const name of ["tags", "processing_status", "processing_error"]) {
    delete schemas.CellMeasurement.properties[name];
  }
  return document;
}

describe("runCheck over the API's history", () => {
  test("from July 2026 to now, project_id of list_materials is the one break", async () => {
    const result = await check(julyDocument(), ionworksDocument());
    const { findings } = JSON.parse(result.output);
    const of = (level: string) =>
      findings.filter((finding: LooseDocument) => finding.level === level);
    expect(result.exitCode).toBe(1);
    expect(of("breaking")).toEqual([
      {
        level: "breaking",
        tool: "list_materials",
        operation: "list_materials",
        pointer: "/paths/~1materials/get/parameters/0",
        message:
          'query parameter "project_id" newly required; make the argument "project_id" required',
      },
    ]);
    const additive = of("additive").map(({ message }: LooseDocument) => message);
    expect(additive).toContain('new optional query parameter "name"');
    expect(
      additive.filter((text: string) => /^new public read .*cell_batches/.test(text)),
    ).not.toEqual([]);
    expect(of("note").map(({ message }: LooseDocument) => message)).toContain(
      'query parameter "include_system" gone',
    );
  });

  test("from now back to July, the tools that use what came since break, each where it does", () => {
    const breaking = compareDocuments(ionworksDocument(), julyDocument(), server).filter(
      ({ level }) => level === "breaking",
    );
    const places: Record<string, (string | undefined)[]> = {};
    for (const { tool, message } of breaking) {
      const place = /"\w+"|\/\w+/.exec(message)?.[0];
      places[tool ?? ""] = [...(places[tool ?? ""] ?? []), place];
    }
    expect(places).toEqual({
      get_measurement_cycles: ["/processing_error", "/processing_status"],
      get_measurement_steps: ["/processing_error", "/processing_status"],
      get_measurement_time_series: ["/processing_error", "/processing_status"],
      list_cell_instances: ['"batch_id"'],
      list_materials: expect.arrayContaining(['"name"']),
      list_measurements: ['"tags_all"', '"tags_any"'],
    });
  });

  test("from an envelope to a bare list, list_materials breaks at its items", async () => {
    const early = ionworksDocument();
    const { MaterialPage } = early.components.schemas;
    const next = ionworksDocument();
    next.components.schemas.MaterialPage = MaterialPage.properties.items;
    const result = await check(early, next);
    const { findings } = JSON.parse(result.output);
    expect(
      findings.map(({ level, tool, message }: LooseDocument) => [level, tool, message]),
    ).toEqual([
      [
        "breaking",
        "list_materials",
        "answer: type changed from object to array of object; edit result.items in the manifest's entry",
      ],
    ]);
  });
});
