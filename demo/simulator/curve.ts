/** Smooth monotone curves through a few knots, tabulated for fast reading. */

const INTERVALS = 2000;

/** A function on [0, 1], tabulated on a uniform grid and read linearly; beyond the ends it goes on with the end's slope. */
export class Curve {
  readonly #values: Float64Array;

  /** @param of the function to tabulate */
  constructor(of: (x: number) => number) {
    this.#values = Float64Array.from({ length: INTERVALS + 1 }, (_, i) => of(i / INTERVALS));
  }

  #interval(x: number): number {
    return Math.min(INTERVALS - 1, Math.max(0, Math.floor(x * INTERVALS)));
  }

  at(x: number): number {
    const i = this.#interval(x);
    const left = this.#values[i] as number;
    return left + (x * INTERVALS - i) * ((this.#values[i + 1] as number) - left);
  }

  slope(x: number): number {
    const i = this.#interval(x);
    return ((this.#values[i + 1] as number) - (this.#values[i] as number)) * INTERVALS;
  }

  /** The x in [0, 1] where a falling curve has this value. */
  solveFalling(value: number): number {
    let low = 0;
    let high = 1;
    for (let i = 0; i < 60; i += 1) {
      const middle = (low + high) / 2;
      if (this.at(middle) > value) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + high) / 2;
  }
}

type Knot = readonly [x: number, y: number];

/** The curve through the knots without overshoot (Fritsch-Carlson cubic). @param knots x ascending from 0 to 1, at least three */
export function monotoneCurve(knots: readonly Knot[]): Curve {
  const x = knots.map((k) => k[0]);
  const y = knots.map((k) => k[1]);
  const n = knots.length;
  const get = (list: readonly number[], i: number) => list[i] as number;
  const width = (i: number) => get(x, i + 1) - get(x, i);
  const rise = (i: number) => (get(y, i + 1) - get(y, i)) / width(i);
  const slopes = x.map((_, i) => {
    if (i === 0) {
      return rise(0);
    }
    if (i === n - 1) {
      return rise(n - 2);
    }
    const before = rise(i - 1);
    const after = rise(i);
    if (before * after <= 0) {
      return 0;
    }
    const w1 = 2 * width(i) + width(i - 1);
    const w2 = width(i) + 2 * width(i - 1);
    return (w1 + w2) / (w1 / before + w2 / after);
  });
  return new Curve((at) => {
    let i = 0;
    while (i < n - 2 && at > get(x, i + 1)) {
      i += 1;
    }
    const h = width(i);
    const t = (at - get(x, i)) / h;
    return (
      get(y, i) * (1 + 2 * t) * (1 - t) ** 2 +
      get(slopes, i) * h * t * (1 - t) ** 2 +
      get(y, i + 1) * t * t * (3 - 2 * t) +
      get(slopes, i + 1) * h * t * t * (t - 1)
    );
  });
}
