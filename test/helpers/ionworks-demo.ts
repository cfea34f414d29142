/** Talks to the embedded demo API over its sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { type DemoApi, type DemoOptions, startDemoApi } from "../../demo/api.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** A demo with a cache folder of its own. */
export interface Demo extends DemoApi {
  readonly cacheFolder: string;
  /** A GET with the main key. */
  get(path: string, key?: string): Promise<Reply>;
  /** Every item of a list route. */
  all(path: string): Promise<Record<string, unknown>[]>;
  /** Id of the measurement with a name, of the cell with a name. */
  measurement(cell: string, name: string): Promise<string>;
  /** Signed link of a file. */
  link(measurementId: string, file?: "time_series" | "steps"): Promise<string>;
  /** A whole file behind a link, decoded. */
  frame(measurementId: string, file?: "time_series" | "steps"): Promise<Frame>;
}

export interface Frame {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly Record<string, number | string | null>[];
  readonly rowGroups: number;
  readonly bytes: Uint8Array;
}

export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const cacheFolder = options.cacheFolder ?? mkdtempSync(join(tmpdir(), "vitrine-demo-"));
  const api = await startDemoApi({ rows: 3000, ...options, cacheFolder });
  const get = async (path: string, key = api.key): Promise<Reply> => {
    const response = await fetch(api.url + path, {
      headers: { "x-api-key": key },
      redirect: "manual",
    });
    const text = await response.text();
    const body = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, body };
  };
  const all = async (path: string) => (await get(path)).body.items;
  const named = async (path: string, name: string) =>
    (await all(`${path}?name=${encodeURIComponent(`eq.${name}`)}`))[0]?.id as string;
  const link = async (id: string, file = "time_series") =>
    (await get(`/cell_measurements/${id}/${file}/download`)).headers.get("location") as string;
  return {
    ...api,
    cacheFolder,
    get,
    all,
    link,
    measurement: async (cell, name) => {
      for (const { id } of await all("/cell_specifications")) {
        const found = await named(`/cell_specifications/${id}/cell_instances`, cell);
        if (found !== undefined) {
          return named(`/cell_instances/${found}/cell_measurements`, name);
        }
      }
      throw new Error(`no cell ${cell}`);
    },
    frame: async (id, file) => {
      const response = await fetch(await link(id, file));
      return decode(new Uint8Array(await response.arrayBuffer()));
    },
    close: async () => {
      await api.close();
      if (options.cacheFolder === undefined) {
        rmSync(cacheFolder, { recursive: true, force: true });
      }
    },
  };
}

async function decode(bytes: Uint8Array): Promise<Frame> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { schema, row_groups } = parquetMetadata(file as ArrayBuffer);
  const zstd = await Zstd.load();
  const compressors = { ZSTD: (input: Uint8Array) => zstd.decompress(input) };
  const rows = await parquetReadObjects({ file: file as ArrayBuffer, compressors });
  return {
    columns: schema.slice(1).map(({ name }) => name),
    types: schema.slice(1).map(({ type }) => type as string),
    rows: rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, v]) => [name, typeof v === "bigint" ? Number(v) : v]),
      ),
    ),
    rowGroups: row_groups.length,
    bytes,
  };
}

/** The numbers of a column. */
export const column = (frame: Frame, name: string) => frame.rows.map((row) => row[name] as number);
