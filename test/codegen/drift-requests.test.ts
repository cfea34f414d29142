import { describe, expect, test } from "vitest";
import {
  CYCLES,
  DATASETS,
  drift,
  get,
  MEASUREMENT,
  parameter,
  parameters,
  removeParameter,
  rename,
  SERIES,
  SPECS,
  STEPS,
} from "../helpers/ionworks-edits.ts";
import type { LooseDocument } from "../helpers/ionworks-plan.ts";

const PAGE_TOOLS_OF_1000 = ["list_cell_instances", "list_cell_specs", "list_measurements"];
const TABLES = ["get_measurement_cycles", "get_measurement_steps", "get_measurement_time_series"];

/** What was done to the document, the tools that break and what is said about them. */
const BREAKING: [string, (document: LooseDocument) => void, readonly string[], RegExp][] = [
  [
    "an operation gone",
    (d) => delete d.paths["/materials/{material_id}"].get,
    ["get_material"],
    /operation GET \/materials\/\{material_id\} \(get_material\) gone; remove the tool/,
  ],
  [
    "an operation hidden",
    (d) => {
      get(d, CYCLES)["x-hidden"] = true;
    },
    ["get_measurement_cycles"],
    /operation hidden: x-hidden is true, not false/,
  ],
  [
    "an operation without the mark of a public one",
    (d) => delete get(d, SPECS)["x-hidden"],
    ["list_cell_specs"],
    /operation hidden: x-hidden is missing, not false/,
  ],
  [
    "an operation moved to another path",
    (d) => rename(d.paths, "/materials", "/v2/materials"),
    ["list_materials"],
    /operation moved from \/materials to \/v2\/materials/,
  ],
  [
    "an operation moved below another parameter",
    (d) => rename(d.paths, MEASUREMENT, "/measurements/{measurement_id}"),
    ["get_measurement", ...TABLES],
    /operation moved from \/cell_measurements/,
  ],
  [
    "an operation renamed",
    (d) => {
      get(d, "/cell_instances/{cell_instance_id}").operationId = "read_cell_instance";
    },
    ["get_cell_instance"],
    /operation renamed from get_cell_instance to read_cell_instance/,
  ],
  [
    "an operation renamed and moved",
    (d) => {
      rename(d.paths, DATASETS, "/property_datasets");
      get(d, "/property_datasets").operationId = "list_property_datasets";
    },
    ["list_material_property_datasets"],
    /gone; GET \/property_datasets \(list_property_datasets\) looks like its new name/,
  ],
  [
    "another method",
    (d) => rename(d.paths[CYCLES], "get", "post"),
    ["get_measurement_cycles"],
    /method changed from GET to POST/,
  ],
  [
    "another method and operationId",
    (d) => {
      rename(d.paths[CYCLES], "get", "post");
      d.paths[CYCLES].post.operationId = "query_cycles";
    },
    ["get_measurement_cycles"],
    /method changed from GET to POST, operation renamed to query_cycles/,
  ],
  [
    "two operations that change places",
    (d) => {
      const [series, steps] = [get(d, SERIES), get(d, STEPS)];
      d.paths[SERIES].get = steps;
      d.paths[STEPS].get = series;
    },
    ["get_measurement_steps", "get_measurement_time_series"],
    /operation moved from/,
  ],
  [
    "a query parameter gone",
    (d) => removeParameter(d, SPECS, "form_factor"),
    ["list_cell_specs"],
    /query parameter "form_factor" gone.*argument "form_factor"/,
  ],
  [
    "a query parameter renamed",
    (d) => {
      parameters(d).Limit1000.name = "page_size";
    },
    PAGE_TOOLS_OF_1000,
    /query parameter "limit" renamed to "page_size"/,
  ],
  [
    "a path parameter renamed",
    (d) => {
      rename(d.paths, "/materials/{material_id}", "/materials/{id}");
      parameters(d).MaterialId.name = "id";
    },
    ["get_material"],
    /path parameter "material_id" renamed to "id"/,
  ],
  [
    "a parameter moved to a header",
    (d) => {
      parameter(d, "/materials", "project_id").in = "header";
    },
    ["list_materials"],
    /query parameter "project_id" moved to header/,
  ],
  [
    "a parameter newly required",
    (d) => {
      parameter(d, SPECS, "form_factor").required = true;
    },
    ["list_cell_specs"],
    /query parameter "form_factor" newly required; make the argument "form_factor" required/,
  ],
  [
    "a required parameter that is new",
    (d) => {
      get(d, CYCLES).parameters = [
        { name: "workspace", in: "query", required: true, schema: { type: "string" } },
      ];
    },
    ["get_measurement_cycles"],
    /new required query parameter "workspace"/,
  ],
  [
    "a required parameter of the whole path that is new",
    (d) => {
      d.paths[SERIES].parameters.push({
        name: "X-Tenant",
        in: "header",
        required: true,
        schema: { type: "string" },
      });
    },
    ["get_measurement_time_series"],
    /new required header parameter "X-Tenant"/,
  ],
  [
    "another style",
    (d) => {
      parameters(d).MeasurementId.style = "label";
    },
    ["get_measurement", ...TABLES],
    /path parameter "measurement_id" written otherwise: from style simple, explode false to style label/,
  ],
  [
    "another type of a query parameter",
    (d) => {
      parameters(d).Offset.schema = { type: "string" };
    },
    [...PAGE_TOOLS_OF_1000, "list_material_property_datasets", "list_materials"],
    /query parameter "offset": type changed from integer to string/,
  ],
  [
    "another type of a path parameter",
    (d) => {
      parameters(d).PropertyId.schema = { type: "integer" };
    },
    ["get_material_property_data", "get_material_property_dataset"],
    /path parameter "property_id": type changed from string to integer/,
  ],
  [
    "a query parameter that takes a list now",
    (d) => {
      parameter(d, SPECS, "form_factor").schema = { type: "array", items: { type: "string" } };
    },
    ["list_cell_specs"],
    /type changed from string to array of string/,
  ],
  [
    "an enum value gone",
    (d) => {
      parameters(d).MeasurementTypeFilter.schema = {
        type: "string",
        enum: ["time_series", "file"],
      };
    },
    ["list_measurements"],
    /query parameter "measurement_type": enum value properties gone; left: time_series, file/,
  ],
  [
    "an enum where any value was taken",
    (d) => {
      parameter(d, SPECS, "form_factor").schema.enum = ["eq.CYLINDRICAL", "eq.POUCH"];
    },
    ["list_cell_specs"],
    /only eq\.CYLINDRICAL, eq\.POUCH accepted, before any value/,
  ],
  [
    "a maximum lowered below what the pages use",
    (d) => {
      parameters(d).Limit1000.schema.maximum = 200;
    },
    PAGE_TOOLS_OF_1000,
    /query parameter "limit": maximum changed from 1000 to 200/,
  ],
  [
    "a shortest length",
    (d) => {
      parameters(d).NameFilter.schema.minLength = 30;
    },
    [...PAGE_TOOLS_OF_1000, "list_materials"],
    /query parameter "name": minLength changed from none to 30/,
  ],
];

describe("compareDocuments", () => {
  test.each(BREAKING)(
    "%s breaks the tools that use it, and no other",
    (_title, edit, tools, said) => {
      const breaking = drift(edit).filter(({ level }) => level === "breaking");
      expect([...new Set(breaking.map(({ tool }) => tool))].sort()).toEqual([...tools].sort());
      for (const tool of tools) {
        const messages = breaking.filter((finding) => finding.tool === tool).map((f) => f.message);
        expect(messages.join("\n")).toMatch(said);
      }
    },
  );
});
