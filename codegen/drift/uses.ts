/** What a tool needs of an operation: drift is judged against this and nothing else. */
import type { Json, JsonObject, ParameterPlace } from "../../src/contract.ts";

/** How a tool supplies a parameter. */
export interface ParameterUse {
  readonly name: string;
  readonly in: ParameterPlace;
  /** Argument of the tool that supplies the value. */
  readonly argument?: string;
  /** Constant that is sent. */
  readonly fixed?: Json;
  /** The tool never calls without a value. */
  readonly alwaysSent: boolean;
  /** Values the tool may send where that is narrower than the document's, as a JSON Schema. */
  readonly sends?: JsonObject;
}

/** A place in the answer that a tool reads. */
export interface AnswerUse {
  /** JSON pointer into the body, `*` for every list entry or member; `""` is the body. */
  readonly pointer: string;
  /** What reads it, in the manifest's words, e.g. `result.items`. */
  readonly by: string;
  /** Values that make a difference to the tool. */
  readonly values?: readonly Json[];
}

/** One operation that a tool calls. */
export interface OperationUse {
  readonly tool: string;
  /** The tool's own operation, not one that explains a failure or gives units. */
  readonly own: boolean;
  readonly operationId: string;
  /** Upper case. */
  readonly method: string;
  /** Template as the committed document has it. */
  readonly path: string;
  /** The manifest names it as `GET /path`, so that its operationId does not matter. */
  readonly byPath: boolean;
  readonly parameters: readonly ParameterUse[];
  /** Whether the body is read as JSON or taken as a file of any media type. */
  readonly reads: "json" | "file";
  readonly answer: readonly AnswerUse[];
}

/** What one server uses of its document. */
export interface ServerUse {
  /** Section name in the manifest. */
  readonly name: string;
  readonly baseUrl: string;
  /** Members that an operation must carry to be public, e.g. `{"x-hidden": false}`. */
  readonly demands: JsonObject;
  /** Names of `securitySchemes` whose credential is sent. */
  readonly credentials: readonly string[];
  readonly operations: readonly OperationUse[];
}

/** The uses of an answer as a tree, walked together with its schema. */
export interface UseTree {
  /** What reads this very place; absent where only something below or nothing is read. */
  readonly by?: string;
  readonly values?: readonly Json[];
  readonly children: ReadonlyMap<string, UseTree>;
}

export const UNUSED: UseTree = { children: new Map() };

/** Builds the tree of what is read. Every place on the way to a used place is used as well. */
export function useTree(uses: readonly AnswerUse[]): UseTree {
  const here = uses.filter((use) => use.pointer === "");
  const values = here.flatMap((use) => use.values ?? []);
  const below = new Map<string, AnswerUse[]>();
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
