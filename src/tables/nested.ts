/**
 * Lists, structs and maps as JSON text.
 *
 * Levels and values are decoded here, with the checks of flat columns; hyparquet puts the rows together.
 */
import type { Data } from "apache-arrow";
import { assembleLists, assembleNested } from "hyparquet/src/assemble.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import type { SchemaTree } from "hyparquet/src/types.js";
import { rawReader, toCells } from "./cells.ts";
import type { ChunkReader, OpenPage } from "./chunk-reader.ts";
import { ColumnBuilder } from "./column-builder.ts";
import { damaged, parsing, tooLarge } from "./damaged.ts";
import { readValues } from "./encodings.ts";
import { HybridReader } from "./hybrid.ts";
import type { FileColumn, Group, Leaf } from "./parquet-file.ts";
import type { Physical } from "./physical.ts";
import { type Part, rowsOf } from "./table.ts";
import { textData } from "./text-data.ts";

/** Most values of one nested column that are put together at once. */
const MAX_VALUES = 4_000_000;

function readLevels(bytes: Uint8Array | undefined, max: number, values: number): number[] {
  if (bytes === undefined || max === 0) {
    return [];
  }
  const levels = new Uint8Array(values);
  new HybridReader(bytes, 0, bytes.length, 32 - Math.clz32(max)).read(levels);
  if (levels.some((level) => level > max)) {
    throw damaged(`a level above ${max}`);
  }
  return Array.from(levels);
}

/** The page's values that are there, as JSON has them; a variant's bytes stay bytes. */
function plainValues(leaf: Leaf, page: OpenPage["page"], total: number, dictionary?: Physical) {
  const stream = {
    bytes: page.body,
    at: 0,
    type: leaf.element.type ?? ("BYTE_ARRAY" as const),
    typeLength: leaf.element.type_length ?? 0,
    total,
    skip: 0,
    count: total,
  };
  const physical = readValues(page.encoding, stream, dictionary);
  const variant = leaf.path.some(({ element }) => element.logical_type?.type === "VARIANT");
  if (variant && physical.form === "slices" && leaf.type.kind === "binary") {
    const { bytes, starts, ends } = physical.values;
    return Array.from(starts, (start, index) => bytes.slice(start, ends[index]));
  }
  const builder = new ColumnBuilder(leaf, total);
  builder.append(physical, undefined, total);
  const data = builder.finish();
  const read = rawReader(leaf.type, data);
  return toCells(
    leaf.type,
    Array.from({ length: total }, (_, row) => read(row)),
  ).values;
}

/** Rows of one leaf, nested as deep as its path, from the first row of its first page. */
function leafRows(leaf: Leaf, reader: ChunkReader): { rows: unknown[]; firstRow: number } {
  const { pages } = reader;
  const rows: unknown[] = [];
  if (pages.reduce((sum, { page }) => sum + page.values, 0) > MAX_VALUES) {
    throw tooLarge(
      `A nested column has more than ${MAX_VALUES} values in this window`,
      "Leave this column out with columns=[...]",
    );
  }
  for (const { page } of pages) {
    const repetition = readLevels(page.repetition, leaf.maxRepetition, page.values);
    const definition = readLevels(page.definition, leaf.maxDefinition, page.values);
    const total =
      definition.length === 0
        ? page.values
        : definition.reduce((sum, level) => sum + (level === leaf.maxDefinition ? 1 : 0), 0);
    const values = plainValues(leaf, page, total, reader.dictionary);
    const path = leaf.path as SchemaTree[];
    if (page.values > 0) {
      const made = assembleLists(rows, definition, repetition, values, path);
      if (made !== rows) {
        rows.push(...(made as unknown[]));
      }
    }
  }
  return { rows, firstRow: pages[0]?.firstRow ?? 0 };
}

/** The rows of the part, each as JSON text; null where there is nothing. */
export function readNested(
  column: FileColumn,
  part: Part,
  group: Group,
  readers: readonly ChunkReader[],
): Data {
  return parsing("a nested column cannot be put together", () => {
    const leaves = new Map<string, unknown[]>();
    for (const [index, leaf] of column.leaves.entries()) {
      const { rows, firstRow } = leafRows(leaf, readers[index] as ChunkReader);
      const start = Math.max(0, firstRow);
      if (firstRow < 0 && rows.length !== group.rows) {
        throw damaged(`a column has ${rows.length} of ${group.rows} rows`);
      }
      const wanted =
        part.rows === undefined
          ? rows.slice(part.from - start, part.to - start)
          : Array.from(part.rows, (row) => rows[row - start]);
      leaves.set(
        leaf.path
          .slice(1)
          .map(({ element }) => element.name)
          .join("."),
        wanted,
      );
    }
    const { path } = column.tree;
    assembleNested(leaves as never, column.tree, DEFAULT_PARSERS);
    const rows = leaves.get(path.join(".")) ?? [];
    if (rows.length !== rowsOf(part)) {
      throw damaged(`a column has ${rows.length} of ${rowsOf(part)} rows`);
    }
    return textData(
      rows.map((row) => (row === null || row === undefined ? null : JSON.stringify(row))),
    );
  });
}
