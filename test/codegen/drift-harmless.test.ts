import { describe, expect, test } from "vitest";
import { compareDocuments } from "../../codegen/drift/compare.ts";
import type { Level } from "../../codegen/drift/finding.ts";
import {
  CYCLES,
  drift,
  get,
  parameter,
  parameters,
  removeParameter,
  reversed,
  SERIES,
  SPECS,
  schemas,
  server,
} from "../helpers/ionworks-edits.ts";
import { ionworksDocument, type LooseDocument } from "../helpers/ionworks-plan.ts";

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
    (d) => removeParameter(d, SPECS, "exclude_cell_spec_id"),
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
  if (typeof value.$ref === "string" && depth < 6) {
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
});
