/** `vitrine inspect`: what the model will see of each tool, what it costs, and what looks wrong. */
import { nearest } from "../src/nearest.ts";
import type { Project, ProjectServer } from "./generate.ts";
import type { ToolPlan } from "./plan.ts";
import { formatProblem } from "./problems.ts";
import { listingOf, listSize, toolSize } from "./size.ts";

export type InspectFormat = "text" | "json";

/** Share of the budget from which on a list counts as nearly full. */
const NEARLY_FULL = 0.9;

const TOOL_WORD = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;

/** Names in a text that look like tools (they start like one) and are none. */
function strangers(text: string, names: readonly string[], known: readonly string[]): string[] {
  const verbs = new Set(names.map((name) => name.split("_")[0]));
  const words = new Set(text.match(TOOL_WORD));
  return [...words]
    .filter(
      (word) => verbs.has(word.split("_")[0]) && !names.includes(word) && !known.includes(word),
    )
    .map((word) => {
      const near = nearest(word, names);
      return `"${word}" is no tool${near === undefined ? "" : `, did you mean "${near}"?`}`;
    });
}

/** What is odd about a tool, without being wrong. */
function toolWarnings({ descriptor, operations }: ToolPlan, names: readonly string[]): string[] {
  const { description, hints = {}, explain, inputSchema } = descriptor;
  const texts = [
    description,
    JSON.stringify(inputSchema),
    ...Object.values(hints),
    ...(explain?.rules ?? []).flatMap(({ message, hint }) => [message, hint]),
  ];
  const known = Object.keys((inputSchema.properties ?? {}) as object);
  return [
    ...strangers(texts.join("\n"), names, known),
    ...operations
      .filter(({ deprecated }) => deprecated)
      .map(({ binding }) => `${binding.method} ${binding.path} is deprecated`),
  ];
}

function inspectServer({ name, plan }: ProjectServer) {
  const names = plan.tools.map(({ descriptor }) => descriptor.name);
  const { bytes, tokens } = listSize(plan.tools.map(({ descriptor }) => descriptor));
  const { program, instructions } = plan.descriptor;
  const warnings = strangers(instructions, names, []);
  if (bytes > plan.budget * NEARLY_FULL) {
    const share = Math.floor((100 * bytes) / plan.budget);
    warnings.push(`the list takes ${share} % of its budget of ${plan.budget} bytes`);
  }
  return {
    name,
    program,
    bytes,
    tokens,
    budget: plan.budget,
    instructions,
    warnings,
    tools: plan.tools.map((tool) => ({
      ...listingOf(tool.descriptor),
      operation: `${tool.descriptor.operation.method} ${tool.descriptor.operation.path}`,
      result: tool.descriptor.result.kind,
      ...toolSize(tool.descriptor),
      warnings: toolWarnings(tool, names),
    })),
  };
}

type Inspected = ReturnType<typeof inspectServer>;

/** `name*` for required ones. */
function argumentList({ inputSchema }: Inspected["tools"][number]): string {
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const names = Object.keys((inputSchema.properties ?? {}) as object);
  return names.map((name) => (required.includes(name) ? `${name}*` : name)).join(", ");
}

function serverText(server: Inspected): string {
  const { name, program, tools, bytes, tokens, budget, warnings } = server;
  const lines = [
    `${name} (${program}): ${tools.length} tools, ${bytes} of ${budget} bytes, about ${tokens} tokens (bytes / 4)`,
    ...warnings.map((warning) => `  warning: ${warning}`),
  ];
  for (const tool of tools) {
    lines.push(
      "",
      `${tool.name}  ${tool.bytes} bytes, about ${tool.tokens} tokens`,
      `  ${tool.operation} -> ${tool.result}`,
      `  ${tool.description}`,
      `  arguments: ${argumentList(tool) || "none"}`,
      ...tool.warnings.map((warning) => `  warning: ${warning}`),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** The report on some servers of a project, ending in a line break. */
export function inspectProject(
  project: Project,
  servers: readonly ProjectServer[],
  format: InspectFormat,
): string {
  const inspected = servers.map(inspectServer);
  if (format === "json") {
    const warnings = project.warnings.map((warning) => ({
      ...warning,
      hint: warning.hint ?? null,
    }));
    return `${JSON.stringify({ servers: inspected, warnings }, null, 2)}\n`;
  }
  const warnings = project.warnings.map((warning) => `warning: ${formatProblem(warning)}\n`);
  return [...inspected.map(serverText), ...(warnings.length === 0 ? [] : [warnings.join("")])].join(
    "\n",
  );
}
