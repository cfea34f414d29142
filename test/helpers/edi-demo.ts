/** The embedded EDI archive for tests: a small large table, a cache folder of its own, and a caller with a token. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EdiDemo, type EdiDemoOptions, startEdiDemo } from "../../demo/edi/start.ts";

const SAMPLES = fileURLToPath(new URL("../../../shared/edi/samples/", import.meta.url));

/** The sample answers are beside the checkout; without them the comparisons are skipped. */
export const haveSamples = existsSync(SAMPLES);

export function sample(name: string): string {
  return readFileSync(join(SAMPLES, name), "utf8");
}

export const ROWS = 40_000;

export const md5 = (text: string) => createHash("md5").update(text).digest("hex");
export const sha1 = (bytes: Uint8Array | string) => createHash("sha1").update(bytes).digest("hex");

export interface Archive extends EdiDemo {
  /** GET from PASTA with a token in the cookie, redirects left alone. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Body of a GET from PASTA that must be 200. */
  text(path: string): Promise<string>;
  /** A fresh token for the demo key. */
  token(): Promise<string>;
}

/** Starts the archive with `ROWS` rows in its large table; `close` also removes the cache folder. */
export async function openArchive(options: EdiDemoOptions = {}): Promise<Archive> {
  const cacheFolder = await mkdtemp(join(tmpdir(), "vitrine-edi-"));
  const demo = await startEdiDemo({ rows: ROWS, cacheFolder, ...options });
  const token = async () => {
    const answer = await fetch(`${demo.authUrl}/auth/v1/key`, {
      method: "POST",
      body: JSON.stringify({ key: demo.key }),
    });
    return ((await answer.json()) as { "edi-token": string })["edi-token"];
  };
  let known: string | undefined;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    known ??= await token();
    return fetch(demo.pastaUrl + path, {
      redirect: "manual",
      headers: { cookie: `edi-token=${known}`, ...headers },
    });
  };
  return {
    ...demo,
    token,
    get,
    async text(path) {
      const answer = await get(path);
      if (answer.status !== 200) {
        throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      }
      return answer.text();
    },
    async close() {
      await demo.close();
      await rm(cacheFolder, { recursive: true, force: true });
    },
  };
}
