/** `tools.ts`: one frozen record per tool, with a strict zod schema that is built on first use. */
import type { JsonObject } from "../../src/contract.ts";
import type { ArgumentPlan, ServerPlan, ToolPlan } from "../plan.ts";
import { kindArguments } from "../window-arguments.ts";
import { addConstant, Code, emitSource, type Literal, literal } from "./source.ts";

/** zod expression of one argument's value. */
function zodValue(value: Omit<ArgumentPlan, "name" | "description" | "required">): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = value;
  const lower = minimum ?? minLength ?? minItems;
  const upper = maximum ?? maxLength ?? maxItems;
  const bounds =
    (lower === undefined ? "" : `.min(${lower})`) + (upper === undefined ? "" : `.max(${upper})`);
  if (value.enum !== undefined) {
    const isText = value.enum.every((one) => typeof one === "string");
    return isText ? `z.enum(${literal(value.enum)})` : `z.literal(${literal(value.enum)})`;
  }
  switch (value.type) {
    case "array":
      return `z.array(${zodValue(value.items ?? { type: "string" })})${bounds}`;
    case "integer":
      return `z.int()${bounds}`;
    case "number":
      return `z.number()${bounds}`;
    case "boolean":
      return "z.boolean()";
    case "string":
      return `z.string()${bounds}`;
  }
}

const lines = (members: readonly string[], indent: string): string =>
  members.length === 0
    ? "{}"
    : `{\n${members.map((member) => `${indent}  ${member},\n`).join("")}${indent}}`;

/** Members of a table's window, and of its JSON Schema, are written once per file. */
function usesWindow(tool: ToolPlan): boolean {
  return tool.descriptor.result.kind === "table";
}

function zodSchema(tool: ToolPlan, indent: string): string {
  const own = tool.arguments.map(
    (argument) =>
      `${argument.name}: ${zodValue(argument)}${argument.required ? "" : ".optional()"}`,
  );
  const kind = usesWindow(tool)
    ? ["...windowArguments()"]
    : kindArguments(tool.descriptor.result).map(({ name, zod }) => `${name}: ${zod}`);
  return `() => z.strictObject(${lines([...own, ...kind], indent)})`;
}

function inputLiteral(tool: ToolPlan): Literal {
  const { inputSchema, result } = tool.descriptor;
  if (!usesWindow(tool)) {
    return inputSchema;
  }
  const shared = kindArguments(result).map(({ name }) => name);
  const own = Object.entries(inputSchema.properties as JsonObject).filter(
    ([name]) => !shared.includes(name),
  );
  return {
    ...inputSchema,
    properties: { ...Object.fromEntries(own), "...": new Code("windowProperties") },
  };
}

/** Names of the constants that hold the answers' schemas, by the schema's text. */
function outputNames(tools: readonly ToolPlan[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { descriptor } of tools) {
    const text = JSON.stringify(descriptor.outputSchema);
    const base = `${descriptor.result.kind}Output`;
    const used = [...names.values()].filter((name) => name.startsWith(base)).length;
    if (!names.has(text)) {
      names.set(text, used === 0 ? base : `${base}${used + 1}`);
    }
  }
  return names;
}

function toolLiteral(tool: ToolPlan, outputs: ReadonlyMap<string, string>): Literal {
  const { name, title, description, annotations, ...rest } = tool.descriptor;
  const { outputSchema, operation, result, explain, hints } = rest;
  return {
    name,
    title,
    description,
    annotations: { ...annotations },
    inputSchema: inputLiteral(tool),
    outputSchema: new Code(outputs.get(JSON.stringify(outputSchema)) ?? ""),
    arguments: new Code(zodSchema(tool, "    ")),
    operation: operation as unknown as Literal,
    result: result as unknown as Literal,
    explain: explain as unknown as Literal,
    hints: hints as Literal,
  };
}

/** The text of `tools.ts`. */
export function emitTools(plan: ServerPlan): Promise<string> {
  const { tools } = plan;
  const outputs = outputNames(tools);
  const withWindow = tools.find(usesWindow);
  return emitSource((file) => {
    file.addImportDeclaration({
      isTypeOnly: true,
      moduleSpecifier: "vitrine/contract",
      namedImports: ["JsonObject", "ToolDescriptor"],
    });
    file.addImportDeclaration({ moduleSpecifier: "zod", namespaceImport: "z" });
    if (withWindow !== undefined) {
      const shared = kindArguments(withWindow.descriptor.result);
      const schemas = Object.fromEntries(shared.map(({ name, schema }) => [name, schema]));
      const members = shared.map(({ name, zod }) => `${name}: ${zod}`);
      addConstant(file, "windowProperties", "JsonObject", literal(schemas));
      addConstant(file, "windowArguments", undefined, `() => (${lines(members, "")})`);
    }
    for (const [text, name] of outputs) {
      addConstant(file, name, "JsonObject", literal(JSON.parse(text) as JsonObject));
    }
    const entries = tools.map((tool) => toolLiteral(tool, outputs));
    addConstant(file, "tools", "readonly ToolDescriptor[]", literal(entries), {
      exported: true,
      doc: "Sorted by name.",
    });
  });
}
