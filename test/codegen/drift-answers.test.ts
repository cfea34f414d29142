import { describe, expect, test } from "vitest";
import { DATA, drift, get, rename, STEPS, schemas, server } from "../helpers/ionworks-edits.ts";
import type { LooseDocument } from "../helpers/ionworks-plan.ts";

const TABLES = ["get_measurement_cycles", "get_measurement_steps", "get_measurement_time_series"];
const EVERY_TOOL = server.operations.filter(({ own }) => own).map(({ tool }) => tool);

/** What was done to the document, the tools that break and what is said about them. */
const BREAKING: [string, (document: LooseDocument) => void, readonly string[], RegExp][] = [
  [
    "a list without its envelope",
    (d) => {
      schemas(d).MaterialPage = { type: "array", items: { $ref: "#/components/schemas/Material" } };
    },
    ["list_materials"],
    /answer: type changed from object to array of object/,
  ],
  [
    "the items of a page renamed",
    (d) => rename(schemas(d).MaterialPage.properties, "items", "materials"),
    ["list_materials"],
    /field \/items renamed to \/materials; edit result\.items/,
  ],
  [
    "the total of a page gone",
    (d) => delete schemas(d).CellSpecificationPage.properties.total,
    ["list_cell_specs"],
    /field \/total gone; edit result\.total/,
  ],
  [
    "the total of a page as text",
    (d) => {
      schemas(d).CellInstancePage.properties.total = { type: "string" };
    },
    ["list_cell_instances"],
    /field \/total: type changed from integer to string/,
  ],
  [
    "the columns of a table under another name",
    (d) => rename(schemas(d).CyclesEnvelope.properties, "cycles", "data"),
    ["get_measurement_cycles"],
    /field \/cycles renamed to \/data; edit result\.at/,
  ],
  [
    "a table of rows instead of columns",
    (d) => {
      schemas(d).CyclesEnvelope.properties.cycles = { type: "array", items: { type: "object" } };
    },
    ["get_measurement_cycles"],
    /field \/cycles: type changed from object to array of object/,
  ],
  [
    "the columns' units under another name",
    (d) => rename(schemas(d).ColumnSpec.properties, "unit", "unit_label"),
    ["get_material_property_data"],
    /field \/columns\/\*\/unit renamed to \/columns\/\*\/unit_label/,
  ],
  [
    "the list of columns gone from the record that gives units",
    (d) => delete schemas(d).MaterialPropertyDataset.properties.columns,
    ["get_material_property_data"],
    /field \/columns gone/,
  ],
  [
    "the state that explains failures gone",
    (d) => delete schemas(d).CellMeasurement.properties.processing_status,
    TABLES,
    /field \/processing_status gone/,
  ],
  [
    "a record that becomes a list",
    (d) => {
      get(d, "/materials/{material_id}").responses["200"].content["application/json"].schema = {
        type: "array",
        items: { $ref: "#/components/schemas/Material" },
      };
    },
    ["get_material"],
    /answer: type changed from object to array of object/,
  ],
  [
    "a table in another media type",
    (d) => rename(get(d, DATA).responses["200"].content, "application/json", "text/csv"),
    ["get_material_property_data"],
    /media type changed from application\/json to text\/csv/,
  ],
  [
    "a file that becomes JSON",
    (d) => {
      get(d, STEPS).responses = {
        "200": {
          description: "d",
          content: { "application/json": { schema: { type: "object" } } },
        },
      };
    },
    ["get_measurement_steps"],
    /no longer a redirect to a file|media type changed from application\/octet-stream/,
  ],
  [
    "a reference that leads nowhere",
    (d) => {
      schemas(d).Material.properties.supplier = { $ref: "#/components/schemas/Supplier" };
    },
    ["get_cell_spec", "get_material", "list_cell_specs", "list_materials"],
    /the reference "#\/components\/schemas\/Supplier" leads nowhere: no tool can be generated from it/,
  ],
  [
    "a key in another header",
    (d) => {
      d.components.securitySchemes.ApiKeyAuth.name = "Authorization";
    },
    EVERY_TOOL,
    /credential ApiKeyAuth moved from header X-API-Key to header Authorization/,
  ],
  [
    "a security scheme renamed",
    (d) => {
      rename(d.components.securitySchemes, "ApiKeyAuth", "APIKeyHeader");
      d.security[0] = { APIKeyHeader: [] };
    },
    EVERY_TOOL,
    /security scheme renamed from ApiKeyAuth to APIKeyHeader/,
  ],
  [
    "an operation that takes another credential",
    (d) => {
      d.components.securitySchemes.Session = { type: "apiKey", in: "cookie", name: "sid" };
      get(d, "/materials").security = [{ Session: [] }];
    },
    ["list_materials"],
    /credential ApiKeyAuth \(header X-API-Key\) no longer accepted; accepted now: Session/,
  ],
  [
    "another server address",
    (d) => {
      d.servers = [{ url: "https://api.ionworks.com/v2" }];
    },
    EVERY_TOOL,
    /server address changed from https:\/\/api\.ionworks\.com to https:\/\/api\.ionworks\.com\/v2/,
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
