/** A table out of one body, by the format that was described or by what the answer says and shows. */
import type { TableFormat } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { atPointer, type ExactJson } from "../json.ts";
import { familyOf } from "../media-type.ts";
import { arrowTable } from "./arrow-table.ts";
import type { BodyFormat, TableBody } from "./body-format.ts";
import { ByteCache } from "./byte-cache.ts";
import { csvTable } from "./csv-table.ts";
import { JsonTable } from "./json-table.ts";
import { MemoryTable } from "./memory-table.ts";
import { openParquet } from "./open-parquet.ts";
import { ParquetTable } from "./parquet-table.ts";
import { RemoteSource } from "./remote-source.ts";
import { lineTable, parseRows, type RowShape, rowTable } from "./row-table.ts";
import type { Table } from "./table.ts";
import { xmlTable } from "./xml-table.ts";

/** A table and the memory that it takes [bytes]. */
export type WholeTable = Table & { readonly memoryBytes: number };

/** A Parquet file that is there already. */
async function parquetTable(version: string, bytes: Uint8Array): Promise<WholeTable> {
  const source = new RemoteSource(version, bytes.length, (read, ranges) => {
    for (const [index, { start, end }] of ranges.entries()) {
      queueMicrotask(() => source.arrived(read, index, bytes.slice(start, end)));
    }
  });
  const file = await openParquet(source, new ByteCache(0));
  const table = new ParquetTable(file, source, new ByteCache(0));
  return Object.assign(table, { memoryBytes: bytes.length });
}

const isList = (value: ExactJson | undefined): value is ExactJson[] => Array.isArray(value);
const isMembers = (value: ExactJson | undefined): value is { [key: string]: ExactJson } =>
  value !== null && typeof value === "object" && !isList(value);

/** Lists of single values, all of one length. */
function isColumns(body: { [key: string]: ExactJson }): boolean {
  const lists = Object.values(body);
  const [first] = lists;
  return (
    isList(first) &&
    lists.every(
      (list) =>
        isList(list) && list.length === first.length && !isMembers(list.find((v) => v !== null)),
    )
  );
}

interface Found {
  readonly at: string;
  readonly shape: RowShape | "columns";
}

/** Where the rows of a JSON body are, and what they look like; undefined where nothing looks like rows. */
function findRows(body: ExactJson, geometry: BodyFormat["geometry"]): Found | undefined {
  const feature = geometry === "drop" ? "feature without geometry" : "feature";
  if (isList(body)) {
    return { at: "", shape: "plain" };
  }
  if (!isMembers(body)) {
    return undefined;
  }
  if (isList(body.features)) {
    return { at: "/features", shape: feature };
  }
  if (isList(body.data) && body.data.some((row) => isMembers(row) && "attributes" in row)) {
    return { at: "/data", shape: "resource" };
  }
  if (isColumns(body)) {
    return { at: "", shape: "columns" };
  }
  const lists = Object.entries(body).filter(([, value]) => isList(value) && isMembers(value[0]));
  const [only] = lists;
  return lists.length === 1 && only !== undefined
    ? { at: `/${only[0].replaceAll("~", "~0").replaceAll("/", "~1")}`, shape: "plain" }
    : undefined;
}

function jsonTable(version: string, bytes: Uint8Array, format: BodyFormat): MemoryTable {
  const parsed = parseRows(bytes);
  const { at, geometry } = format;
  const inside = at === undefined ? parsed.body : atPointer(parsed.body, at);
  const found = inside === undefined ? undefined : findRows(inside, geometry);
  if (found === undefined) {
    throw new ToolError(
      "UNREADABLE_ANSWER",
      `The answer is JSON without one list of rows${at === undefined ? "" : ` at ${at}`}`,
      { hint: "The tool's manifest can name the place: result.at" },
    );
  }
  const place = `${at ?? ""}${found.at}`;
  return found.shape === "columns"
    ? new JsonTable(version, bytes, place)
    : rowTable(version, parsed, place, found.shape, false);
}

const startOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 64)).toString("latin1");

/** By the first bytes; undefined for text without a mark. */
function byMagic(bytes: Uint8Array): TableFormat | undefined {
  const start = startOf(bytes);
  if (start.startsWith("PAR1") || start.startsWith("PARE")) {
    return "parquet";
  }
  return start.startsWith("ARROW1") || start.startsWith("\xff\xff\xff\xff")
    ? "arrow-ipc"
    : undefined;
}

/** What a body is that says nothing about itself. */
function byLooks(bytes: Uint8Array): TableFormat {
  const start = startOf(bytes)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart();
  if (start.startsWith("<")) {
    return "xml";
  }
  if (!/^[{[]/.test(start)) {
    return "csv";
  }
  // Several lines that are an object each are JSON Lines.
  const text = Buffer.from(bytes);
  const line = text
    .subarray(0, Math.max(0, text.indexOf(0x0a)))
    .toString("utf8")
    .trim();
  const second = text
    .subarray(text.indexOf(0x0a) + 1)
    .toString("latin1", 0, 64)
    .trimStart();
  return /^\{.*\}$/.test(line) && second.startsWith("{") ? "json-lines" : "json-rows";
}

/** The format of an answer whose plan leaves it open. */
function formatOf({ bytes, mediaType }: TableBody): TableFormat {
  const magic = byMagic(bytes);
  if (magic !== undefined) {
    return magic;
  }
  switch (familyOf(mediaType)) {
    case "json":
      return "json-rows";
    case "json-lines":
      return "json-lines";
    case "csv":
      return "csv";
    case "tsv":
      return "tsv";
    case "xml":
      return "xml";
    case "text":
    case "unknown":
    case "html":
      return byLooks(bytes);
    case "parquet":
      return "parquet";
    case "arrow":
      return "arrow-ipc";
    case "image":
    case "other":
      throw new ToolError("UNREADABLE_ANSWER", `The answer is ${mediaType}, which is no table`);
  }
}

/** @throws ToolError UNREADABLE_ANSWER */
export async function bodyTable(
  version: string,
  body: TableBody,
  described: BodyFormat,
): Promise<WholeTable> {
  const { bytes } = body;
  if (bytes.length === 0) {
    return new MemoryTable(version, [], ["The answer is empty."]);
  }
  const { at, text = {}, geometry, isPages = false } = described;
  const isOpen = described.format === "auto";
  const format = isOpen ? formatOf(body) : described.format;
  const rows = (standard: string, shape: RowShape): MemoryTable =>
    rowTable(version, parseRows(bytes), at ?? standard, shape, isPages);
  switch (format) {
    case "json-rows":
      return isOpen ? jsonTable(version, bytes, described) : rows("", "plain");
    case "geojson":
      return rows("/features", geometry === "drop" ? "feature without geometry" : "feature");
    case "json-api":
      return rows("/data", "resource");
    case "json-lines":
      return lineTable(version, bytes);
    case "csv":
      return csvTable(version, bytes, text);
    case "tsv":
      return csvTable(version, bytes, text, "\t");
    case "xml":
      return xmlTable(version, bytes, at);
    case "arrow-ipc":
      return arrowTable(version, bytes);
    case "parquet":
      return parquetTable(version, bytes);
    case "json-columns":
      return new JsonTable(version, bytes, at ?? "");
    case "auto":
      throw new TypeError("the format of the table is still open");
  }
}
