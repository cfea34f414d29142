/** `tools.manifest.yaml`: read, checked against its schema, every problem with its place and the nearest name. */
import { readFile } from "node:fs/promises";
import type * as z from "zod";
import { nearest } from "../src/nearest.ts";
import { type Manifest, manifestSchema } from "./manifest-schema.ts";
import { type Position, readSourced, type Sourced, UnreadableText } from "./positions.ts";
import { CodegenError, type Problem } from "./problems.ts";

export type ManifestPath = readonly (string | number)[];

/** A manifest that obeys its schema. */
export interface LoadedManifest {
  /** As it was named, for messages. */
  readonly file: string;
  readonly manifest: Manifest;
  /** Place of a member: of its key where it has one. */
  locate(path: ManifestPath): Position;
}

type Issue = z.core.$ZodIssue;

/** Keys that a strict object of the schema allows at a path. */
function knownKeys(path: ManifestPath, data: unknown): string[] {
  const keys = new Set<string>();
  let schemas: z.core.$ZodType[] = [manifestSchema];
  let value = data;
  for (const step of [...path, undefined]) {
    schemas = schemas.flatMap(unfold);
    if (step === undefined) {
      break;
    }
    schemas = schemas.flatMap((schema) => below(schema, String(step), value));
    value = (value as Record<string, unknown> | undefined)?.[step as string];
  }
  for (const schema of schemas) {
    const { def } = schema._zod as { def: z.core.$ZodTypeDef & { shape?: object } };
    for (const key of Object.keys(def.shape ?? {})) {
      keys.add(key);
    }
  }
  return [...keys];
}

/** The schemas that a schema stands for: options of a union, what an optional wraps. */
function unfold(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; options?: z.core.$ZodType[] };
  if (def.innerType !== undefined) {
    return unfold(def.innerType);
  }
  return def.options === undefined ? [schema] : def.options.flatMap(unfold);
}

function below(schema: z.core.$ZodType, step: string, value: unknown): z.core.$ZodType[] {
  const def = schema._zod.def as {
    shape?: Record<string, z.core.$ZodType>;
    valueType?: z.core.$ZodType;
    element?: z.core.$ZodType;
  };
  const kind = (value as { kind?: unknown } | undefined)?.kind;
  const wanted = def.shape?.kind?._zod.def as { values?: unknown[] } | undefined;
  if (kind !== undefined && wanted?.values !== undefined && !wanted.values.includes(kind)) {
    return [];
  }
  const next = def.shape?.[step] ?? def.valueType ?? def.element;
  return next === undefined ? [] : [next];
}

function say(value: unknown): string {
  if (Array.isArray(value)) {
    return "a list";
  }
  if (value === null) {
    return "nothing";
  }
  return typeof value === "object" ? "a map" : JSON.stringify(value);
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  object: "a map",
  record: "a map",
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
};

interface Finding {
  readonly path: ManifestPath;
  readonly message: string;
  readonly hint?: string;
}

function valueAt(data: unknown, path: ManifestPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    data,
  );
}

function findingsOf(issue: Issue, data: unknown): Finding[] {
  const path = issue.path as ManifestPath;
  const name = String(path.at(-1) ?? "the manifest");
  const value = valueAt(data, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const known = knownKeys(path, data);
        const near = nearest(key, known);
        const hint = near === undefined ? `known keys: ${known.join(", ")}` : `did you mean "${near}"?`;
        return { path: [...path, key], message: `unknown key "${key}"`, hint };
      });
    case "invalid_type":
      return [
        value === undefined
          ? { path: path.slice(0, -1), message: `"${name}" is missing` }
          : { path, message: `"${name}" must be ${KINDS[issue.expected] ?? issue.expected}, not ${say(value)}` },
      ];
    case "invalid_value": {
      const values = issue.values.map(String);
      const near = typeof value === "string" ? nearest(value, values) : undefined;
      const message =
        value === undefined ? `"${name}" is missing` : `"${name}" cannot be ${say(value)}`;
      return [
        {
          path: value === undefined ? path.slice(0, -1) : path,
          message,
          hint: near === undefined ? `one of: ${values.join(", ")}` : `did you mean "${near}"?`,
        },
      ];
    }
    case "invalid_union": {
      if (value === undefined) {
        return [{ path: path.slice(0, -1), message: `"${name}" is missing` }];
      }
      const nested = issue.errors.filter((errors) => errors.every(({ path: at }) => at.length > 0));
      // A map can only be meant as the branch that is a map: its own complaints say more.
      return nested.length === 1 && nested[0] !== undefined
        ? nested[0].flatMap((inner) =>
            findingsOf({ ...inner, path: [...path, ...inner.path] } as Issue, data),
          )
        : [{ path, message: `"${name}" is ${say(value)}: ${issue.message}` }];
    }
    case "invalid_key":
      return issue.issues.map(({ message }) => ({ path, message: `the name "${name}" ${message}` }));
    case "too_small":
    case "too_big": {
      const side = issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
      const unit = issue.origin === "string" ? " characters" : issue.origin === "array" ? " entries" : "";
      const size = typeof value === "string" || Array.isArray(value) ? `, not ${value.length}` : "";
      return [{ path, message: `"${name}" must have ${side}${unit}${size}` }];
    }
    default:
      return [{ path, message: `"${name}" ${issue.message}` }];
  }
}

function duplicateProblems(file: string, sourced: Sourced): Problem[] {
  return sourced.duplicates.map(({ key, position }) => ({
    file,
    ...position,
    message: `the name "${key}" stands twice`,
    hint: "names are unique; give one of them another name",
  }));
}

/**
 * Checks the text of a manifest.
 * @throws CodegenError with everything that is wrong with its form
 */
export function parseManifest(text: string, file: string): LoadedManifest {
  let sourced: Sourced;
  try {
    sourced = readSourced(text);
  } catch (error) {
    if (error instanceof UnreadableText) {
      const message = `the manifest cannot be parsed: ${error.message}`;
      throw new CodegenError([{ file, ...error.position, message }]);
    }
    throw error;
  }
  const parsed = manifestSchema.safeParse(sourced.data);
  const duplicates = duplicateProblems(file, sourced);
  if (!parsed.success || duplicates.length > 0) {
    const findings = (parsed.error?.issues ?? []).flatMap((issue) => findingsOf(issue, sourced.data));
    throw new CodegenError([
      ...duplicates,
      ...findings.map(({ path, ...finding }) => ({ file, ...sourced.locate(path), ...finding })),
    ]);
  }
  return { file, manifest: parsed.data, locate: sourced.locate };
}

/**
 * Reads a manifest.
 * @param label name of the file in messages
 * @throws CodegenError when it cannot be read or is wrong
 */
export async function loadManifest(path: string, label = path): Promise<LoadedManifest> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `the manifest cannot be read: ${code === "ENOENT" ? "there is no such file" : code}`;
    throw new CodegenError([{ file: label, line: 1, column: 1, message }]);
  }
  return parseManifest(text.replace(/^\uFEFF/, ""), label);
}
