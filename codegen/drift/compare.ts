/** Drift: a new document against the committed one, judged by what a server's tools use. */
import type { JsonObject } from "../../src/contract.ts";
import { startsOf } from "../prune.ts";
import { type Flaw, findFlaws, isReached, reachedParts } from "../reach.ts";
import { addressChanges, securityChanges } from "./access.ts";
import { answerChanges } from "./answers.ts";
import { type Change, type Finding, sortFindings } from "./finding.ts";
import {
  fateOf,
  isPublic,
  type Operation,
  operationChanges,
  operationsOf,
  say,
  shapeOf,
} from "./operations.ts";
import { parameterChanges } from "./parameters.ts";
import { unchangedParts } from "./unchanged.ts";
import type { OperationUse, ServerUse } from "./uses.ts";

/** New operations that are listed one by one; more of them become one finding. */
const MAX_NEW = 10;

/** Both documents, taken apart once for all tools. */
interface Documents {
  readonly before: readonly Operation[];
  readonly after: readonly Operation[];
  /** Flaws of the new document. */
  readonly flaws: readonly Flaw[];
  /** Parts that say the same in both. */
  readonly unchanged: ReadonlySet<string>;
}

/** Flaws that the committed document did not have. */
function newFlaws(committed: JsonObject, next: JsonObject): Flaw[] {
  const keyOf = ({ pointer, message }: Flaw) => `${pointer} ${message}`;
  const known = new Set(findFlaws(committed).map(keyOf));
  return findFlaws(next).filter((flaw) => !known.has(keyOf(flaw)));
}

/** Flaws that the operation reaches now: the generator would refuse its tools. */
function flawChanges({ item, path, method }: Operation, flaws: readonly Flaw[]): Change[] {
  if (flaws.length === 0) {
    return [];
  }
  const { document } = item;
  const parts = reachedParts(document, startsOf(document, { path, method: method.toLowerCase() }));
  return flaws
    .filter(({ pointer }) => isReached(pointer, parts))
    .map(({ pointer, message }) => ({
      level: "breaking",
      pointer,
      message: `${message}: no tool can be generated from it`,
    }));
}

function changesOf(
  was: Operation,
  use: OperationUse,
  server: ServerUse,
  { before, after, flaws, unchanged }: Documents,
): Change[] {
  const { is, guessed, changes } = fateOf(was, use, before, after);
  if (is === undefined || guessed) {
    return [...changes];
  }
  const all = [
    ...changes,
    ...operationChanges(was, is, server.guard),
    ...flawChanges(is, flaws),
    ...parameterChanges(was, is, use.parameters),
    ...answerChanges(was.operation, is.operation, use, unchanged),
    ...securityChanges(was, is, server.credentials),
    ...addressChanges(was, is, server.baseUrl),
  ];
  // What an operation brings that only explains failures or gives units is told by the tool that it belongs to.
  return use.own ? all : all.filter((change) => change.level === "breaking");
}

/** Public reads that the new document has and the committed one had not. */
function newOperations(
  server: ServerUse,
  before: readonly Operation[],
  after: readonly Operation[],
): Finding[] {
  const isRead = (op: Operation) => op.method === "GET" && isPublic(op, server.guard);
  const places = new Set(before.filter(isRead).map((op) => shapeOf(op.path)));
  const ids = new Set(before.filter(isRead).map((op) => op.operationId));
  const fresh = after.filter(
    (op) =>
      isRead(op) &&
      !places.has(shapeOf(op.path)) &&
      (op.operationId === undefined || !ids.has(op.operationId)),
  );
  if (fresh.length > MAX_NEW) {
    const named = fresh.map(say).sort().slice(0, MAX_NEW).join(", ");
    const message = `${fresh.length} new public read operations are not in the manifest: ${named} and ${fresh.length - MAX_NEW} more`;
    return [{ level: "additive", tool: null, operation: null, pointer: "/paths", message }];
  }
  return fresh.map((op) => ({
    level: "additive",
    tool: null,
    operation: op.operationId ?? null,
    pointer: op.operation.pointer,
    message: `new public read operation ${say(op)} is not in the manifest`,
  }));
}

/** How many public reads of a document no tool calls. */
export function unlistedReads(document: JsonObject, server: ServerUse): number {
  const used = new Set(server.operations.map(({ method, path }) => `${method} ${shapeOf(path)}`));
  return operationsOf(document).filter(
    (op) =>
      op.method === "GET" &&
      isPublic(op, server.guard) &&
      !used.has(`${op.method} ${shapeOf(op.path)}`),
  ).length;
}

/**
 * Compares the committed document with a new one for one server.
 * Both documents whole and with their `$ref`s; the order of their members makes no difference.
 */
export function compareDocuments(
  committed: JsonObject,
  next: JsonObject,
  server: ServerUse,
): Finding[] {
  const [before, after] = [operationsOf(committed), operationsOf(next)];
  const documents = {
    before,
    after,
    flaws: newFlaws(committed, next),
    unchanged: unchangedParts(committed, next),
  };
  const findings: Finding[] = [];
  for (const use of server.operations) {
    const was = before.find((op) => op.method === use.method && op.path === use.path);
    for (const change of was === undefined ? [] : changesOf(was, use, server, documents)) {
      const { level, pointer, message } = change;
      findings.push({ level, tool: use.tool, operation: use.operationId, pointer, message });
    }
  }
  return unique(
    sortFindings([...findings, ...newOperations(server, before, after)].map(inOneLine)),
  );
}

/** Names and texts of a document are quoted in messages: nothing in them may move a terminal's cursor. */
function inOneLine(finding: Finding): Finding {
  const clean = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  const { operation, pointer } = finding;
  return {
    ...finding,
    message: clean(finding.message),
    operation: operation === null ? null : clean(operation),
    pointer: pointer === null ? null : clean(pointer),
  };
}

/** One schema met on two ways gives one finding. */
function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
