import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import schema from "../../codegen/manifest.schema.json" with { type: "json" };
import sources from "../../openapi/sources.json" with { type: "json" };

type Node = { [key: string]: unknown };

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/** Every key that a manifest may have, with its schema. */
function keysOf(node: unknown, path: string): [string, Node][] {
  if (!isNode(node)) {
    return [];
  }
  const properties = isNode(node.properties) ? Object.entries(node.properties) : [];
  const branches = [node.anyOf, node.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...properties.flatMap(([name, member]): [string, Node][] => [
      [`${path}${name}`, member as Node],
      ...keysOf(member, `${path}${name}.`),
    ]),
    ...[...branches, node.items, node.additionalProperties].flatMap((inner) => keysOf(inner, path)),
  ];
}

const keys = keysOf(schema, "");
const page = readFileSync(new URL("../../docs/manifest.md", import.meta.url), "utf8");

describe("codegen/manifest.schema.json", () => {
  test("has more than 50 keys, each described and each in docs/manifest.md", () => {
    expect(keys.length).toBeGreaterThan(50);
    for (const [name, member] of keys) {
      expect(member.description, name).toMatch(/\w/);
      expect(page, name).toContain(`| \`${name.split(".").at(-1)}\``);
    }
  });

  test("refuses unknown keys wherever it has a shape", () => {
    const open: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (isNode(node)) {
        if (node.properties !== undefined && node.additionalProperties !== false) {
          open.push(path);
        }
        for (const [key, member] of Object.entries(node)) {
          visit(member, `${path}/${key}`);
        }
      }
    };
    visit(schema, "");
    expect(open).toEqual([]);
  });
});

describe("openapi/sources.json", () => {
  test.each(Object.entries(sources))("names the bytes of %s", (file, { sha256 }) => {
    const bytes = readFileSync(new URL(`../../openapi/${file}`, import.meta.url));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  });
});
