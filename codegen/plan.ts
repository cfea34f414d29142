/**
 * The plan: a document and one section of the manifest, fully resolved into plain data.
 *
 * `load` and `manifest` feed it, `emit` writes it out, `check` compares what it uses with a newer document. Nothing after
 * this file looks at the manifest, and only `emit/types` and `check` look at the document again.
 */
import type {
  Json,
  JsonObject,
  OperationBinding,
  ParameterPlace,
  ServerDescriptor,
  ToolDescriptor,
} from "../src/contract.ts";

/** One server of the manifest. */
export interface ServerPlan {
  /** Everything of the descriptor but its tools. */
  readonly descriptor: Omit<ServerDescriptor, "tools">;
  /** File or URL of the document, as the manifest writes it (a file is relative to the manifest). */
  readonly document: string;
  /** Members that an operation must carry to be public, e.g. `{"x-hidden": false}`; empty when all are. */
  readonly guard: JsonObject;
  /** Most bytes of the compact `{"tools":[…]}`. */
  readonly budget: number;
  /** Sorted by name. */
  readonly tools: readonly ToolPlan[];
}

/** One tool: what the model sees and everything that it calls. */
export interface ToolPlan {
  /** The descriptor as it is emitted, without the zod function. */
  readonly descriptor: Omit<ToolDescriptor, "arguments">;
  /** The tool's own arguments in the manifest's order; those of the window or the page are not among them. */
  readonly arguments: readonly ArgumentPlan[];
  /** The tool's own operation first, then those that give units and explain failures. */
  readonly operations: readonly OperationPlan[];
}

/** One operation that a tool calls. */
export interface OperationPlan {
  readonly role: "own" | "units" | "explain";
  readonly binding: OperationBinding;
  /** Whether the document gives the operation an id; without one `binding.operationId` is `GET /path`. */
  readonly hasOperationId: boolean;
  /** The manifest names it as `GET /path`, so that its operationId does not matter. */
  readonly byPath: boolean;
  readonly deprecated: boolean;
  /** JSON pointer of the operation in the document, e.g. `/paths/~1materials/get`. */
  readonly pointer: string;
  /** Whether the body is read as JSON, or taken as a file of any media type. */
  readonly reads: "json" | "file";
  readonly parameters: readonly ParameterPlan[];
  /** Places in the answer that the tool reads. */
  readonly answer: readonly AnswerPlan[];
}

/** A parameter that an operation is sent with. */
export interface ParameterPlan {
  readonly name: string;
  readonly in: ParameterPlace;
  /** JSON pointer of the parameter in the document, `$ref` followed. */
  readonly pointer: string;
  /** The tool never calls without a value. */
  readonly alwaysSent: boolean;
  /** What the tool may send, as a JSON Schema of the value before it is written on the wire. */
  readonly sends: JsonObject;
}

/** A place in an answer that a tool reads. */
export interface AnswerPlan {
  /** JSON pointer into the body, `*` for every list entry or member; `""` is the body. */
  readonly pointer: string;
  /** What reads it, in the manifest's words, e.g. `result.items`. */
  readonly by: string;
  /** Values that make a difference to the tool. */
  readonly values?: readonly Json[];
}

/** Scalar types of an argument. */
export type ScalarType = "string" | "integer" | "number" | "boolean";

/** One argument, precise enough for both the zod schema and the JSON Schema. */
export interface ArgumentPlan {
  readonly name: string;
  readonly description: string;
  /** The caller must give it. */
  readonly required: boolean;
  readonly type: ScalarType | "array";
  /** Of the entries where `type` is `array`. */
  readonly items?: Pick<ArgumentPlan, "enum"> & { readonly type: ScalarType };
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}
