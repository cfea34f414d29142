/** `vitrine init`: a document → a package that runs, with a manifest as the only thing to read. */
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { ToolPlan } from "../plan.ts";
import { type LoadedDocument, loadDocument } from "../load.ts";
import { planProject } from "../generate.ts";
import { listSize } from "../size.ts";
import { CodegenError } from "../problems.ts";
import { updateProject } from "../update.ts";
import { type DocumentBytes, documentBytes, sourcesText } from "./document-bytes.ts";
import { type Draft, isWrite } from "./drafts.ts";
import { type ProposedFrame, proposeFrame } from "./frame.ts";
import { manifestText } from "./manifest-text.ts";
import { packageFiles } from "./package-files.ts";
import { proposable, proposeTools } from "./propose.ts";

/** Most reads that are tools at once unless all are wanted: a list that a model can keep in view. */
const MAX_ENABLED = 30;
const DEFAULT_BUDGET = 16_384;

const MANIFEST = "tools.manifest.yaml";

/** Which operations are tools at once. */
export type Enable = "reads" | "all" | "none";

export interface InitOptions {
  /** Folder of the package; the server's name by default. */
  readonly out?: string;
  readonly name?: string;
  readonly enable: Enable;
  readonly baseUrl?: string;
}

function refuse(file: string, message: string, hint?: string): never {
  const told = hint === undefined ? { message } : { message, hint };
  throw new CodegenError([{ file, line: 1, column: 1, ...told }]);
}

/** @throws CodegenError where a name or an address cannot be one */
function checkOptions({ name, baseUrl }: Pick<InitOptions, "name" | "baseUrl">): void {
  if (name !== undefined && !/^[a-z][a-z0-9-]{1,31}$/.test(name)) {
    refuse("--name", `"${name}" is no name`, "2 to 32 of a-z, 0-9 and -, a letter first");
  }
  if (baseUrl !== undefined && !(/^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl))) {
    refuse("--base-url", `"${baseUrl}" is no http or https address`);
  }
}

/** A log-in is a read by its method only. */
const asksSecret = ({ parameters }: Draft) =>
  parameters.some(
    ({ name, in: place, schema }) =>
      place === "query" && (schema.format === "password" || /passw|secret/i.test(name)),
  );

/** Which drafts are tools at once. */
function enabledDrafts(drafts: readonly Draft[], enable: Enable): Set<Draft> {
  const able = drafts.filter(({ refusal }) => refusal === undefined);
  const reads = able.filter(
    (draft) =>
      !isWrite(draft.operation) &&
      draft.operation.operation.value.deprecated !== true &&
      !asksSecret(draft),
  );
  switch (enable) {
    case "all":
      return new Set(able);
    case "none":
      return new Set();
    case "reads":
      return new Set(reads.slice(0, MAX_ENABLED));
  }
}

/** Entries of a folder that stand in the way of what is to be written. */
async function inTheWay(folder: string, names: readonly string[]): Promise<string[]> {
  try {
    const there = await readdir(folder);
    return names.filter((name) => there.includes(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT"
      ? []
      : refuse(folder, code === "ENOTDIR" ? "it is not a folder" : `it cannot be read: ${code}`);
  }
}

async function writeAll(folder: string, files: ReadonlyMap<string, string | Uint8Array>) {
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** Everything but the generated files. */
function packageOf(
  proposed: ProposedFrame,
  came: DocumentBytes,
  source: string,
  manifest: string,
): Map<string, string | Uint8Array> {
  const { name, frame } = proposed;
  const file = `${name}.${came.extension}`;
  const facts = {
    name,
    program: frame.program,
    title: frame.title,
    address: came.address,
    variables: Object.entries(frame.variables).map(
      ([variable, { description }]) => [variable, description] as const,
    ),
  };
  return new Map<string, string | Uint8Array>([
    [`openapi/${file}`, came.bytes],
    ["openapi/sources.json", sourcesText(file, came, source)],
    [MANIFEST, manifest],
    ...packageFiles(facts),
  ]);
}

/** The next whole KiB over what the list takes, and the usual budget at least. */
const budgetFor = (bytes: number) => Math.max(DEFAULT_BUDGET, Math.ceil(bytes / 1024) * 1024);

/**
 * Moves a finished package to its place; what stands there already stays.
 * @throws CodegenError when a name is taken
 */
async function moveInto(staging: string, folder: string): Promise<void> {
  const names = await readdir(staging);
  const taken = await inTheWay(folder, names);
  if (taken.length > 0) {
    refuse(
      folder,
      `${taken.join(", ")} ${taken.length === 1 ? "exists" : "exist"} already; nothing was written`,
      "choose another folder with --out",
    );
  }
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await rename(join(staging, name), join(folder, name));
  }
}

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

/**
 * Makes a package.
 * @returns what was made and what is left to do, line by line
 * @throws CodegenError when the document cannot be used or something is in the way; nothing is written then
 */
export async function initPackage(source: string, options: InitOptions): Promise<string[]> {
  checkOptions(options);
  const came = await documentBytes(source);
  const parent = resolve(dirname(resolve(options.out ?? "x")));
  await mkdir(parent, { recursive: true });
  const staging = await mkdtemp(join(parent, ".vitrine-init-"));
  try {
    return await make(source, came, staging, options);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function make(
  source: string,
  came: DocumentBytes,
  staging: string,
  options: InitOptions,
): Promise<string[]> {
  const copy = join(staging, "document");
  await writeFile(copy, came.bytes);
  const document: LoadedDocument = await loadDocument(copy, { label: came.address ?? source });
  await rm(copy);
  const proposed = proposeFrame(document, {
    ...options,
    documentPath: (name) => `openapi/${name}.${came.extension}`,
  });
  const folder = resolve(options.out ?? proposed.name);
  const drafts = proposeTools(document, proposable(document), proposed.frame);
  const enabled = enabledDrafts(drafts, options.enable);
  const text = (budget: number) =>
    manifestText(proposed, budget, drafts, (draft) => enabled.has(draft));
  await writeAll(staging, packageOf(proposed, came, source, text(Number.MAX_SAFE_INTEGER)));
  const manifest = join(staging, MANIFEST);
  const first = await planProject(manifest);
  const { bytes } = listSize(
    first.servers.flatMap(({ plan }) => plan.tools.map(({ descriptor }) => descriptor)),
  );
  await writeFile(manifest, text(budgetFor(bytes)));
  const { project } = await updateProject(manifest);
  await moveInto(staging, folder);
  const refused = drafts.filter(({ refusal }) => refusal !== undefined).length;
  const tools: readonly ToolPlan[] = project.servers.flatMap(({ plan }) => plan.tools);
  return [
    `${options.out ?? proposed.name}: ${plural(tools.length, "tool")} of ${plural(drafts.length, "operation")}, the list takes ${bytes} bytes; ${refused} cannot be tools, the manifest says why`,
    ...proposed.todo.map((line) => `to do: ${line}`),
    `next: read ${join(options.out ?? proposed.name, MANIFEST)}, then vitrine serve --manifest ${join(options.out ?? proposed.name, MANIFEST)}`,
  ];
}
