/** `tools.manifest.yaml`: read, checked against its schema, every problem with its place and the nearest name. */
import { readFile } from "node:fs/promises";
import { findingsOf, type ManifestPath } from "./manifest-findings.ts";
import { manifestSchema, type ServerSection, serverSchema } from "./manifest-schema.ts";
import { toolSchema } from "./manifest-tool-schema.ts";
import { type Position, readSourced, type Sourced, UnreadableText } from "./positions.ts";
import { CodegenError, type Problem } from "./problems.ts";

/** A manifest, as far as it obeys its schema. */
export interface LoadedManifest {
  /** As it was named, for messages. */
  readonly file: string;
  /** Sections by name; tools and sections that break the schema are left out. */
  readonly servers: Readonly<Record<string, ServerSection>>;
  /** Everything that breaks the schema. */
  readonly problems: readonly Problem[];
  /** Place of a member: of its key where it has one. */
  locate(path: ManifestPath): Position;
}

function duplicateProblems(file: string, sourced: Sourced): Problem[] {
  return sourced.duplicates().map(({ key, position }) => ({
    file,
    ...position,
    message: `the name "${key}" stands twice`,
    hint: "names are unique; give one of them another name",
  }));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The data without the members at some paths. */
function without(data: unknown, paths: readonly ManifestPath[]): unknown {
  const copy = structuredClone(data);
  for (const path of paths) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>(
        (value, step) => (value as Record<string, unknown> | undefined)?.[step],
        copy,
      );
    if (isMap(parent)) {
      delete parent[String(path.at(-1))];
    }
  }
  return copy;
}

/** What obeys the schema on its own, so that one run also tells what is wrong with it in view of the document. */
function salvage(data: unknown): Record<string, ServerSection> {
  const sections = isMap(data) && isMap(data.servers) ? data.servers : {};
  const servers: Record<string, ServerSection> = {};
  for (const [name, section] of Object.entries(sections)) {
    const bare = isMap(section) ? { ...section, tools: {} } : section;
    const parsed = serverSchema.safeParse(bare);
    const tools = isMap(section) && isMap(section.tools) ? section.tools : {};
    if (parsed.success) {
      const sound = Object.entries(tools).flatMap(([tool, entry]) => {
        const { data: good } = toolSchema.safeParse(entry);
        return good === undefined ? [] : [[tool, good] as const];
      });
      servers[name] = { ...parsed.data, tools: Object.fromEntries(sound) };
    }
  }
  return servers;
}

/**
 * Checks the text of a manifest.
 * @throws CodegenError when it cannot be parsed
 */
function parseManifest(text: string, file: string): LoadedManifest {
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
  const { data, locate } = sourced;
  const duplicates = duplicateProblems(file, sourced);
  const parsed = manifestSchema.safeParse(data);
  if (parsed.success) {
    return { file, servers: parsed.data.servers, problems: duplicates, locate };
  }
  const findings = parsed.error.issues.flatMap((issue) => findingsOf(issue, data));
  const unknown = parsed.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key): ManifestPath => [...(issue.path as ManifestPath), key])
      : [],
  );
  const problems = findings.map(({ path, ...finding }) => ({ file, ...locate(path), ...finding }));
  return {
    file,
    servers: salvage(without(data, unknown)),
    problems: [...duplicates, ...problems],
    locate,
  };
}

/**
 * Reads a manifest.
 * @param label name of the file in messages
 * @throws CodegenError when it cannot be read or parsed
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
