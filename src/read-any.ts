/** An answer of any kind: its media type, and where that says little its first bytes, decide what becomes of it. */
import type { Runtime } from "./call.ts";
import type { CallContext, JsonObject, ToolDescriptor } from "./contract.ts";
import { ToolError } from "./errors.ts";
import { parseExactJson } from "./json.ts";
import { type BodyFamily, familyOf } from "./media-type.ts";
import { describe, parseJson } from "./read-record.ts";
import { HARD_LIMIT_BYTES } from "./result/budget.ts";
import { cleanJson } from "./result/clean.ts";
import { emptyAnswer } from "./result/empty.ts";
import { imageType, isWholeImage } from "./result/image.ts";
import { writePart } from "./result/part.ts";
import { writeText } from "./result/text.ts";
import { saveFile } from "./save-file.ts";
import type { Answer } from "./upstream/upstream.ts";

/** An image as hosts show it; `data` is base64. */
export interface ImageContent {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface AnyResult {
  readonly structured: JsonObject;
  readonly image?: ImageContent;
}

interface AnyArguments {
  path?: string;
  offset?: number;
  limit?: number;
}

/** Largest image that is shown [bytes]: base64 makes four characters of three bytes. */
const MAX_IMAGE_BYTES = Math.floor((HARD_LIMIT_BYTES / 4) * 3) - 1024;

/** Text that is no text: NUL and the controls that no writer uses. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const NOT_TEXT = /[\u0000-\u0006\u000e-\u001a]/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Text of the bytes with a note where it had to be guessed; undefined where they are no text. */
function textOf(
  bytes: Uint8Array,
  isSaidToBe: boolean,
): { text: string; notes: string[] } | undefined {
  try {
    const text = utf8.decode(bytes);
    return NOT_TEXT.test(text) ? undefined : { text, notes: [] };
  } catch {
    const text = new TextDecoder("windows-1252").decode(bytes);
    return !isSaidToBe || NOT_TEXT.test(text)
      ? undefined
      : { text, notes: ["The text is not UTF-8 and names no charset: read as windows-1252."] };
  }
}

/** Bytes whose type is not told. */
function sniff({ bytes, mediaType }: Answer): BodyFamily {
  if (imageType(bytes) !== undefined) {
    return "image";
  }
  const text = textOf(bytes, false)?.text;
  if (text === undefined) {
    return "other";
  }
  try {
    // A lone number or word is JSON too, but was hardly meant so.
    return mediaType === "" && /^\s*[{[]/.test(text) && parseExactJson(text) !== null
      ? "json"
      : "text";
  } catch {
    return "text";
  }
}

function showImage(answer: Answer, what: string): AnyResult | undefined {
  const { bytes, mediaType } = answer;
  const type = imageType(bytes);
  if (type === undefined) {
    if (/^image\/(png|jpe?g|gif|webp)$/.test(mediaType)) {
      throw new ToolError(
        "UNREADABLE_ANSWER",
        `The answer to ${what} is said to be ${mediaType}, but is none`,
      );
    }
    return undefined;
  }
  if (!isWholeImage(type, bytes)) {
    throw new ToolError(
      "UNREADABLE_ANSWER",
      `The answer to ${what} is ${type} that breaks off after ${bytes.length} bytes`,
      { hint: "Try again in a minute" },
    );
  }
  return bytes.length > MAX_IMAGE_BYTES
    ? undefined
    : {
        structured: { media_type: type, size_bytes: bytes.length },
        image: { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: type },
      };
}

/** What can neither be shown nor read: kept for the operator, or refused. */
async function keepBytes(
  runtime: Runtime,
  tool: ToolDescriptor,
  answer: Answer,
): Promise<AnyResult> {
  const { bytes } = answer;
  const mediaType = answer.mediaType || "application/octet-stream";
  if (runtime.saveFolder === undefined) {
    throw new ToolError(
      "UNREADABLE_ANSWER",
      `The answer to ${describe(tool.operation)} is ${mediaType} of ${bytes.length} bytes, which cannot be shown`,
      { hint: "Where the server's operator sets save-folder, such answers are saved there" },
    );
  }
  const { path, sha256 } = await saveFile(runtime.saveFolder, tool.name, mediaType, bytes);
  return {
    structured: {
      media_type: mediaType,
      size_bytes: bytes.length,
      sha256,
      saved_to: path,
      note: "The answer cannot be shown here: it was saved on the server's machine.",
    },
  };
}

/** @param kind what the tool promises; `text` shows JSON as it is written */
export async function readAny(
  runtime: Runtime,
  tool: ToolDescriptor,
  kind: "text" | "file" | "any",
  args: Record<string, unknown>,
  context: CallContext,
): Promise<AnyResult> {
  const { operation } = tool;
  const answer = await runtime.upstream.send(operation, args, context);
  const what = describe(operation);
  const { bytes, mediaType } = answer;
  if (bytes.length === 0) {
    return { structured: emptyAnswer(answer.status, what) };
  }
  const said = familyOf(mediaType);
  const family = said === "unknown" ? sniff(answer) : said;
  const { path = "", offset = 0, limit } = kind === "file" ? {} : (args as AnyArguments);
  if (family === "json" && kind !== "text") {
    const names = { path: "path", offset: "offset" };
    const value = cleanJson(parseJson({ ...answer, mediaType: "" }, operation));
    const part = { path, offset, limit, names, notes: [] };
    return { structured: writePart(value, part, runtime.maxResultBytes) };
  }
  if (family === "image") {
    return showImage(answer, what) ?? keepBytes(runtime, tool, answer);
  }
  const text =
    family === "other" || family === "parquet" || family === "arrow"
      ? undefined
      : textOf(bytes, said !== "unknown");
  if (text === undefined) {
    return keepBytes(runtime, tool, answer);
  }
  if (path !== "") {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `path is for JSON; the answer to ${what} is ${mediaType || "text"}`,
      {
        hint: "Leave path out; offset and limit count characters",
      },
    );
  }
  return {
    structured: writeText(
      text.text,
      { offset, limit, mediaType, notes: text.notes },
      runtime.maxResultBytes,
    ),
  };
}
