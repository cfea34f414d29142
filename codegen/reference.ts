/**
 * `npm run generate`: `vitrine generate` on this repository's manifest, then what the repository derives from it and from
 * the manifest's shape: the editors' JSON Schema, `docs/manifest.md`, the tool tables of the documentation. `--check` writes
 * nothing and exits 1 where something is not current.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Json, JsonObject } from "../src/contract.ts";
import { isObject } from "./drift/place.ts";
import { runCheck } from "./check.ts";
import { type Project, planProject } from "./generate.ts";
import { manifestSchema } from "./manifest-schema.ts";
import type { ServerPlan } from "./plan.ts";
import { CodegenError, formatProblem } from "./problems.ts";
import { updateProject } from "./update.ts";

const ROOT = join(import.meta.dirname, "..");
const MANIFEST = join(ROOT, "tools.manifest.yaml");

/** Pages that hold a tool table between markers, e.g. `<!-- tools: ionworks -->`. */
const PAGES = ["README.md", "docs/ionworks.md"];

const TABLE = /(<!-- tools: (\S+) -->\n)[\s\S]*?(<!-- end of tools -->)/g;

const INTRO = `# The manifest

<!-- Generated from codegen/manifest-schema.ts by \`npm run generate\`. Do not edit. -->

\`tools.manifest.yaml\` is the whitelist: which operations of an OpenAPI document become tools, under which names and words, and how the
service is reached. What is not in it does not exist for a model. Unknown keys are refused. Editors complete and check it with
\`codegen/manifest.schema.json\`:

\`\`\`yaml
# yaml-language-server: $schema=./codegen/manifest.schema.json
\`\`\`

\`vitrine generate\` reports every problem of a run at once, each with its place and the nearest name, and writes nothing while there is one:

- a key, name, operation, parameter, security scheme or variable that does not exist
- an operation that is hidden (\`guard\`), that is not a read (GET or HEAD), or whose operationId is not unique
- a required parameter that no argument, no fixed value and no variable supplies
- two tools with one name, two arguments for one parameter, an argument whose name the result kind needs
- a JSON pointer that the answer cannot have
- a flaw of the document that a tool reaches; elsewhere it is a warning
- a tool list over its budget

YAML anchors work, e.g. \`explain: &name {…}\` and \`explain: *name\` in the next tool.
`;

function typeOf(schema: JsonObject): string {
  if (schema.const !== undefined) {
    return `\`${String(schema.const)}\``;
  }
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as JsonObject[] | undefined;
  if (branches !== undefined) {
    return [...new Set(branches.map(typeOf))].join(" or ");
  }
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  }
  switch (schema.type) {
    case "array":
      return `list of ${isObject(schema.items) ? typeOf(schema.items) : "values"}`;
    case "object":
      return "map";
    case "string":
      return schema.pattern === undefined ? "text" : `text \`${schema.pattern}\``;
    case "integer":
      return "whole number";
    case undefined:
      return "any value";
    default:
      return Array.isArray(schema.type)
        ? schema.type.map((type) => typeOf({ type })).join(" or ")
        : schema.type === "boolean"
          ? "true, false"
          : String(schema.type);
  }
}

const cell = (text: Json | undefined): string =>
  String(text ?? "")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ");

/** Objects inside a schema: itself, a list's entries, a map's values, a union's branches. */
function objectsOf(schema: JsonObject, path: string): [string, JsonObject][] {
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as JsonObject[] | undefined;
  if (branches !== undefined) {
    return branches.flatMap((branch) => objectsOf(branch, path));
  }
  if (isObject(schema.properties)) {
    return [[path, schema]];
  }
  if (isObject(schema.items)) {
    return objectsOf(schema.items, `${path}[]`);
  }
  return isObject(schema.additionalProperties)
    ? objectsOf(schema.additionalProperties, `${path}.<name>`)
    : [];
}

function section(path: string, schema: JsonObject): string {
  const properties = Object.entries(schema.properties as Record<string, JsonObject>);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const kind = (schema.properties as Record<string, JsonObject>).kind?.const;
  const title = kind === undefined ? path : `${path}, kind ${String(kind)}`;
  const rows = properties.map(
    ([name, property]) =>
      `| \`${name}\`${required.includes(name) ? " (required)" : ""} | ${cell(typeOf(property))} | ${cell(property.description)} |`,
  );
  const own = schema.description === undefined ? "" : `${String(schema.description)}\n\n`;
  const below = properties.flatMap(([name, property]) =>
    objectsOf(property, path === "" ? name : `${path}.${name}`),
  );
  return [
    `\n## ${title === "" ? "The file" : `\`${title}\``}\n\n${own}| key | value | meaning |\n|---|---|---|\n${rows.join("\n")}\n`,
    ...below.map(([where, inner]) => section(where, inner)),
  ].join("");
}

function toolTable({ tools }: ServerPlan): string {
  const rows = tools.map(({ descriptor }) => {
    const { name, description, inputSchema, result } = descriptor;
    const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
    const names = Object.keys(inputSchema.properties as JsonObject);
    const list = names.map((one) => (required.includes(one) ? `**${one}**` : one)).join(", ");
    return `| \`${name}\` | ${cell(description)} | ${list || "–"} | ${result.kind} |`;
  });
  return `| tool | what it gives | arguments (**required**) | result |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(join(ROOT, file), "utf8").catch(() => undefined);
}

/** Every derived file, by path from the repository's root. */
async function deriveFiles({ servers }: Project): Promise<Map<string, string>> {
  const schema = z.toJSONSchema(manifestSchema, { target: "draft-07", io: "input" }) as JsonObject;
  const files = new Map([
    ["codegen/manifest.schema.json", `${JSON.stringify(schema, null, 2)}\n`],
    ["docs/manifest.md", `${INTRO}${section("", schema)}`],
  ]);
  for (const page of PAGES) {
    const text = await textOf(page);
    if (text !== undefined) {
      const fill = (whole: string, start: string, name: string, end: string): string => {
        const server = servers.find((one) => one.name === name);
        return server === undefined ? whole : `${start}${toolTable(server.plan)}${end}`;
      };
      files.set(page, text.replace(TABLE, fill));
    }
  }
  return files;
}

async function generate(): Promise<void> {
  const { project, lines } = await updateProject(MANIFEST);
  console.log(lines.join("\n"));
  for (const [file, text] of await deriveFiles(project)) {
    if ((await textOf(file)) !== text) {
      await writeFile(join(ROOT, file), text);
      console.log(`changed  ${file}`);
    }
  }
}

async function check(): Promise<void> {
  const { exitCode, output, error } = await runCheck({ manifest: MANIFEST, format: "text" });
  process.stdout.write(output);
  process.stderr.write(error);
  process.exitCode = exitCode;
  if (exitCode === 2) {
    return;
  }
  for (const [file, text] of await deriveFiles(await planProject(MANIFEST))) {
    if ((await textOf(file)) !== text) {
      console.error(`${file} is not current: run npm run generate`);
      process.exitCode = 1;
    }
  }
}

async function main(): Promise<void> {
  try {
    await (process.argv.includes("--check") ? check() : generate());
  } catch (error) {
    if (!(error instanceof CodegenError)) {
      throw error;
    }
    console.error(error.problems.map(formatProblem).join("\n"));
    process.exitCode = 1;
  }
}

void main();
