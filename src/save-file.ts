/** Keeps an answer's bytes in the folder that the operator set aside for it, and nowhere else. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "./errors.ts";

export interface SavedFile {
  readonly path: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Endings of what an ending is known of; never one that the upstream names. */
const ENDINGS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/gzip": "gz",
  "application/x-tar": "tar",
  "application/x-hdf5": "h5",
  "application/x-hdf": "h5",
  "application/netcdf": "nc",
  "application/x-netcdf": "nc",
  "application/vnd.apache.parquet": "parquet",
  "application/vnd.apache.arrow.file": "arrow",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/tiff": "tif",
  "audio/mpeg": "mp3",
  "video/mp4": "mp4",
};

/**
 * Writes the bytes under a name made of the tool's and of the content: the same bytes twice are one file, and nothing that
 * the upstream says can lead out of the folder.
 * @throws ToolError INTERNAL where the folder cannot be written
 */
export async function saveFile(
  folder: string,
  tool: string,
  mediaType: string,
  bytes: Uint8Array,
): Promise<SavedFile> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = join(folder, `${tool}-${sha256.slice(0, 16)}.${ENDINGS[mediaType] ?? "bin"}`);
  const unfinished = join(folder, `.${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(unfinished, bytes, { flag: "wx", mode: 0o600 });
    // Takes the place of whatever has this name, a link included; never writes through it.
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new ToolError("INTERNAL", "The answer could not be saved to the configured folder", {
      hint: "The server's operator should check the folder that save-folder names: it must be writable and have room",
      cause: error,
    });
  }
  return { path, sha256 };
}
