import { describe, expect, test } from "vitest";
import { compareDocuments } from "../../codegen/drift/compare.ts";
import {
  drift,
  get,
  parameters,
  removeParameter,
  reversed,
  SPECS,
  schemas,
  server,
} from "../helpers/ionworks-edits.ts";
import { ionworksDocument, type LooseDocument } from "../helpers/ionworks-plan.ts";

describe("compareDocuments", () => {
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

  test("two flags with nothing in common but their default are one gone and one new", () => {
    const findings = drift((d) => {
      removeParameter(d, SPECS, "full");
      get(d, SPECS).parameters.push({
        name: "archived",
        in: "query",
        schema: { type: "boolean", default: false },
      });
    });
    expect(findings.map(({ level, message }) => [level, message])).toEqual([
      [
        "breaking",
        'query parameter "full" gone; remove it from the manifest\'s entry, with the argument "include_components"',
      ],
      ["additive", 'new optional query parameter "archived"'],
    ]);
  });

  test("a record with 1500 other fields: the used one is found, the others up to a bound that is said", () => {
    const fields = (type: string) =>
      Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`field_${i}`, { type }]));
    const [committed, next] = [ionworksDocument(), ionworksDocument()];
    const { properties: before } = committed.components.schemas.CyclesEnvelope;
    const { properties: after } = next.components.schemas.CyclesEnvelope;
    const { cycles } = before;
    delete before.cycles;
    delete after.cycles;
    Object.assign(before, fields("string"), { cycles });
    Object.assign(after, fields("integer"), { cycles: { type: "string" } });
    const findings = compareDocuments(committed, next, server);
    expect(findings[0]?.message).toMatch(/^field \/cycles: type changed from object to string/);
    const notes = findings.filter(({ level }) => level === "note");
    expect(notes.length).toBeLessThan(1500);
    expect(notes.map(({ message }) => message)).toContain(
      "more differences may be in fields that no tool depends on: 1000 of them were compared",
    );
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
