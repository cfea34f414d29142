import { describe, expect, test } from "vitest";
import { compareDocuments } from "../../codegen/drift/compare.ts";
import type { Finding, Level } from "../../codegen/drift/finding.ts";
import { usesOf } from "../../codegen/drift/uses.ts";
import { ionworksDocument, ionworksPlan, type LooseDocument } from "../helpers/ionworks-plan.ts";

const server = usesOf(await ionworksPlan());

function drift(edit: (document: LooseDocument) => void): Finding[] {
  const next = ionworksDocument();
  edit(next);
  return compareDocuments(ionworksDocument(), next, server);
}

const get = (document: LooseDocument, path: string) => document.paths[path].get;
const schemas = (document: LooseDocument) => document.components.schemas;
const parameters = (document: LooseDocument) => document.components.parameters;

function parameter(document: LooseDocument, path: string, name: string) {
  return get(document, path).parameters.find((entry: LooseDocument) => entry.name === name);
}

function rename(owner: LooseDocument, from: string, to: string): void {
  owner[to] = owner[from];
  delete owner[from];
}

const SPECS = "/cell_specifications";
const MEASUREMENT = "/cell_measurements/{measurement_id}";
const SERIES = `${MEASUREMENT}/time_series/download`;
const STEPS = `${MEASUREMENT}/steps/download`;
const CYCLES = `${MEASUREMENT}/cycles`;
const DATASETS = "/material_property_datasets";
const DATA = `${DATASETS}/{property_id}/data`;

const PAGE_TOOLS_OF_1000 = ["list_cell_instances", "list_cell_specs", "list_measurements"];
const TABLES = ["get_measurement_cycles", "get_measurement_steps", "get_measurement_time_series"];
const EVERY_TOOL = server.operations.filter(({ own }) => own).map(({ tool }) => tool);

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
    (d) => {
      const list = get(d, SPECS).parameters;
      list.splice(
        list.findIndex((entry: LooseDocument) => entry.name === "form_factor"),
        1,
      );
    },
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

/** Edits that tools survive: the level and what is said. */
const HARMLESS_BUT_SAID: [
  string,
  (document: LooseDocument) => void,
  Level,
  string | null,
  RegExp,
][] = [
  [
    "a new optional parameter",
    (d) => get(d, SPECS).parameters.push({ name: "tag", in: "query", schema: { type: "string" } }),
    "additive",
    "list_cell_specs",
    /new optional query parameter "tag"/,
  ],
  [
    "a new field",
    (d) => {
      schemas(d).Material.properties.cas_number = { type: "string" };
    },
    "additive",
    "get_material",
    /new field \/cas_number/,
  ],
  [
    "a new enum value",
    (d) => schemas(d).MeasurementType.enum.push("image"),
    "additive",
    "list_measurements",
    /new enum value image/,
  ],
  [
    "a parameter that is no longer required",
    (d) => {
      parameter(d, "/materials", "project_id").required = false;
    },
    "additive",
    "list_materials",
    /"project_id" no longer required/,
  ],
  [
    "a new public read operation",
    (d) => {
      d.paths["/batteries"] = {
        get: { operationId: "list_batteries", "x-hidden": false, responses: {} },
      };
    },
    "additive",
    null,
    /new public read operation GET \/batteries \(list_batteries\)/,
  ],
  [
    "an operation that became public",
    (d) => {
      get(d, "/users/me")["x-hidden"] = false;
    },
    "additive",
    null,
    /new public read operation GET \/users\/me/,
  ],
  [
    "a description",
    (d) => {
      get(d, CYCLES).description = "Now in other words.";
    },
    "note",
    "get_measurement_cycles",
    /description changed/,
  ],
  [
    "deprecation",
    (d) => {
      get(d, SERIES).deprecated = true;
    },
    "note",
    "get_measurement_time_series",
    /operation now deprecated/,
  ],
  [
    "a field that no tool reads gone",
    (d) => delete schemas(d).CellInstance.properties.created_at,
    "note",
    "get_cell_instance",
    /field \/created_at gone; no tool depends on it/,
  ],
  [
    "another type of a field that no tool reads",
    (d) => {
      schemas(d).Material.properties.name = { type: "integer" };
    },
    "note",
    "get_material",
    /field \/name: type changed from string to integer; no tool depends on it/,
  ],
  [
    "a parameter that no tool sends gone",
    (d) => {
      const list = get(d, SPECS).parameters;
      list.splice(
        list.findIndex((entry: LooseDocument) => entry.name === "exclude_cell_spec_id"),
        1,
      );
    },
    "note",
    "list_cell_specs",
    /query parameter "exclude_cell_spec_id" gone/,
  ],
  [
    "a maximum raised",
    (d) => {
      parameters(d).Limit1000.schema.maximum = 5000;
    },
    "note",
    "list_cell_specs",
    /maximum changed from 1000 to 5000/,
  ],
];

function inlined(value: LooseDocument, document: LooseDocument, depth = 0): LooseDocument {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((entry) => inlined(entry, document, depth));
  }
  if (typeof value["$ref"] === "string" && depth < 6) {
    const { $ref, ...siblings } = value as { $ref: string };
    const target = $ref
      .slice(2)
      .split("/")
      .reduce((owner: LooseDocument, key: string) => owner[key], document);
    return { ...inlined(target, document, depth + 1), ...siblings };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, inlined(member, document, depth)]),
  );
}

function reversed(value: LooseDocument): LooseDocument {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return Array.isArray(value) ? value.map(reversed) : value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, reversed(member)])
      .reverse(),
  );
}

function eachObject(value: LooseDocument, visit: (object: LooseDocument) => void): void {
  if (typeof value === "object" && value !== null) {
    if (!Array.isArray(value)) {
      visit(value);
    }
    Object.values(value).forEach((member) => {
      eachObject(member, visit);
    });
  }
}

const SILENT: [string, (document: LooseDocument) => LooseDocument][] = [
  ["nothing", (d) => d],
  ["the order of paths and of every member", reversed],
  ["every $ref inlined", (d) => ({ ...d, paths: inlined(d.paths, d) })],
  [
    "the order of parameters",
    (d) => {
      eachObject(d.paths, (object) => {
        if (Array.isArray(object.parameters)) {
          object.parameters.reverse();
        }
      });
      return d;
    },
  ],
  [
    "examples, titles, tags and extensions",
    (d) => {
      eachObject(d.paths, (object) => {
        if (object.responses !== undefined) {
          object.tags = ["Other"];
          object["x-owner"] = "someone";
        }
        delete object.examples;
        delete object.example;
      });
      return { ...d, info: { title: "Other", version: "99" }, tags: [] };
    },
  ],
  [
    "nullable types as unions with null",
    (d) => {
      eachObject(d.components.schemas, (object) => {
        if (
          Array.isArray(object.type) &&
          object.type.includes("null") &&
          object.type.length === 2
        ) {
          const { type, description, ...rest } = object;
          for (const key of Object.keys(object)) {
            delete object[key];
          }
          const [name] = type.filter((one: string) => one !== "null");
          Object.assign(object, {
            description,
            anyOf: [{ ...rest, type: name }, { type: "null" }],
          });
        }
      });
      return d;
    },
  ],
  [
    "operations that are in no tool: gone, hidden, changed",
    (d) => {
      delete d.paths["/cell_batches"];
      d.paths["/users/me"].get.parameters = [
        { name: "x", in: "query", required: true, schema: { type: "string" } },
      ];
      delete d.components.requestBodies;
      return d;
    },
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

  test.each(HARMLESS_BUT_SAID)(
    "%s breaks nothing and is said",
    (_title, edit, level, tool, said) => {
      const findings = drift(edit);
      expect(findings.filter((finding) => finding.level === "breaking")).toEqual([]);
      const found = findings.find((finding) => finding.tool === tool && said.test(finding.message));
      expect(found?.level).toBe(level);
      expect(found?.pointer).toMatch(/^\//);
    },
  );

  test.each(SILENT)("%s is no difference", (_title, edit) => {
    const next = edit(ionworksDocument());
    expect(compareDocuments(ionworksDocument(), next, server)).toEqual([]);
  });

  test("a maximum of 500 is a note to a tool that sends 200 at most, and breaks one that sends 1000", () => {
    const next = ionworksDocument();
    parameters(next).Limit1000.schema.maximum = 500;
    const judged = (most: number) => {
      const operations = server.operations
        .filter(({ tool }) => tool === "list_cell_specs")
        .map((operation) => ({
          ...operation,
          parameters: operation.parameters.map((sent) =>
            sent.name === "limit" ? { ...sent, sends: { type: "integer", maximum: most } } : sent,
          ),
        }));
      return compareDocuments(ionworksDocument(), next, { ...server, operations });
    };
    expect(judged(200).map(({ level, message }) => [level, message])).toEqual([
      ["note", 'query parameter "limit": maximum changed from 1000 to 500'],
    ]);
    expect(judged(1000).map(({ level }) => level)).toEqual(["breaking"]);
  });

  test("a fixed value breaks when the document refuses it, and only then", () => {
    const operations = server.operations
      .filter(({ tool }) => tool === "list_measurements")
      .map((operation) => ({
        ...operation,
        parameters: operation.parameters.map((sent) =>
          sent.name === "measurement_type" ? { ...sent, fixed: "time_series" } : sent,
        ),
      }));
    const breaking = (left: readonly string[]) => {
      const next = ionworksDocument();
      parameters(next).MeasurementTypeFilter.schema = { type: "string", enum: left };
      return compareDocuments(ionworksDocument(), next, { ...server, operations }).filter(
        ({ level }) => level === "breaking",
      );
    };
    expect(breaking(["time_series"])).toEqual([]);
    expect(breaking(["file"]).map(({ message }) => message)).toEqual([
      'query parameter "measurement_type": the fixed value time_series is no longer accepted: accepted now: file; change the fixed value in the manifest',
    ]);
  });

  test("25 new public reads are one finding that names ten of them", () => {
    const findings = drift((d) => {
      for (let index = 0; index < 25; index += 1) {
        d.paths[`/new_${index}`] = { get: { operationId: `new_${index}`, "x-hidden": false } };
      }
      d.paths["/secret"] = { get: { operationId: "secret", "x-hidden": true } };
      d.paths["/write"] = { post: { operationId: "write", "x-hidden": false } };
    });
    expect(findings).toHaveLength(1);
    expect(findings[0]?.message).toMatch(/^25 new public read operations .* and 15 more$/);
    expect(findings[0]?.message).not.toMatch(/secret|write/);
  });

  test("the same findings in the same order whatever the order of the new document", () => {
    const edit = (d: LooseDocument) => {
      parameters(d).Limit1000.name = "page_size";
      delete schemas(d).CellMeasurement.properties.processing_status;
      schemas(d).Material.properties.cas_number = { type: "string" };
    };
    const next = ionworksDocument();
    edit(next);
    const messages = (document: LooseDocument) =>
      compareDocuments(ionworksDocument(), document, server).map((f) => [
        f.level,
        f.tool,
        f.message,
      ]);
    expect(messages(reversed(next))).toEqual(messages(next));
  });

  test("a name with control characters and line ends stays in one line of a message", () => {
    const [finding] = drift((d) => {
      d.paths["/x"] = { get: { operationId: "a\u001b[31m\n::error::b", "x-hidden": false } };
    });
    expect(finding?.operation).toBe("a [31m ::error::b");
    expect(finding?.message).toBe(
      "new public read operation GET /x (a [31m ::error::b) is not in the manifest",
    );
  });

  test("a schema that contains itself is compared once", () => {
    const findings = drift((d) => {
      schemas(d).Material.properties.parts = {
        type: "array",
        items: { $ref: "#/components/schemas/Material" },
      };
    });
    expect(findings.every(({ level }) => level === "additive")).toBe(true);
  });
});
