/** A record: one request, one object. Also the JSON answers that pages and units are made of. */
import type { Runtime } from "./call.ts";
import type {
  CallContext,
  JsonObject,
  OperationBinding,
  ResultPlan,
  ToolDescriptor,
} from "./contract.ts";
import { ToolError } from "./errors.ts";
import { type ExactJson, parseExactJson } from "./json.ts";
import { departuresOfRecord } from "./result/declared.ts";
import { emptyAnswer } from "./result/empty.ts";
import { writePart } from "./result/part.ts";
import { asRecord, writeRecord } from "./result/record.ts";
import type { Answer } from "./upstream/upstream.ts";

type RecordPlan = Extract<ResultPlan, { kind: "record" }>;

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

/** Parses a JSON answer without loss. @throws ToolError UNREADABLE_ANSWER */
export function parseJson(answer: Answer, operation: OperationBinding): ExactJson {
  const bytes = requireJson(answer, operation);
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
  return parseJson(answer, operation);
}

/** An answer that says that there is nothing to tell. */
export function isEmptyAnswer({ status, bytes }: Answer): boolean {
  return bytes.length === 0 && (status === 204 || status === 205);
}

export async function readRecord(
  runtime: Runtime,
  tool: ToolDescriptor,
  plan: RecordPlan,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<JsonObject> {
  const { operation } = tool;
  const answer = await runtime.upstream.send(operation, args, context);
  if (isEmptyAnswer(answer)) {
    return emptyAnswer(answer.status, describe(operation));
  }
  const value = parseJson(answer, operation);
  const notes = departuresOfRecord(plan.declared, value);
  const { partArguments: names } = plan;
  const record = asRecord(value, describe(operation));
  if (names === undefined) {
    return writeRecord(record, describe(operation), notes);
  }
  const path = (args[names.path] as string | undefined) ?? "";
  const offset = (args[names.offset] as number | undefined) ?? 0;
  return writePart(record, { path, offset, names, notes }, runtime.maxResultBytes);
}
