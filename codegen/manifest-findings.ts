/** The schema's complaints about a manifest, in words that say what to write instead. */
import type * as z from "zod";
import { nearest } from "../src/nearest.ts";
import { manifestSchema } from "./manifest-schema.ts";

/** Steps from the manifest's root. */
export type ManifestPath = readonly (string | number)[];

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

/** Something wrong, and where in the manifest. */
export interface Finding {
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

function choiceFinding(path: ManifestPath, value: unknown, choice: readonly string[]): Finding {
  const name = String(path.at(-1) ?? "the manifest");
  const near = typeof value === "string" ? nearest(value, choice) : undefined;
  const all = choice.length === 0 ? undefined : `one of: ${choice.join(", ")}`;
  const hint = near === undefined ? all : `did you mean "${near}"?`;
  return {
    path: value === undefined ? path.slice(0, -1) : path,
    message: value === undefined ? `"${name}" is missing` : `"${name}" cannot be ${say(value)}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A complaint of the schema in words. */
export function findingsOf(issue: Issue, data: unknown): Finding[] {
  const path = issue.path as ManifestPath;
  const name = String(path.at(-1) ?? "the manifest");
  const value = valueAt(data, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const known = knownKeys(path, data);
        const near = nearest(key, known);
        const hint =
          near === undefined ? `known keys: ${known.join(", ")}` : `did you mean "${near}"?`;
        return { path: [...path, key], message: `unknown key "${key}"`, hint };
      });
    case "invalid_type":
      return [
        value === undefined
          ? { path: path.slice(0, -1), message: `"${name}" is missing` }
          : {
              path,
              message: `"${name}" must be ${KINDS[issue.expected] ?? issue.expected}, not ${say(value)}`,
            },
      ];
    case "invalid_value":
      return [choiceFinding(path, value, issue.values.map(String))];
    case "invalid_union": {
      const { options } = issue as { options?: readonly unknown[] };
      if (options !== undefined || value === undefined) {
        return [choiceFinding(path, value, (options ?? []).map(String))];
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
      return issue.issues.map(({ message }) => ({
        path,
        message: `the name "${name}" ${message}`,
      }));
    case "too_small":
    case "too_big": {
      const side =
        issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
      const unit =
        issue.origin === "string" ? " characters" : issue.origin === "array" ? " entries" : "";
      const size = typeof value === "string" || Array.isArray(value) ? `, not ${value.length}` : "";
      return [{ path, message: `"${name}" must have ${side}${unit}${size}` }];
    }
    default:
      return [{ path, message: `"${name}" ${issue.message}` }];
  }
}
