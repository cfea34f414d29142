/**
 * Values offered while somebody types: ids out of lists, column names out of tables.
 *
 * A list may need an id of its own (the measurements of which cell?). Where the client has not sent one, the list above is
 * walked, newest first, until there are enough values or the calls are used up: an offer must come while one still types.
 */
import type {
  CompletionSource,
  Json,
  JsonObject,
  ServerDescriptor,
  ToolDescriptor,
} from "../contract.ts";
import { ToolError } from "../errors.ts";
import { atPointer } from "../json.ts";
import type { Call, Catalogue } from "./catalogue.ts";
import { shownOf } from "./outcome.ts";
import { requiredArguments, tableOfTemplate } from "./resources.ts";

/** Values of one completion, as the protocol bounds them. */
export interface Completion {
  /** At most 100. */
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

const MAX_VALUES = 100;
/** Most calls of one completion. */
const MAX_CALLS = 6;
/** Items of one list. */
const LIST_LIMIT = 100;

const NOTHING: Completion = { values: [], hasMore: false };

interface Candidate {
  readonly value: string;
  readonly text: string;
}

function textAt(item: Json, pointer: string | undefined): string {
  const found = pointer === undefined ? undefined : atPointer(item, pointer);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

/** Candidates in a tool's answer. */
function candidatesOf(source: CompletionSource, shown: JsonObject): Candidate[] {
  if (source.value === undefined) {
    const columns = Array.isArray(shown.columns) ? shown.columns : [];
    return columns.map((name) => ({ value: String(name), text: String(name) }));
  }
  const items = Array.isArray(shown.items) ? shown.items : [];
  return items.flatMap((item) => {
    const value = textAt(item, source.value);
    return value === "" ? [] : [{ value, text: textAt(item, source.match) }];
  });
}

/** One completion's walk. */
class Walk {
  readonly #sources: Readonly<Record<string, CompletionSource>>;
  readonly #tools: ReadonlyMap<string, ToolDescriptor>;
  readonly #call: Call;
  #callsLeft = MAX_CALLS;
  /** Whether calls were left out, so that there may be more values. */
  cut = false;

  constructor({ completions = {}, tools }: ServerDescriptor, call: Call) {
    this.#sources = completions;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#call = call;
  }

  /** Candidates by key, given values of other keys, those of one list after the other. */
  async *candidates(
    key: string,
    given: Readonly<Record<string, string>>,
    above: readonly string[] = [],
  ): AsyncGenerator<Candidate> {
    const source = this.#sources[key];
    const tool = source && this.#tools.get(source.tool);
    if (source === undefined || tool === undefined || above.includes(key)) {
      return;
    }
    for await (const args of this.#arguments(requiredArguments(tool), given, [...above, key])) {
      if (this.#callsLeft === 0) {
        this.cut = true;
        return;
      }
      this.#callsLeft -= 1;
      const limit = source.value === undefined ? 1 : LIST_LIMIT;
      const outcome = await this.#call(tool.name, { ...args, limit });
      if (outcome.isError === true) {
        continue;
      }
      yield* candidatesOf(source, shownOf(outcome));
      if (source.value === undefined) {
        // One table's columns are what its like has.
        return;
      }
    }
  }

  /** Ways to give a tool what it needs: as given, else each candidate in turn. */
  async *#arguments(
    names: readonly string[],
    given: Readonly<Record<string, string>>,
    above: readonly string[],
  ): AsyncGenerator<Record<string, string>> {
    const [name, ...rest] = names;
    if (name === undefined) {
      yield {};
      return;
    }
    const known = given[name];
    if (known !== undefined) {
      for await (const others of this.#arguments(rest, given, above)) {
        yield { [name]: known, ...others };
      }
      return;
    }
    for await (const { value } of this.candidates(name, given, above)) {
      for await (const others of this.#arguments(rest, { ...given, [name]: value }, above)) {
        yield { [name]: value, ...others };
      }
    }
  }
}

/** What the place's argument is completed by, and what its other arguments are worth. */
function keysOf(
  server: ServerDescriptor,
  place: Parameters<Catalogue["complete"]>[0],
): ReadonlyMap<string, string> | undefined {
  if ("template" in place) {
    const tool = tableOfTemplate(server, place.template);
    return tool && new Map(requiredArguments(tool).map((name) => [name, name]));
  }
  const prompt = server.prompts?.find(({ name }) => name === place.prompt);
  return (
    prompt &&
    new Map(
      prompt.arguments.flatMap(({ name, complete }) =>
        complete === undefined ? [] : [[name, complete] as const],
      ),
    )
  );
}

/** @throws ToolError NOT_FOUND where the place does not exist */
export function createCompletion(server: ServerDescriptor): Catalogue["complete"] {
  return async (place, argument, given, call) => {
    const keys = keysOf(server, place);
    if (keys === undefined) {
      const what = "template" in place ? "resource template" : "prompt";
      throw new ToolError("NOT_FOUND", `There is no such ${what}`);
    }
    const key = keys.get(argument.name);
    if (key === undefined) {
      return NOTHING;
    }
    const typed = argument.value.toLowerCase();
    const known = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => {
        const other = keys.get(name);
        return other === undefined || other === key || value === "" ? [] : [[other, value]];
      }),
    );
    const walk = new Walk(server, call);
    const values = new Set<string>();
    for await (const { value, text } of walk.candidates(key, known)) {
      if (value.toLowerCase().startsWith(typed) || text.toLowerCase().includes(typed)) {
        if (values.size === MAX_VALUES) {
          return { values: [...values], hasMore: true };
        }
        values.add(value);
      }
    }
    return { values: [...values], hasMore: walk.cut };
  };
}
