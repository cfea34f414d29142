/** Images that hosts show, recognised by their first and last bytes: a cut one is no image. */

/** What the bytes are, where it is an image of a kind that hosts show. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString("latin1");

/** The kind of image that the bytes begin as; undefined for everything else. */
export function imageType(bytes: Uint8Array): ImageType | undefined {
  const start = latin1(bytes, 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) {
    return "image/png";
  }
  if (start.startsWith("\xff\xd8\xff")) {
    return "image/jpeg";
  }
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) {
    return "image/gif";
  }
  return start.startsWith("RIFF") && start.slice(8) === "WEBP" ? "image/webp" : undefined;
}

/** Whether an image goes to its end. Bytes after the end do no harm. */
export function isWholeImage(type: ImageType, bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type) {
    case "image/png":
      return buffer.lastIndexOf("IEND\xae\x42\x60\x82", undefined, "latin1") > 0;
    case "image/jpeg":
      return buffer.lastIndexOf("\xff\xd9", undefined, "latin1") > 0;
    case "image/gif":
      return buffer.includes(0x3b, 13);
    case "image/webp":
      return buffer.length >= buffer.readUInt32LE(4) + 8;
  }
}
