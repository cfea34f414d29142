import { describe, expect, test } from "vitest";
import { server } from "../../generated/ionworks/server.ts";
import { buildRequest } from "../../src/upstream/request.ts";

const ID = "6f1f7f0e-2c0a-4a53-9d0c-0d5d1d1b9c01";
const variables = new Map([["IONWORKS_PROJECT_ID", "p-1"]]);

/** `/path?query` that a tool sends for its arguments. */
function sent(name: string, args: object, variable = (_: string): string | undefined => undefined) {
  const tool = server.tools.find((one) => one.name === name);
  if (tool === undefined) {
    throw new Error(`no tool ${name}`);
  }
  const { path, query } = buildRequest(tool.operation, args as Record<string, unknown>, variable);
  return query === "" ? path : `${path}?${query}`;
}

describe("the requests of ionworks-mcp", () => {
  test.each([
    ["discover_capabilities", {}, "/discovery/capabilities"],
    [
      "list_cell_specs",
      { name: String.raw`50%_a\b`, form_factor: "18650", include_components: true, limit: 5 },
      "/cell_specifications?full=true&limit=5&name=ilike.%2550%5C%25%5C_a%5C%5Cb%25&form_factor=eq.18650",
    ],
    ["get_cell_spec", { cell_spec_id: ID }, `/cell_specifications/${ID}`],
    [
      "list_cell_instances",
      { cell_spec_id: ID, batch_id: "b", created_after: "2026-01-01", order_by: "name" },
      `/cell_specifications/${ID}/cell_instances?created_at_gt=2026-01-01&order_by=name&batch_id=b`,
    ],
    ["get_cell_instance", { cell_instance_id: ID }, `/cell_instances/${ID}`],
    [
      "list_measurements",
      {
        cell_instance_id: ID,
        measurement_type: "time_series",
        tags_all: ["a", "b c"],
        started_before: "2026-02-01T00:00:00Z",
      },
      `/cell_instances/${ID}/cell_measurements?measurement_type=time_series&tags_all=a&tags_all=b%20c&start_time_lt=2026-02-01T00%3A00%3A00Z`,
    ],
    ["get_measurement", { measurement_id: ID }, `/cell_measurements/${ID}`],
    [
      "get_measurement_time_series",
      { measurement_id: ID, limit: 5, columns: ["a"] },
      `/cell_measurements/${ID}/time_series/download`,
    ],
    ["get_measurement_steps", { measurement_id: ID }, `/cell_measurements/${ID}/steps/download`],
    ["get_measurement_cycles", { measurement_id: ID }, `/cell_measurements/${ID}/cycles`],
    [
      "list_materials",
      { project_id: "p", manufacturer: "BASF", offset: 10 },
      "/materials?project_id=p&offset=10&manufacturer=ilike.%25BASF%25",
    ],
    ["get_material", { material_id: ID }, `/materials/${ID}`],
    [
      "list_material_property_datasets",
      { material_id: ID },
      `/material_property_datasets?material_id=${ID}`,
    ],
    ["get_material_property_dataset", { dataset_id: ID }, `/material_property_datasets/${ID}`],
    ["get_material_property_data", { dataset_id: ID }, `/material_property_datasets/${ID}/data`],
  ])("%s %j", (name, args, request) => {
    expect(sent(name, args)).toBe(request);
  });

  test("take project_id from IONWORKS_PROJECT_ID where a call gives none", () => {
    const variable = (name: string) => variables.get(name);
    expect(sent("list_materials", {}, variable)).toBe("/materials?project_id=p-1");
    expect(sent("list_materials", { project_id: "p-2" }, variable)).toBe(
      "/materials?project_id=p-2",
    );
  });

  test("name the tool that shows a project's id where neither gives one", () => {
    expect(() => sent("list_materials", {})).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        hint: "Give project_id as list_cell_specs shows it, or set IONWORKS_PROJECT_ID in this server's configuration",
      }),
    );
  });

  test("of units and explanations are made from the tool's own argument", () => {
    const data = server.tools.find(({ name }) => name === "get_material_property_data");
    const units = data?.result.kind === "table" ? data.result.units : undefined;
    const series = server.tools.find(({ name }) => name === "get_measurement_time_series");
    const second = [
      units?.from === "record" ? units.operation : undefined,
      series?.explain?.operation,
    ].map((operation) =>
      operation === undefined
        ? undefined
        : buildRequest(operation, { dataset_id: "d", measurement_id: "m" }, () => undefined).path,
    );
    expect(second).toEqual(["/material_property_datasets/d", "/cell_measurements/m"]);
  });
});
