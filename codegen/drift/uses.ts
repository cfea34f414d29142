/** What a tool needs of an operation: drift is judged against this and nothing else. */
import type { Json, JsonObject } from "../../src/contract.ts";
import type { AnswerPlan, OperationPlan, ParameterPlan, ServerPlan, ToolPlan } from "../plan.ts";

/** How a tool supplies a parameter. */
export interface ParameterUse extends Pick<ParameterPlan, "name" | "in" | "alwaysSent"> {
  /** Argument of the tool that supplies the value. */
  readonly argument?: string;
  /** Constant that is sent. */
  readonly fixed?: Json;
  /** Values the tool may send, as a JSON Schema; absent where nothing is known but the document's own schema. */
  readonly sends?: JsonObject;
}

/** One operation that a tool calls. */
export interface OperationUse extends Pick<OperationPlan, "byPath" | "reads" | "answer"> {
  readonly tool: string;
  /** The tool's own operation, not one that explains a failure or gives units. */
  readonly own: boolean;
  readonly operationId: string;
  /** Upper case. */
  readonly method: string;
  /** Template as the committed document has it. */
  readonly path: string;
  readonly parameters: readonly ParameterUse[];
}

/** What one server uses of its document. */
export interface ServerUse {
  readonly baseUrl: string;
  /** Members that an operation must carry to be public, e.g. `{"x-hidden": false}`. */
  readonly guard: JsonObject;
  /** Names of `securitySchemes` whose credential is sent. */
  readonly credentials: readonly string[];
  readonly operations: readonly OperationUse[];
}

/** What a server uses of its document. */
export function usesOf(plan: ServerPlan): ServerUse {
  const { upstream } = plan.descriptor;
  return {
    baseUrl: upstream.baseUrl,
    guard: plan.guard,
    credentials: upstream.credentials.map(({ name }) => name),
    operations: plan.tools.flatMap(({ descriptor, operations }) =>
      operations.map((operation): OperationUse => {
        const { role, binding, byPath, reads } = operation;
        const { operationId, method, path } = binding;
        const parameters = operation.parameters.map((parameter) => supply(parameter, operation));
        const own = role === "own";
        const answer = own ? [...operation.answer, ...entriesOf(descriptor)] : operation.answer;
        const tool = descriptor.name;
        return { tool, own, operationId, method, path, byPath, reads, answer, parameters };
      }),
    ),
  };
}

/** Items of a page and columns of a table are read as they come, whatever their names: their type matters. */
function entriesOf({ result }: ToolPlan["descriptor"]): AnswerPlan[] {
  if (result.kind === "page") {
    return [{ pointer: `${result.items}/*`, by: "result.items" }];
  }
  return result.kind === "table" && result.format === "json-columns"
    ? [{ pointer: `${result.at ?? ""}/*`, by: "result.at" }]
    : [];
}

function supply(parameter: ParameterPlan, { binding }: OperationPlan): ParameterUse {
  const { name, in: place, alwaysSent, sends } = parameter;
  const bound = binding.parameters.find((other) => other.name === name && other.in === place);
  return {
    name,
    in: place,
    alwaysSent,
    sends,
    ...(bound?.argument === undefined ? {} : { argument: bound.argument }),
    ...(bound?.fixed === undefined ? {} : { fixed: bound.fixed }),
  };
}

/** The uses of an answer as a tree, walked together with its schema. */
export interface UseTree {
  /** What reads this very place or something below it; absent where nothing does. */
  readonly by?: string;
  readonly values?: readonly Json[];
  readonly children: ReadonlyMap<string, UseTree>;
}

export const UNUSED: UseTree = { children: new Map() };

/** Builds the tree of what is read. */
export function useTree(uses: readonly AnswerPlan[]): UseTree {
  const here = uses.filter((use) => use.pointer === "");
  const values = here.flatMap((use) => use.values ?? []);
  const below = new Map<string, AnswerPlan[]>();
  for (const use of uses.filter(({ pointer }) => pointer !== "")) {
    const [, token = "", ...rest] = use.pointer.split("/");
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const pointer = rest.map((part) => `/${part}`).join("");
    below.set(key, [...(below.get(key) ?? []), { ...use, pointer }]);
  }
  const by = (here[0] ?? uses[0])?.by;
  return {
    ...(by === undefined ? {} : { by }),
    ...(values.length === 0 ? {} : { values }),
    children: new Map([...below].map(([key, inner]) => [key, useTree(inner)])),
  };
}
