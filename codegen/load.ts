/** An OpenAPI 3.0 or 3.1 document from a file or a URL, YAML or JSON, with the place of every part. */
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Json, JsonObject } from "../src/contract.ts";
import { isObject } from "./drift/place.ts";
import { embedExternals } from "./externals.ts";
import {
  type Position,
  readJsonSourced,
  readSourced,
  type Sourced,
  UnreadableText,
} from "./positions.ts";
import { CodegenError } from "./problems.ts";

/** A document that was read. */
export interface LoadedDocument {
  /** File or URL, as it was asked for: what problems name. */
  readonly source: string;
  readonly json: JsonObject;
  /** Place of the value at a JSON pointer. */
  locate(pointer: string): Position;
}

export interface LoadOptions {
  /** Folder that a relative path starts from; the current one by default. */
  readonly folder?: string;
  /** Name of the document in messages, where it is not the source itself. */
  readonly label?: string;
  /** Files or URLs that `$ref` may lead to, as the document writes them; everything else outside is refused. */
  readonly externals?: readonly string[];
}

/** Longest wait for a document behind a URL [ms]. */
const TIMEOUT_MS = 30_000;
/** Largest document [bytes]; the largest published ones are below 20 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source);

async function fetchBytes(url: string): Promise<Uint8Array> {
  const answer = await fetch(url, {
    headers: { accept: "application/json, application/yaml;q=0.9, */*;q=0.5" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) {
    throw new Error(`the answer is HTTP ${answer.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) {
      throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Where a source is read from: an absolute path or a URL. */
function addressOf(source: string, folder: string): string {
  if (isUrl(source)) {
    return source;
  }
  const path = source.startsWith("file:") ? fileURLToPath(source) : source;
  return isAbsolute(path) ? path : resolve(folder, path);
}

function explain(error: unknown): string {
  const { code, message, cause } = error as NodeJS.ErrnoException & { cause?: Error };
  if (code === "ENOENT") {
    return "there is no such file";
  }
  // fetch says "fetch failed"; its cause says why.
  // A time-out is a DOMException, whose code is a number that tells nobody anything.
  return typeof code === "string" ? code : (cause?.message ?? message);
}

/**
 * A document's bytes as they came.
 * @throws CodegenError when it cannot be read; `label` names it there
 */
export async function readSource(
  source: string,
  label: string,
  folder = process.cwd(),
): Promise<Uint8Array> {
  try {
    const address = addressOf(source, folder);
    return isUrl(address) ? await fetchBytes(address) : await readFile(address);
  } catch (error) {
    throw new CodegenError([
      {
        file: label,
        line: 1,
        column: 1,
        message: `the document cannot be read: ${explain(error)}`,
      },
    ]);
  }
}

async function readText(source: string, label: string, folder: string): Promise<string> {
  const bytes = await readSource(source, label, folder);
  return Buffer.from(bytes)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
}

function parse(text: string, label: string): Sourced {
  if (/^\s*\{/.test(text)) {
    try {
      return readJsonSourced(text);
    } catch {
      // YAML in braces, or JSON with a mistake whose place the YAML parser tells.
    }
  }
  try {
    return readSourced(text);
  } catch (error) {
    if (error instanceof UnreadableText) {
      const message = `the document cannot be parsed: ${error.message}`;
      throw new CodegenError([{ file: label, ...error.position, message }]);
    }
    throw error;
  }
}

/** Why something is not a document that can be used, or undefined. */
function refusal(json: Json): { key: string; message: string; hint?: string } | undefined {
  if (!isObject(json)) {
    return { key: "", message: "the document is not an object" };
  }
  const { openapi, swagger } = json;
  if (swagger !== undefined) {
    return {
      key: "swagger",
      message: `OpenAPI ${String(swagger)} is not supported`,
      hint: "convert it to OpenAPI 3.0 or 3.1",
    };
  }
  if (typeof openapi !== "string" || !/^3\.[01](\.|$)/.test(openapi)) {
    return {
      key: "openapi",
      message:
        openapi === undefined
          ? "the document does not say its OpenAPI version"
          : `OpenAPI ${JSON.stringify(openapi)} is not supported`,
      hint: "openapi: 3.0.x and 3.1.x are read",
    };
  }
  if (!isObject(json.paths)) {
    return { key: "paths", message: "the document has no paths" };
  }
  return undefined;
}

/** Steps of a JSON pointer. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Reads a document. References are left as they are; those to allowed files lead into the document afterwards.
 * @throws CodegenError when it cannot be read, parsed or is no OpenAPI 3.0 or 3.1
 */
export async function loadDocument(
  source: string,
  options: LoadOptions = {},
): Promise<LoadedDocument> {
  const { folder = process.cwd(), label = source, externals = [] } = options;
  const text = await readText(source, label, folder);
  const sourced = parse(text, label);
  const wrong = refusal(sourced.data);
  if (wrong !== undefined) {
    const { key, message, hint } = wrong;
    const position = sourced.locate(key === "" ? [] : [key]);
    throw new CodegenError([
      { file: label, ...position, message, ...(hint === undefined ? {} : { hint }) },
    ]);
  }
  const base = isUrl(source) ? source : dirname(addressOf(source, folder));
  const json = await embedExternals(sourced.data as JsonObject, externals, async (file) => {
    const address = isUrl(base) && !isUrl(file) ? new URL(file, base).href : file;
    return parse(await readText(address, file, isUrl(base) ? folder : base), file).data;
  });
  return { source: label, json, locate: (pointer) => sourced.locate(stepsOf(pointer)) };
}
