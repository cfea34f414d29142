/** A record: one request, one object. Also the JSON answers that pages and units are made of. */
import type { Runtime } from "./call.ts";
import type { CallContext, JsonObject, OperationBinding, ToolDescriptor } from "./contract.ts";
import { ToolError } from "./errors.ts";
import { type ExactJson, parseExactJson } from "./json.ts";
import { writeRecord } from "./result/record.ts";
import type { Answer } from "./upstream/upstream.ts";

const JSON_MEDIA_TYPE = /^(application|text)\/(.+\+)?json$/;

/** What was asked, for messages: the route as the document writes it. */
export function describe(operation: OperationBinding): string {
  return `${operation.method} ${operation.path}`;
}

/** @throws ToolError UNREADABLE_ANSWER unless the answer says that it is JSON */
export function requireJson(answer: Answer, operation: OperationBinding): Uint8Array {
  if (answer.mediaType !== "" && !JSON_MEDIA_TYPE.test(answer.mediaType)) {
    throw new ToolError(
      "UNREADABLE_ANSWER",
      `The answer to ${describe(operation)} is ${answer.mediaType}, not JSON`,
    );
  }
  return answer.bytes;
}

function parse(bytes: Uint8Array, operation: OperationBinding): ExactJson {
  try {
    return parseExactJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ToolError(
      "UNREADABLE_ANSWER",
      `The answer to ${describe(operation)} is not whole, valid JSON (${bytes.length} bytes came)`,
      { hint: "Try again; if it stays so, the upstream answers wrongly", cause: error },
    );
  }
}

/** Sends an operation and parses its JSON answer without loss. */
export async function fetchJson(
  runtime: Runtime,
  operation: OperationBinding,
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<ExactJson> {
  const answer = await runtime.upstream.send(operation, args, context);
  return parse(requireJson(answer, operation), operation);
}

export async function readRecord(
  runtime: Runtime,
  tool: ToolDescriptor,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<JsonObject> {
  const value = await fetchJson(runtime, tool.operation, args, context);
  return writeRecord(value, describe(tool.operation));
}
