/** Texts to read: the guide, the document that the tools come from, and the schema of each table. */
import type { JsonObject, ServerDescriptor, ToolDescriptor } from "../contract.ts";
import type { Call } from "./catalogue.ts";
import { shownOf } from "./outcome.ts";

/** One entry of `resources/list`. */
export interface ResourceListing {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** Of the text [bytes]. */
  readonly size: number;
}

/** One entry of `resources/templates/list`. */
export interface TemplateListing {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** A resource as it is read. */
export interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
  /** Whether it is part of the program, the same for everybody, or a caller's data. */
  readonly isStatic: boolean;
}

interface StaticText extends Omit<ResourceListing, "size"> {
  readonly text: string;
}

const MARKDOWN = "text/markdown";
const JSON_TYPE = "application/json";

function documentText({ document, tools, title }: ServerDescriptor): string {
  const operations = Object.fromEntries(
    tools.map(({ name, operation }) => [name, `${operation.method} ${operation.path}`]),
  );
  return JSON.stringify({ title, ...document, operations }, null, 1);
}

function staticTexts(server: ServerDescriptor): StaticText[] {
  const { name, title, guide, document } = server;
  return [
    ...(guide === undefined
      ? []
      : [
          {
            uri: `${name}://guide`,
            name: "guide",
            title: `${title}: guide`,
            description: "How to read the tables: units, signs, counters, ways to ask.",
            mimeType: MARKDOWN,
            text: guide,
          },
        ]),
    ...(document === undefined
      ? []
      : [
          {
            uri: `${name}://document`,
            name: "document",
            title: `${title}: origin`,
            description:
              "The API document that the tools come from, its hash, and each tool's operation.",
            mimeType: JSON_TYPE,
            text: documentText(server),
          },
        ]),
  ];
}

export function resourceListings(server: ServerDescriptor): ResourceListing[] {
  return staticTexts(server).map(({ text, ...listing }) => ({
    ...listing,
    size: Buffer.byteLength(text),
  }));
}

/** Tools that read tables. */
const tablesOf = ({ tools }: ServerDescriptor) =>
  tools.filter(({ result }) => result.kind === "table");

/** Arguments that a tool must be given, in its schema's order. */
export function requiredArguments({ inputSchema }: ToolDescriptor): string[] {
  return Array.isArray(inputSchema.required) ? inputSchema.required.map(String) : [];
}

/** URI template of a table's schema: the tool, and what it must be given. */
function templateOf(server: ServerDescriptor, tool: ToolDescriptor): string {
  const variables = requiredArguments(tool).map((name) => `/{${name}}`);
  return `${server.name}://${tool.name}${variables.join("")}/schema`;
}

/** Names of the variables of a template that is one of ours, and the tool. */
export function tableOfTemplate(
  server: ServerDescriptor,
  template: string,
): ToolDescriptor | undefined {
  return tablesOf(server).find((tool) => templateOf(server, tool) === template);
}

export function templateListings(server: ServerDescriptor): TemplateListing[] {
  return tablesOf(server).map((tool) => ({
    uriTemplate: templateOf(server, tool),
    name: `${tool.name}_schema`,
    title: `${tool.title}: columns`,
    description: `Columns of what ${tool.name} reads, with types and units, and how many rows there are.`,
    mimeType: JSON_TYPE,
  }));
}

/** Tool and arguments of a schema's URI. */
function tableAt(
  server: ServerDescriptor,
  uri: string,
): { tool: ToolDescriptor; args: Record<string, string> } | undefined {
  const prefix = `${server.name}://`;
  const [name, ...rest] = uri.startsWith(prefix) ? uri.slice(prefix.length).split("/") : [];
  const tool = tablesOf(server).find((one) => one.name === name);
  const values = rest.slice(0, -1);
  const names = tool === undefined ? [] : requiredArguments(tool);
  if (tool === undefined || rest.at(-1) !== "schema" || values.length !== names.length) {
    return undefined;
  }
  try {
    const entries = names.map((key, index) => [key, decodeURIComponent(values[index] ?? "")]);
    return { tool, args: Object.fromEntries(entries) as Record<string, string> };
  } catch {
    // A `%` that is no escape: no URI of ours.
    return undefined;
  }
}

/**
 * A table's columns and length, through its own tool.
 * @throws ToolError as the tool says it
 */
async function schemaText(
  { name }: ToolDescriptor,
  args: Record<string, string>,
  call: Call,
): Promise<string> {
  const shown = shownOf(await call(name, { ...args, limit: 1 }));
  const units = (shown.units ?? {}) as JsonObject;
  const dtypes = (shown.dtypes ?? {}) as JsonObject;
  const columns = Array.isArray(shown.columns) ? shown.columns.map(String) : [];
  return JSON.stringify({
    tool: name,
    arguments: args,
    total_rows: shown.total_rows ?? null,
    columns: columns.map((column) => ({
      name: column,
      dtype: dtypes[column] ?? null,
      ...(units[column] === undefined ? {} : { unit: units[column] }),
    })),
  });
}

/**
 * @returns undefined where nothing has this URI
 * @throws ToolError where it stands for a table that cannot be read
 */
export async function readResource(
  server: ServerDescriptor,
  uri: string,
  call: Call,
): Promise<ResourceText | undefined> {
  const fixed = staticTexts(server).find((one) => one.uri === uri);
  if (fixed !== undefined) {
    return { uri, mimeType: fixed.mimeType, text: fixed.text, isStatic: true };
  }
  const table = tableAt(server, uri);
  if (table === undefined) {
    return undefined;
  }
  const text = await schemaText(table.tool, table.args, call);
  return { uri, mimeType: JSON_TYPE, text, isStatic: false };
}
