/** The object store: signed links, byte ranges, entity tags. Needs no credential and ignores headers it does not know. */
import { open } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Test } from "./catalogue/tests.ts";
import type { Traffic } from "./faults.ts";
import { FILES } from "./files/make.ts";
import type { FileStore } from "./files/store.ts";
import type { Links } from "./links.ts";
import { readRange } from "./ranges.ts";

const PREFIX = "/storage/v1/object/sign/";
const BUCKET = "measurements";
export type StoredFile = "series" | "steps";

/** Name of a stored file, e.g. `measurements/<id>/steps.parquet`. */
export const objectName = (measurementId: string, file: StoredFile) =>
  `${BUCKET}/${measurementId}/${FILES[file]}`;

/** Path and query of a signed link. */
export const signedPath = (object: string, token: string) => `${PREFIX}${object}?token=${token}`;

function refuse(response: ServerResponse, status: number, error: string, message: string): void {
  const body = JSON.stringify({ statusCode: String(status), error, message });
  // Supabase answers 400 to whatever is wrong with a link and tells the status in the body.
  response.writeHead(400, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** Whether an entity tag is among those of an `If-Match` or `If-None-Match` header. */
function tagListed(header: string, etag: string): boolean {
  return header.split(",").some((each) => ["*", etag].includes(each.trim().replace(/^W\//, "")));
}

/** Serves the store. @param tests by measurement id */
export function storageHandler(
  tests: ReadonlyMap<string, Test>,
  store: FileStore,
  links: Links,
  traffic: Traffic,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://storage");
    if (!pathname.startsWith(PREFIX) || !["GET", "HEAD"].includes(request.method ?? "")) {
      refuse(response, 404, "not_found", "Object not found");
      return;
    }
    const object = pathname.slice(PREFIX.length);
    const refusal = links.refusal(searchParams.get("token") ?? "", object);
    if (refusal !== undefined) {
      refuse(response, 400, refusal.error, refusal.message);
      return;
    }
    const [, id = "", name = ""] = object.split("/");
    const test = tests.get(id);
    if (test === undefined) {
      refuse(response, 404, "not_found", "Object not found");
      return;
    }
    const file = await open(join(await store.folderOf(test), name));
    try {
      const { size, mtimeMs } = await file.stat();
      const etag = `"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`;
      const headers = {
        "content-type": "application/octet-stream",
        "accept-ranges": "bytes",
        "cache-control": "max-age=3600",
        "last-modified": new Date(mtimeMs).toUTCString(),
        etag,
      };
      const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = request.headers;
      if (ifMatch !== undefined && !tagListed(ifMatch, etag)) {
        response.writeHead(412, { ...headers, "content-length": 0 }).end();
        return;
      }
      if (ifNoneMatch !== undefined && tagListed(ifNoneMatch, etag)) {
        response.writeHead(304, headers).end();
        return;
      }
      const range = readRange(request.headers.range, size);
      if (range === "unsatisfiable") {
        response.writeHead(416, {
          ...headers,
          "content-range": `bytes */${size}`,
          "content-length": 0,
        });
        response.end();
        return;
      }
      const { start, end } = range ?? { start: 0, end: size };
      response.writeHead(range === undefined ? 200 : 206, {
        ...headers,
        "content-length": end - start,
        ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${size}` }),
      });
      if (request.method === "HEAD") {
        response.end();
        return;
      }
      traffic.bytes.storage += end - start;
      await pipeline(
        file.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: 262_144 }),
        response,
      );
    } finally {
      await file.close();
    }
  };
}
