/** A call's arguments against the tool's strict schema, with messages that a model can act on. */
import type { z } from "zod";
import type { ToolDescriptor } from "./contract.ts";
import { ToolError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** Schemas by tool: making one and compiling it takes a hundred times as long as using it. */
const schemas = new WeakMap<ToolDescriptor, ReturnType<ToolDescriptor["arguments"]>>();

function schemaOf(tool: ToolDescriptor): ReturnType<ToolDescriptor["arguments"]> {
  const schema = schemas.get(tool) ?? tool.arguments();
  schemas.set(tool, schema);
  return schema;
}

/** Makes and compiles a tool's schema, so that its first call does not wait for it. */
export function prepareArguments(tool: ToolDescriptor): void {
  schemaOf(tool).safeParse({});
}

/** Most complaints that are worded in one message. */
const MAX_ISSUES = 5;

function where(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) =>
      typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`,
    )
    .join("");
}

function kindOf(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (typeof value === "number" && !Number.isInteger(value)) {
    return String(value);
  }
  return Array.isArray(value) ? "a list" : typeof value;
}

/** Zod's word for a type that needs another for a reader. */
const WORDS: Readonly<Record<string, string>> = { int: "a whole number", array: "a list" };

/** The value at a path, for saying what came instead. */
function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let current = args;
  for (const step of path) {
    if (current === null || typeof current !== "object" || !Object.hasOwn(current, step)) {
      return undefined;
    }
    current = (current as Record<PropertyKey, unknown>)[step];
  }
  return current;
}

function phrase(issue: z.core.$ZodIssue, args: unknown, known: readonly string[]): string {
  const name = where(issue.path) || "arguments";
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => {
          const near = issue.path.length === 0 ? nearest(key, known) : undefined;
          const place = issue.path.length === 0 ? "" : ` in ${name}`;
          return `unknown argument "${key.slice(0, 60)}"${place}${near === undefined ? "" : `, did you mean "${near}"?`}`;
        })
        .join("; ");
    case "invalid_type": {
      const given = valueAt(args, issue.path);
      const expected = WORDS[issue.expected] ?? issue.expected;
      return given === undefined
        ? `${name} is required (${expected})`
        : `${name} must be ${expected}, not ${kindOf(given)}`;
    }
    case "invalid_value":
      return `${name} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `${name} must be at least ${issue.minimum}${issue.origin === "array" ? " long" : ""}`;
    case "too_big":
      return `${name} must be at most ${issue.maximum}${issue.origin === "array" ? " long" : ""}`;
    default:
      return `${name}: ${issue.message}`;
  }
}

/**
 * The arguments, checked: unknown, missing or wrong ones are refused by name.
 * @throws ToolError INVALID_ARGUMENT
 */
export function checkArguments(tool: ToolDescriptor, args: unknown): Record<string, unknown> {
  const parsed = schemaOf(tool).safeParse(args ?? {});
  if (parsed.success) {
    return parsed.data;
  }
  const known = Object.keys((tool.inputSchema.properties ?? {}) as object);
  const issues = parsed.error.issues.slice(0, MAX_ISSUES);
  const message = issues.map((issue) => phrase(issue, args, known)).join("; ");
  throw new ToolError("INVALID_ARGUMENT", `${tool.name}: ${message}`, {
    hint:
      known.length === 0
        ? `${tool.name} takes no arguments`
        : `The arguments of ${tool.name} are: ${known.join(", ")}`,
  });
}
