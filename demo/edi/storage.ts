/** PASTA's data server for large files: each link works once and for an hour, and needs no credential. */
import { type Answer, type Handler, text } from "./answer.ts";
import { digest, type PlacedEntity } from "./build-corpus.ts";

const LINK_LIFE_MS = 3_600_000;

interface Link {
  readonly entity: PlacedEntity;
  readonly expiresAt: number;
}

export interface Storage {
  readonly handle: Handler;
  /** Path and query of a new one-shot link. */
  readonly link: (entity: PlacedEntity) => string;
}

/** @param options.ranges the data server honours `Range` (each request still uses the link up) */
export function storage(options: {
  readonly now: () => number;
  readonly ranges: boolean;
}): Storage {
  const links = new Map<string, Link>();
  let made = 0;
  return {
    link(entity) {
      made += 1;
      const token = `${options.now()}-${digest("md5", `${entity.url} ${made}`)}`;
      links.set(token, { entity, expiresAt: options.now() + LINK_LIFE_MS });
      const query = new URLSearchParams({
        dataToken: token,
        size: String(entity.sizeBytes),
        objectName: entity.description.fileName,
      });
      return `/dataserver/data?${query}`;
    },
    handle({ method, path, query }) {
      if (method !== "GET") {
        return text(405, "Method Not Allowed");
      }
      const token = query.get("dataToken") ?? "";
      const link = path === "/dataserver/data" ? links.get(token) : undefined;
      links.delete(token);
      if (link === undefined || link.expiresAt <= options.now()) {
        return storageStatus(404);
      }
      const { entity } = link;
      return {
        status: 200,
        headers: {
          "Content-Type": "application/octet-stream",
          "Content-Disposition": `attachment; filename="${entity.description.fileName}"`,
        },
        body: "bytes" in entity.content ? entity.content.bytes : entity.content,
        ...(options.ranges ? { rangeTag: entity.sha1 } : {}),
      };
    },
  };
}

export function storageStatus(status: number): Answer {
  return text(status, status === 404 ? "Link already used or expired" : `Status ${status}`);
}
