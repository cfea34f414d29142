/** Rows on their way into a file: columns of doubles, handed on whenever a row group is full. */

/** Rows of one row group, as the Polars writer cuts a million rows. */
export const ROW_GROUP_ROWS = 125_000;

export type ColumnType = "float64" | "int64";

export interface Column {
  readonly name: string;
  /** `int64` columns hold integers below 2^53. */
  readonly type: ColumnType;
}

/** A run of rows. `values[c]` belongs to `columns[c]` and holds at least `rows` numbers. */
export interface Chunk {
  readonly columns: readonly Column[];
  readonly values: readonly Float64Array[];
  readonly rows: number;
}

/** Collects rows and gives them away in chunks of at most {@link ROW_GROUP_ROWS}. */
export class RowBuffer {
  readonly columns: readonly Column[];
  readonly #values: readonly Float64Array[];
  readonly #take: (chunk: Chunk) => void;
  #filled = 0;
  #given = 0;

  /** @param take called with each full chunk; its arrays are reused afterwards */
  constructor(columns: readonly Column[], take: (chunk: Chunk) => void) {
    this.columns = columns;
    this.#values = columns.map(() => new Float64Array(ROW_GROUP_ROWS));
    this.#take = take;
  }

  /** Rows so far. */
  get rows(): number {
    return this.#given + this.#filled;
  }

  /** Adds a row; the numbers are in the columns' order. */
  push(...row: readonly number[]): void {
    for (let c = 0; c < row.length; c += 1) {
      (this.#values[c] as Float64Array)[this.#filled] = row[c] as number;
    }
    this.#filled += 1;
    if (this.#filled === ROW_GROUP_ROWS) {
      this.flush();
    }
  }

  /** Gives away what is there. */
  flush(): void {
    if (this.#filled > 0) {
      this.#take({ columns: this.columns, values: this.#values, rows: this.#filled });
      this.#given += this.#filled;
      this.#filled = 0;
    }
  }
}
