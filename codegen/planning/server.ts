/** One section of the manifest and its document → the plan of a server, and everything that is wrong with it. */
import type { JsonObject } from "../../src/contract.ts";
import { operationsOf } from "../drift/operations.ts";
import type { LoadedDocument } from "../load.ts";
import type { LoadedManifest } from "../manifest.ts";
import type { ManifestPath } from "../manifest-findings.ts";
import type { ServerSection } from "../manifest-schema.ts";
import type { ServerPlan, ToolPlan } from "../plan.ts";
import type { Problem } from "../problems.ts";
import { startsOf } from "../prune.ts";
import { type Flaw, findFlaws, isReached, reachedParts } from "../reach.ts";
import { listSize } from "../size.ts";
import { planCatalogue } from "./catalogue.ts";
import type { Planning } from "./context.ts";
import { planTool } from "./tool.ts";
import { planDescriptor } from "./upstream.ts";

const DEFAULT_BUDGET = 16_384;

/** A server's plan; `problems` is empty exactly when it can be emitted. */
export interface PlannedServer {
  readonly plan: ServerPlan;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** The first tool that reaches a flaw. */
function reachedBy(
  document: LoadedDocument,
  flaws: readonly Flaw[],
  tools: readonly ToolPlan[],
): Map<Flaw, string> {
  const found = new Map<Flaw, string>();
  for (const { descriptor, operations } of flaws.length === 0 ? [] : tools) {
    const starts = operations.flatMap(({ binding: { path, method } }) =>
      startsOf(document.json, { path, method: method.toLowerCase() }),
    );
    const parts = reachedParts(document.json, starts);
    for (const flaw of flaws) {
      if (!found.has(flaw) && isReached(flaw.pointer, parts)) {
        found.set(flaw, descriptor.name);
      }
    }
  }
  return found;
}

function flawProblem(document: LoadedDocument, flaw: Flaw, tool: string | undefined): Problem {
  return {
    file: document.source,
    ...document.locate(flaw.pointer),
    message: `${flaw.message} (#${flaw.pointer})`,
    ...(tool === undefined ? {} : { hint: `the tool ${tool} needs this part of the document` }),
  };
}

/** Plans a server. `at` is where its section stands in the manifest. */
export function planServer(
  manifest: LoadedManifest,
  document: LoadedDocument,
  name: string,
  section: ServerSection,
): PlannedServer {
  const problems: Problem[] = [];
  const report = (path: ManifestPath, message: string, hint?: string): void => {
    const position = manifest.locate(["servers", name, ...path]);
    const told = hint === undefined ? { message } : { message, hint };
    problems.push({ file: manifest.file, ...position, ...told });
  };
  const planning: Planning = {
    document,
    operations: operationsOf(document.json),
    guard: (section.guard ?? {}) as JsonObject,
    variables: Object.keys(section.variables),
    report,
  };
  const descriptor = planDescriptor(planning, name, section);
  const tools = Object.entries(section.tools)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, { enabled }]) => enabled !== false)
    .flatMap(([tool, entry]): ToolPlan[] => {
      const at = ["tools", tool];
      const planned = planTool(
        { ...planning, report: (path, message, hint) => report([...at, ...path], message, hint) },
        tool,
        entry,
      );
      return planned === undefined ? [] : [planned];
    });
  const catalogue = planCatalogue(planning, section, tools);
  const budget = section.budget ?? DEFAULT_BUDGET;
  const { bytes } = listSize(tools.map((tool) => tool.descriptor));
  if (bytes > budget) {
    report(
      section.budget === undefined ? ["tools"] : ["budget"],
      `the tool list is ${bytes} bytes, over the budget of ${budget}`,
      "vitrine inspect shows the bytes of each tool",
    );
  }
  const flaws = findFlaws(document.json);
  const reached = reachedBy(document, flaws, tools);
  const told = (flaw: Flaw) => flawProblem(document, flaw, reached.get(flaw));
  return {
    plan: {
      descriptor: { ...descriptor, ...catalogue },
      document: section.document,
      guard: planning.guard,
      budget,
      tools,
    },
    problems: [...problems, ...flaws.filter((flaw) => reached.has(flaw)).map(told)],
    warnings: flaws.filter((flaw) => !reached.has(flaw)).map(told),
  };
}
