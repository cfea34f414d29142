/** The whole way: manifest and documents → plans → the text of every generated file. Nothing is written here. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import type { Json } from "../src/contract.ts";
import { isObject } from "./drift/place.ts";
import { emitClient } from "./emit/client.ts";
import { emitServer } from "./emit/server.ts";
import { emitTools } from "./emit/tools.ts";
import { emitTypes } from "./emit/types.ts";
import { type LoadedDocument, loadDocument } from "./load.ts";
import { type LoadedManifest, loadManifest } from "./manifest.ts";
import type { ServerPlan } from "./plan.ts";
import { planServer } from "./planning/server.ts";
import { CodegenError, type Problem } from "./problems.ts";
import { pruneDocument } from "./prune.ts";
import { GENERATED } from "./write.ts";

/** Version of the generator. */
export const VERSION: string = packageJson.version;

/** One server of a project. */
export interface ProjectServer {
  readonly name: string;
  readonly plan: ServerPlan;
  readonly document: LoadedDocument;
}

/** A manifest and its documents, planned and free of problems. */
export interface Project {
  /** Folder of the manifest; absolute. */
  readonly root: string;
  readonly manifest: LoadedManifest;
  /** Sorted by name. */
  readonly servers: readonly ProjectServer[];
  readonly warnings: readonly Problem[];
}

/** A path as it is shown: from the current folder. */
const shown = (path: string): string => relative(process.cwd(), path) || path;

/** Largest guide [bytes]: a model reads it whole. */
const MAX_GUIDE = 16_384;

/** Text of a section's guide. @throws CodegenError when it cannot be had */
async function readGuide(
  manifest: LoadedManifest,
  root: string,
  server: string,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) {
    return undefined;
  }
  const refuse = (why: string): never => {
    const at = manifest.locate(["servers", server, "guide"]);
    throw new CodegenError([
      { file: manifest.file, ...at, message: `the guide "${file}" cannot be used: ${why}` },
    ]);
  };
  let text: string;
  try {
    text = await readFile(resolve(root, file), "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return refuse(code === "ENOENT" ? "there is no such file" : code);
  }
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_GUIDE
    ? refuse(`it is ${bytes} bytes, ${MAX_GUIDE} are the most`)
    : text.trim();
}

/**
 * Loads and plans everything that a manifest names.
 * @throws CodegenError with every problem of the manifest and its documents
 */
export async function planProject(manifestFile: string): Promise<Project> {
  const path = resolve(manifestFile);
  const root = dirname(path);
  const manifest = await loadManifest(path, shown(path));
  const problems: Problem[] = [...manifest.problems];
  const warnings: Problem[] = [];
  const servers: ProjectServer[] = [];
  for (const [name, section] of Object.entries(manifest.servers).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    try {
      const isUrl = /^https?:/i.test(section.document);
      const document = await loadDocument(section.document, {
        folder: root,
        label: isUrl ? section.document : shown(resolve(root, section.document)),
        ...(section.external_references === undefined
          ? {}
          : { externals: section.external_references }),
      });
      const planned = planServer(manifest, document, name, section);
      problems.push(...planned.problems);
      warnings.push(...planned.warnings);
      const guide = await readGuide(manifest, root, name, section.guide);
      const { descriptor } = planned.plan;
      const origin = { source: section.document, hash: hashOf(document.json) };
      servers.push({
        name,
        plan: {
          ...planned.plan,
          descriptor: { ...descriptor, ...(guide && { guide }), document: origin },
        },
        document,
      });
    } catch (error) {
      if (!(error instanceof CodegenError)) {
        throw error;
      }
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) {
    throw new CodegenError(problems);
  }
  return { root, manifest, servers, warnings };
}

/** JSON with sorted keys: the same contents in another order have the same hash. */
function canonical(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(canonical);
  }
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, member]) => [key, canonical(member)]),
      )
    : value;
}

function hashOf(value: Json): string {
  return `sha256-${createHash("sha256")
    .update(JSON.stringify(canonical(value)))
    .digest("hex")}`;
}

function provenance(project: Project): string {
  const { manifest, servers } = project;
  const inputs = Object.fromEntries(
    servers.map(({ name, plan, document }) => [
      name,
      {
        document: plan.document,
        document_hash: hashOf(document.json),
        section_hash: hashOf(manifest.servers[name] as unknown as Json),
      },
    ]),
  );
  const about = "Hashes are of the parsed contents, keys sorted: comments and order do not count.";
  return `${JSON.stringify({ generator: `vitrine ${VERSION}`, about, inputs }, null, 2)}\n`;
}

/** Text of every generated file, by path relative to the manifest's folder, sorted. */
export async function emitProject(project: Project): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { name, plan, document } of project.servers) {
    const operations = plan.tools.flatMap((tool) =>
      tool.operations.map(({ binding: { path, method } }) => ({
        path,
        method: method.toLowerCase(),
      })),
    );
    const folder = `${GENERATED}/${name}`;
    files.set(`${folder}/client.ts`, await emitClient(plan));
    files.set(`${folder}/server.ts`, await emitServer(plan));
    files.set(`${folder}/tools.ts`, await emitTools(plan));
    files.set(`${folder}/types.ts`, await emitTypes(pruneDocument(document.json, operations)));
  }
  files.set(`${GENERATED}/provenance.json`, provenance(project));
  return files;
}
