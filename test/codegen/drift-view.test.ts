import { describe, expect, test } from "vitest";
import { isObject, placeOf } from "../../codegen/drift/place.ts";
import { unchangedParts } from "../../codegen/drift/unchanged.ts";
import { type SchemaView, viewOf } from "../../codegen/drift/view.ts";
import type { Json, JsonObject } from "../../src/contract.ts";

const COMPONENTS = {
  Id: { type: "string", format: "uuid" },
  Base: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }], type: "object" },
  Self: { $ref: "#/components/schemas/Self" },
  "odd/na~me": { type: "boolean" },
};

function view(schema: Json): SchemaView {
  const document: JsonObject = { components: { schemas: COMPONENTS }, schema };
  return viewOf(placeOf(document, schema, "/schema"));
}

/** The view without the places in the document. */
function said(schema: Json) {
  const { pointer: _pointer, properties, items, additional, ...rest } = view(schema);
  return { ...rest, properties: [...properties.keys()].sort(), items: items?.value, additional };
}

describe("viewOf", () => {
  const same: [string, Json, Json][] = [
    ["a $ref and its target", { $ref: "#/components/schemas/Id" }, COMPONENTS.Id],
    [
      "nullable of 3.0 and a type list of 3.1",
      { type: "string", nullable: true },
      { type: ["string", "null"] },
    ],
    [
      "a union with null and a type list",
      { anyOf: [{ type: "integer" }, { type: "null" }] },
      { type: ["null", "integer"] },
    ],
    ["oneOf and anyOf", { oneOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }] }],
    ["const and an enum of one value", { const: "a" }, { enum: ["a"] }],
    ["an enum with and without its type", { type: "string", enum: ["a"] }, { enum: ["a"] }],
    [
      "exclusiveMinimum of 3.0 and of 3.1",
      { type: "number", minimum: 0, exclusiveMinimum: true },
      { type: "number", exclusiveMinimum: 0 },
    ],
    [
      "exclusive and inclusive bounds of integers",
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 11 },
      { type: "integer", minimum: 1, maximum: 10 },
    ],
    [
      "allOf and one object",
      { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { n: { type: "number" } } }] },
      {
        type: "object",
        required: ["id"],
        properties: { n: { type: "number" }, id: { type: "string" } },
      },
    ],
    [
      "properties with and without type",
      { properties: { a: {} } },
      { type: "object", properties: { a: {} } },
    ],
    [
      "a percent-encoded and escaped $ref",
      { $ref: "#/components/schemas/odd~1na~0me" },
      { type: "boolean" },
    ],
  ];
  test.each(same)("%s give the same view", (_title, a, b) => {
    expect(said(a)).toEqual(said(b));
  });

  test("a union of a string and an integer admits both types and the looser bounds", () => {
    const union = view({
      anyOf: [
        { type: "integer", maximum: 5 },
        { type: "integer", maximum: 9, minimum: 2 },
        { type: "string" },
      ],
    });
    expect([...union.types].sort()).toEqual(["integer", "string"]);
    expect(union.limits).toEqual({});
  });

  test("allOf takes the tighter of two maxima and the values that both enums have", () => {
    const both = view({
      allOf: [
        { maximum: 9, enum: [1, 2, 3] },
        { maximum: 5, enum: [2, 3, 4] },
      ],
    });
    expect(both.limits).toEqual({ maximum: 5 });
    expect(both.values).toEqual([2, 3]);
  });

  test("a schema that contains itself ends", () => {
    expect([...view({ $ref: "#/components/schemas/Loop" }).types]).toEqual(["object"]);
  });
});

describe("placeOf", () => {
  test("a $ref to itself and a $ref to nothing are empty", () => {
    const document: JsonObject = { components: { schemas: COMPONENTS } };
    const self = placeOf(document, { $ref: "#/components/schemas/Self" }, "");
    const nothing = placeOf(document, { $ref: "#/components/schemas/None" }, "");
    expect([self.value, nothing.value]).toEqual([{}, {}]);
  });

  test("names the place where the value stands and lets a sibling of $ref win", () => {
    const document: JsonObject = { components: { schemas: COMPONENTS } };
    const place = placeOf(document, { $ref: "#/components/schemas/Id", description: "d" }, "/x");
    expect(place.pointer).toBe("/components/schemas/Id");
    expect(place.value).toEqual({ type: "string", format: "uuid", description: "d" });
    expect(isObject(place.document)).toBe(true);
  });

  test("does not follow a $ref to a prototype's member", () => {
    expect(placeOf({}, { $ref: "#/constructor/prototype" }, "").value).toEqual({});
  });
});

describe("unchangedParts", () => {
  const document = (unit: string): JsonObject => ({
    paths: {
      "/a": {
        get: { $ref: "#/components/schemas/A" },
        post: { x: { $ref: "#/components/schemas/C" } },
      },
    },
    components: {
      schemas: {
        A: { items: { $ref: "#/components/schemas/B/properties/b" } },
        B: { properties: { b: { enum: [unit] } } },
        C: { type: "object", minimum: 1 },
      },
    },
  });

  test("of 5 parts the 2 that neither changed nor refer to a changed one", () => {
    const reordered = {
      components: document("kV").components ?? {},
      paths: document("V").paths ?? {},
    };
    expect([...unchangedParts(document("V"), reordered)].sort()).toEqual([
      "/components/schemas/C",
      "/paths/~1a/post",
    ]);
  });

  test("all 5 parts of a document against itself", () => {
    expect(unchangedParts(document("V"), document("V")).size).toBe(5);
  });
});
