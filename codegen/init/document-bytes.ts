/** A document as it came, and the note of where it came from. */
import { createHash } from "node:crypto";
import { readSource } from "../load.ts";

/** Bytes of a document, and what is to be remembered of them. */
export interface DocumentBytes {
  readonly bytes: Uint8Array;
  /** `json` or `yaml`, by the first sign. */
  readonly extension: "json" | "yaml";
  readonly sha256: string;
  /** The address without what may be secret; undefined for a file. */
  readonly address: string | undefined;
}

/** Address of a document without query and user. */
function bareAddress(source: string): string | undefined {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) {
    return undefined;
  }
  const { protocol, host, pathname } = new URL(source);
  return `${protocol}//${host}${pathname}`;
}

/** @throws CodegenError when it cannot be read */
export async function documentBytes(source: string): Promise<DocumentBytes> {
  const address = bareAddress(source);
  const bytes = await readSource(source, address ?? source);
  const isJson = /^\uFEFF?\s*\{/.test(Buffer.from(bytes.subarray(0, 1024)).toString("utf8"));
  return {
    bytes,
    extension: isJson ? "json" : "yaml",
    sha256: createHash("sha256").update(bytes).digest("hex"),
    address,
  };
}

/** The text of `openapi/sources.json`. */
export function sourcesText(
  file: string,
  { address, sha256 }: DocumentBytes,
  from: string,
): string {
  const origin = address ?? from.split(/[\\/]/).at(-1) ?? "";
  return `${JSON.stringify({ [file]: { origin, sha256 } }, null, 2)}\n`;
}
