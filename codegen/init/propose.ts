/** A document → drafts of all its operations, tried out on the planner until none is refused that could be one. */
import { type Operation, operationsOf } from "../drift/operations.ts";
import { type Place, placeOf, textOf } from "../drift/place.ts";
import type { LoadedDocument } from "../load.ts";
import type { LoadedManifest } from "../manifest.ts";
import type { ManifestPath } from "../manifest-findings.ts";
import { type ServerSection, serverSchema } from "../manifest-schema.ts";
import { planServer } from "../planning/server.ts";
import { startsOf } from "../prune.ts";
import { findFlaws, isReached, reachedParts } from "../reach.ts";
import { type Draft, entryOf, isWrite, revise, startDraft } from "./drafts.ts";
import { toolNames } from "./names.ts";
import { answersRows } from "./results.ts";

/** Most often that refused drafts are revised; each revision gives something up. */
const MAX_ROUNDS = 40;

/** Larger than any list, so that the budget refuses nothing while drafts are tried. */
const ENDLESS = Number.MAX_SAFE_INTEGER;

const pathArguments = ({ path }: Operation) => path.match(/\{/g)?.length ?? 0;

/** What a reader wants first: lists that need nothing, then lists of something, then single records, old ones last. */
const rankOf = (operation: Operation): number[] => [
  Number(isWrite(operation)),
  Number(operation.operation.value.deprecated === true),
  Number(!answersRows(operation)),
  pathArguments(operation),
  operation.path.split("/").length,
];

function byUse(operations: readonly Operation[]): Operation[] {
  return operations
    .map((operation) => ({ operation, rank: rankOf(operation) }))
    .sort(({ rank: left }, { rank: right }) => {
      const differs = left.findIndex((value, index) => value !== right[index]);
      return differs < 0 ? 0 : (left[differs] ?? 0) - (right[differs] ?? 0);
    })
    .map(({ operation }) => operation);
}

const isInternal = ({ operation: { value } }: Operation) =>
  value["x-hidden"] === true || value["x-internal"] === true;

const CALLABLE = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** Operations of a document that are meant for users, in the order in which they are proposed. */
export function proposable(document: LoadedDocument): Operation[] {
  return byUse(
    operationsOf(document.json).filter(
      (operation) => CALLABLE.includes(operation.method) && !isInternal(operation),
    ),
  );
}

/** The operationId where it names this operation alone, else method and path. */
function referenceOf({ operationId, method, path }: Operation, ids: ReadonlyMap<string, number>) {
  return operationId !== undefined &&
    operationId.trim() !== "" &&
    ids.get(operationId) === 1 &&
    !/^[A-Za-z]+ \//.test(operationId)
    ? operationId
    : `${method} ${path}`;
}

/** Every flaw that an operation reaches is a reason to refuse it. */
function refuseFlawed(document: LoadedDocument, drafts: readonly Draft[]): void {
  const flaws = findFlaws(document.json);
  for (const draft of flaws.length === 0 ? [] : drafts) {
    const { path, method } = draft.operation;
    const address = { path, method: method.toLowerCase() };
    const parts = reachedParts(document.json, startsOf(document.json, address));
    const flaw = flaws.find(({ pointer }) => isReached(pointer, parts));
    if (flaw !== undefined) {
      draft.refusal = `${flaw.message} (#${flaw.pointer})`;
    }
  }
}

/** Plans drafts as one section and gives the problems by path below `tools`. */
function tryOut(
  document: LoadedDocument,
  frame: Omit<ServerSection, "tools">,
  drafts: readonly Draft[],
) {
  const paths: ManifestPath[] = [];
  const manifest: LoadedManifest = {
    file: "",
    servers: {},
    problems: [],
    locate: (path) => ({ line: paths.push(path), column: 1 }),
  };
  const tools = Object.fromEntries(drafts.map((draft) => [draft.name, entryOf(draft)]));
  const section = serverSchema.parse({ ...frame, budget: ENDLESS, tools });
  const { problems } = planServer(manifest, document, "draft", section);
  return problems.flatMap(({ line, file, message }) => {
    const [, , below, ...rest] = file === "" ? (paths[line - 1] ?? []) : [];
    return below === "tools" ? [{ path: rest, message }] : [];
  });
}

/** Revises drafts until the planner takes all that are left; the others say why not. */
function settle(
  document: LoadedDocument,
  frame: Omit<ServerSection, "tools">,
  drafts: readonly Draft[],
): void {
  let open = drafts.filter(({ refusal }) => refusal === undefined);
  for (let round = 0; open.length > 0 && round < MAX_ROUNDS; round += 1) {
    const problems = tryOut(document, frame, open);
    const refused = new Set(problems.map(({ path: [name] }) => name));
    open = open.filter((draft) => refused.has(draft.name));
    for (const draft of open) {
      const own = problems.filter(({ path: [name] }) => name === draft.name);
      // One result kind is given up at a time: the next one may put other things right as well.
      const first = own.find(({ path: [, member] }) => member === "result");
      for (const { path, message } of first === undefined ? own : [first]) {
        revise(draft, path.slice(1), message);
      }
    }
    open = open.filter(({ refusal }) => refusal === undefined);
  }
  for (const draft of open) {
    draft.refusal = "no way was found to make it a tool";
  }
}

/**
 * Drafts of operations, each either taken by the planner or refused with a reason.
 * @param frame the section without its tools
 * @param taken names of tools that exist already
 */
export function proposeTools(
  document: LoadedDocument,
  operations: readonly Operation[],
  frame: Omit<ServerSection, "tools">,
  taken: Iterable<string> = [],
): Draft[] {
  const ids = new Map<string, number>();
  for (const { operationId = "" } of operationsOf(document.json)) {
    ids.set(operationId, (ids.get(operationId) ?? 0) + 1);
  }
  const names = toolNames(operations, answersRows, taken);
  const keys = keyParameters(document);
  const drafts = operations.map((operation) =>
    startDraft(operation, names.get(operation) ?? "", referenceOf(operation, ids), keys),
  );
  refuseFlawed(document, drafts);
  settle(document, frame, drafts);
  return drafts;
}

/** The document's security schemes by name. */
export function securitySchemes({ json }: LoadedDocument): [string, Place][] {
  const components = placeOf(json, json.components, "/components");
  const schemes = placeOf(json, components.value.securitySchemes, "/components/securitySchemes");
  return Object.entries(schemes.value).map(([name, value]) => [
    name,
    placeOf(json, value, `/components/securitySchemes/${name}`),
  ]);
}

function keyParameters(document: LoadedDocument): string[] {
  return securitySchemes(document).flatMap(([, scheme]) => textOf(scheme, "name") ?? []);
}
