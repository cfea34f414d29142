/** A table that is whole in memory: every column one stretch of Arrow data. */
import type { Data } from "apache-arrow";
import type { ColumnType } from "./column-type.ts";
import { type Part, type ReadRequest, rowsOf, type Table } from "./table.ts";
import { takeRows } from "./take-rows.ts";

export interface MemoryColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly data: Data;
}

export class MemoryTable implements Table {
  readonly version: string;
  readonly columns: readonly MemoryColumn[];
  readonly rowCount: number;
  readonly notes: readonly string[];
  /** Memory that the columns take [bytes]. */
  readonly memoryBytes: number;

  /**
   * @param columns of the same length each
   * @param notes what had to be decided to read it
   */
  constructor(version: string, columns: readonly MemoryColumn[], notes: readonly string[] = []) {
    this.version = version;
    this.columns = columns;
    this.notes = notes;
    this.rowCount = columns[0]?.data.length ?? 0;
    this.memoryBytes = columns.reduce((sum, { data }) => sum + data.byteLength + 200, 0);
  }

  #part(from: number, to: number): Part[] {
    return from < to ? [{ group: 0, groupStart: 0, from, to }] : [];
  }

  parts(): Part[] {
    return this.#part(0, this.rowCount);
  }

  partsOf(from: number, to: number): Part[] {
    return this.#part(from, Math.min(this.rowCount, to));
  }

  read(requests: readonly ReadRequest[]): Promise<Data[][]> {
    const taken = requests.map(({ part, columns }) =>
      columns.map((index) => {
        const { type, data } = this.columns[index] as MemoryColumn;
        return takeRows(type, data, part);
      }),
    );
    return Promise.resolve(taken);
  }

  narrow(part: Part): Promise<Part> {
    return Promise.resolve(part);
  }

  sizeBytes(part: Part, columns: readonly number[]): number {
    return rowsOf(part) * columns.length * 8;
  }
}
