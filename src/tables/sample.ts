/**
 * A few rows that keep a curve's shape: of each stretch of rows, those with the lowest and the highest value of every
 * numeric column, and the first and last row of all. Each kept row is whole, so columns stay together.
 */
import type { Data } from "apache-arrow";
import { isValid, type Raw, rawReader } from "./cells.ts";
import type { ColumnType } from "./column-type.ts";
import { type Part, rowNumber, rowsOf } from "./table.ts";

interface Point {
  /** Row number in the table. */
  readonly row: number;
  readonly raws: readonly Raw[];
}

/** For each numeric column the point with its lowest and the one with its highest value. */
type Bucket = (Point | undefined)[];

const NUMERIC = new Set<ColumnType["kind"]>(["float", "integer", "decimal"]);
/** Stretches are gathered this much finer than they have to be, and joined at the end as far as the rows demand. */
const FINER = 4;

type Value = number | bigint;

/** Reads values that can be an extreme; undefined for null, NaN and infinities. */
function extremeReader(type: ColumnType, data: Data): (row: number) => Value | undefined {
  if (type.kind === "float") {
    const values = data.values as Float64Array;
    const whole = data.nullCount === 0;
    return (row) => {
      const value = values[row] as number;
      // The difference is NaN for NaN and for both infinities.
      return value - value === 0 && (whole || isValid(data, row)) ? value : undefined;
    };
  }
  const read = rawReader(type, data);
  return (row) => (read(row) ?? undefined) as Value | undefined;
}

export class Sampler {
  readonly #types: readonly ColumnType[];
  readonly #limit: number;
  /** Places of the columns whose extremes are kept; none: the row numbers stand in. */
  readonly #numeric: readonly number[];
  /** Numeric columns whose extremes do not fit into the asked rows. */
  readonly left: readonly number[];
  readonly #most: number;
  #bucketRows: number;
  #buckets: Bucket[] = [];
  /** Every row, as long as all of them fit. */
  #all: Point[] | undefined = [];
  #first: Point | undefined;
  #last: Point | undefined;
  #seen = 0;

  /**
   * @param limit most rows, 2 or more
   * @param expected rows that will come where that is known, else 0: stretches then grow as rows come
   */
  constructor(types: readonly ColumnType[], limit: number, expected: number) {
    const numeric = types.flatMap(({ kind }, index) => (NUMERIC.has(kind) ? [index] : []));
    const room = Math.floor((limit - 2) / 2);
    this.#types = types;
    this.#limit = limit;
    this.#numeric = numeric.slice(0, room);
    this.left = numeric.slice(room);
    const stretches = Math.floor(room / Math.max(1, this.#numeric.length));
    this.#most = Math.max(FINER, stretches * FINER);
    this.#bucketRows = Math.max(1, Math.ceil(expected / this.#most));
  }

  add(part: Part, data: readonly Data[]): void {
    const count = rowsOf(part);
    const reads = data.map((column, index) => rawReader(this.#types[index] as ColumnType, column));
    const pointAt = (index: number): Point => ({
      row: rowNumber(part, index),
      raws: reads.map((read) => read(index)),
    });
    if (count === 0) {
      return;
    }
    this.#first ??= pointAt(0);
    this.#last = pointAt(count - 1);
    if (this.#all !== undefined && this.#seen + count <= this.#limit) {
      this.#all.push(...Array.from({ length: count }, (_, index) => pointAt(index)));
    } else {
      this.#all = undefined;
    }
    const values = this.#numeric.map((index) =>
      extremeReader(this.#types[index] as ColumnType, data[index] as Data),
    );
    const scanned = values.length > 0 ? values : [(index: number) => rowNumber(part, index)];
    let from = 0;
    while (from < count) {
      const place = Math.floor(this.#seen / this.#bucketRows);
      if (place >= this.#most) {
        this.#buckets = joinBuckets(this.#buckets, 2, this.#key);
        this.#bucketRows *= 2;
        continue;
      }
      const to = Math.min(count, from + (place + 1) * this.#bucketRows - this.#seen);
      this.#addStretch(place, scanned, from, to, pointAt);
      this.#seen += to - from;
      from = to;
    }
  }

  /** The value of a bucket's column that decides between two of its points. */
  readonly #key = (column: number, point: Point): Value =>
    this.#numeric.length === 0 ? point.row : (point.raws[this.#numeric[column] as number] as Value);

  #addStretch(
    place: number,
    columns: readonly ((index: number) => Value | undefined)[],
    from: number,
    to: number,
    pointAt: (index: number) => Point,
  ): void {
    const found: Bucket = columns.flatMap((read) => {
      let low = -1;
      let high = -1;
      let min: Value = 0;
      let max: Value = 0;
      for (let index = from; index < to; index += 1) {
        const value = read(index);
        if (value === undefined) {
          continue;
        }
        if (low < 0 || value < min) {
          low = index;
          min = value;
        }
        if (high < 0 || value > max) {
          high = index;
          max = value;
        }
      }
      return low < 0 ? [undefined, undefined] : [pointAt(low), pointAt(high)];
    });
    const known = this.#buckets[place];
    this.#buckets[place] = known === undefined ? found : joinTwo(known, found, this.#key);
  }

  /** The kept rows, ascending. */
  finish(): Point[] {
    if (this.#all !== undefined) {
      return this.#all;
    }
    for (let join = 1; ; join += 1) {
      const buckets = joinBuckets(this.#buckets, join, this.#key);
      const rows = new Map<number, Point>();
      for (const point of [this.#first, ...buckets.flat(), this.#last]) {
        if (point !== undefined) {
          rows.set(point.row, point);
        }
      }
      const kept = this.#numeric.length === 0 && buckets.length === 1 && rows.size > this.#limit;
      if (rows.size <= this.#limit || kept) {
        return [...rows.values()].sort((a, b) => a.row - b.row);
      }
    }
  }
}

type Key = (column: number, point: Point) => Value;

/** The extremes of two neighbouring stretches; of equal values the earlier stays. */
function joinTwo(a: Bucket, b: Bucket, key: Key): Bucket {
  return a.map((known, index) => {
    const other = b[index];
    if (known === undefined || other === undefined) {
      return known ?? other;
    }
    const column = index >> 1;
    const better =
      index % 2 === 0
        ? key(column, other) < key(column, known)
        : key(column, other) > key(column, known);
    return better ? other : known;
  });
}

/** Joins every `size` neighbours. */
function joinBuckets(buckets: readonly Bucket[], size: number, key: Key): Bucket[] {
  const joined: Bucket[] = [];
  for (let index = 0; index < buckets.length; index += size) {
    joined.push(
      buckets.slice(index, index + size).reduce((known, other) => joinTwo(known, other, key)),
    );
  }
  return joined;
}
