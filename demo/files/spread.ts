/** Least, greatest, mean and spread of a step's readings, gathered row by row. */
export class Spread {
  count = 0;
  minimum = Number.POSITIVE_INFINITY;
  maximum = Number.NEGATIVE_INFINITY;
  first = Number.NaN;
  last = Number.NaN;
  #sum = 0;
  /** Welford's mean and sum of squares over all rows but the first. */
  #laterMean = 0;
  #laterSquares = 0;

  /** Adds the values at `start` to `end`. */
  addAll(values: Float64Array, start: number, end: number): void {
    for (let i = start; i < end; i += 1) {
      this.add(values[i] as number);
    }
  }

  add(value: number): void {
    this.count += 1;
    this.minimum = Math.min(this.minimum, value);
    this.maximum = Math.max(this.maximum, value);
    this.#sum += value;
    this.last = value;
    if (this.count === 1) {
      this.first = value;
      return;
    }
    const delta = value - this.#laterMean;
    this.#laterMean += delta / (this.count - 1);
    this.#laterSquares += delta * (value - this.#laterMean);
  }

  get mean(): number {
    return this.#sum / this.count;
  }

  /** Sample standard deviation without the first row where there are more than two; null for one row. */
  get deviation(): number | null {
    if (this.count === 1) {
      return null;
    }
    return this.count === 2
      ? Math.abs(this.last - this.first) / Math.SQRT2
      : Math.sqrt(Math.max(0, this.#laterSquares) / (this.count - 2));
  }
}
