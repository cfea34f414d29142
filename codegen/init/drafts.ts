/** One operation on its way to an entry of the manifest: what is proposed, and what to try when the planner refuses it. */
import type { Operation } from "../drift/operations.ts";
import { toolSchema } from "../manifest-tool-schema.ts";
import { type Parameter, parametersOf } from "../planning/parameters.ts";
import { argumentName } from "./names.ts";
import { guessResults, type ResultGuess } from "./results.ts";
import { argumentWords, toolTitle, toolWords } from "./words.ts";

/** An entry as the manifest writes it. */
export type Entry = Readonly<Record<string, unknown>>;

interface DraftArgument {
  readonly parameter: Parameter;
  name: string;
}

export interface Draft {
  readonly operation: Operation;
  readonly name: string;
  /** How the manifest names the operation. */
  readonly reference: string;
  readonly parameters: readonly Parameter[];
  arguments: DraftArgument[];
  /** Result kinds that were not refused yet, the best first. */
  results: ResultGuess[];
  /** What the manifest should say about it, one line each. */
  readonly notes: string[];
  /** Why it cannot be a tool. */
  refusal?: string;
}

/** Parameters that no reader gives: the document asks not to use them, or they are about transport. */
function isHidden(
  { name, in: place, required, schema }: Parameter,
  keys: readonly string[],
): boolean {
  const isTransport =
    (place === "header" &&
      /^(accept|user-agent|if-|x-request-|x-correlation-|traceparent)/i.test(name)) ||
    (place === "query" &&
      /^(callback|jsonp|pretty|pretty_?print|f|(response_?|output_?)?format)$/i.test(name));
  return !required && (isTransport || schema.deprecated || keys.includes(name));
}

/** Names that are given twice, or once each with different places, get their place behind. */
function uniqueNames(parameters: readonly Parameter[]): DraftArgument[] {
  const used = new Set<string>();
  return parameters.map((parameter) => {
    const bare = argumentName(parameter.name);
    let name = used.has(bare) ? `${bare}_${parameter.in}` : bare;
    for (let number = 2; used.has(name); number += 1) {
      name = `${bare}_${number}`;
    }
    used.add(name);
    return { parameter, name };
  });
}

/**
 * Starts a draft.
 * @param reference operationId, or `GET /path` where that says more
 * @param keys parameters that carry a credential
 */
export function startDraft(
  operation: Operation,
  name: string,
  reference: string,
  keys: readonly string[],
): Draft {
  const all = parametersOf(operation);
  const hidden = all.filter((parameter) => isHidden(parameter, keys));
  const offered = all.filter((parameter) => !hidden.includes(parameter));
  const notes =
    hidden.length === 0 ? [] : [`hidden: ${hidden.map((parameter) => parameter.name).join(", ")}`];
  const results = guessResults(operation, all);
  const draft: Draft = {
    operation,
    name,
    reference,
    parameters: all,
    arguments: uniqueNames(offered),
    results,
    notes,
  };
  // What the manifest's schema does not take is not tried.
  draft.results = results.filter((guess) => toolSchema.safeParse(entryOf(draft, guess)).success);
  return draft;
}

function argumentEntry(draft: Draft, { parameter, name }: DraftArgument): Entry {
  const isTwice = draft.parameters.filter((one) => one.name === parameter.name).length > 1;
  const description = argumentWords(parameter.description);
  return {
    ...(name === parameter.name ? {} : { parameter: parameter.name }),
    ...(isTwice ? { in: parameter.in } : {}),
    ...(description === undefined ? {} : { description }),
  };
}

/** The entry that a draft stands for. */
export function entryOf(draft: Draft, guess: ResultGuess | undefined = draft.results[0]): Entry {
  const { operation, name, reference } = draft;
  const offered = draft.arguments.filter(
    ({ parameter }) => !(parameter.in === "query" && guess?.takes.includes(parameter.name)),
  );
  const result = guess?.result;
  return {
    operation: reference,
    title: toolTitle(operation, name),
    description: toolWords(operation),
    ...(offered.length === 0
      ? {}
      : {
          arguments: Object.fromEntries(
            offered.map((argument) => [argument.name, argumentEntry(draft, argument)]),
          ),
        }),
    ...(result === undefined || result.kind === "record" ? {} : { result }),
    ...(isWrite(operation) && WRITES_EXIST ? { writes: true } : {}),
  };
}

/** Whether an operation changes something. */
export const isWrite = ({ method }: Operation): boolean => method !== "GET" && method !== "HEAD";

const WRITES_EXIST = "writes" in toolSchema.shape;

/** Answers a refusal by the planner at a place of the entry: something else to try, less to offer, or none. */
export function revise(draft: Draft, path: readonly (string | number)[], message: string): void {
  const [member, key] = path;
  if (member === "result" && draft.results.length > 1) {
    draft.results.shift();
    return;
  }
  const argument = draft.arguments.find(({ name }) => member === "arguments" && name === key);
  if (argument === undefined) {
    draft.refusal = message;
    return;
  }
  const renamed = `by_${argument.name}`;
  if (/is taken/.test(message) && !draft.arguments.some(({ name }) => name === renamed)) {
    argument.name = renamed;
  } else if (argument.parameter.required) {
    draft.refusal = message;
  } else {
    draft.arguments = draft.arguments.filter((one) => one !== argument);
    draft.notes.push(`not offered: ${message}`);
  }
}
