/**
 * Open-circuit potentials of electrode materials against lithium [V] over the degree of lithiation (0 to 1).
 * Drawn by hand after the familiar shapes: plateaus and steps are where they belong, the numbers are of no real sample.
 */
import { Curve, monotoneCurve } from "./curve.ts";

export const POTENTIALS = {
  graphite: monotoneCurve([
    [0, 1.4],
    [0.005, 0.92],
    [0.01, 0.7],
    [0.02, 0.51],
    [0.04, 0.35],
    [0.07, 0.258],
    [0.1, 0.224],
    [0.14, 0.21],
    [0.18, 0.195],
    [0.22, 0.165],
    [0.28, 0.138],
    [0.35, 0.128],
    [0.45, 0.122],
    [0.5, 0.116],
    [0.54, 0.102],
    [0.58, 0.091],
    [0.7, 0.086],
    [0.8, 0.083],
    [0.9, 0.076],
    [0.95, 0.062],
    [0.98, 0.04],
    [1, 0.005],
  ]),
  nmc622: monotoneCurve([
    [0, 4.75],
    [0.2, 4.43],
    [0.25, 4.33],
    [0.3, 4.24],
    [0.35, 4.15],
    [0.4, 4.06],
    [0.45, 3.98],
    [0.5, 3.91],
    [0.55, 3.85],
    [0.6, 3.803],
    [0.65, 3.765],
    [0.7, 3.735],
    [0.75, 3.71],
    [0.8, 3.688],
    [0.85, 3.66],
    [0.9, 3.615],
    [0.94, 3.54],
    [0.97, 3.4],
    [0.985, 3.18],
    [1, 2.5],
  ]),
  nca: monotoneCurve([
    [0, 4.7],
    [0.2, 4.34],
    [0.25, 4.25],
    [0.3, 4.17],
    [0.35, 4.1],
    [0.4, 4.03],
    [0.45, 3.965],
    [0.5, 3.91],
    [0.55, 3.855],
    [0.6, 3.81],
    [0.65, 3.77],
    [0.7, 3.73],
    [0.75, 3.695],
    [0.8, 3.655],
    [0.85, 3.61],
    [0.9, 3.55],
    [0.94, 3.47],
    [0.97, 3.33],
    [0.985, 3.1],
    [1, 2.4],
  ]),
  lco: monotoneCurve([
    [0, 4.95],
    [0.35, 4.55],
    [0.4, 4.44],
    [0.45, 4.31],
    [0.5, 4.205],
    [0.52, 4.175],
    [0.56, 4.11],
    [0.62, 4.04],
    [0.7, 3.965],
    [0.78, 3.925],
    [0.85, 3.91],
    [0.92, 3.9],
    [0.95, 3.88],
    [0.97, 3.82],
    [0.985, 3.6],
    [1, 2.7],
  ]),
  lfp: monotoneCurve([
    [0, 4],
    [0.006, 3.7],
    [0.015, 3.52],
    [0.03, 3.452],
    [0.06, 3.434],
    [0.12, 3.43],
    [0.3, 3.426],
    [0.5, 3.422],
    [0.7, 3.418],
    [0.85, 3.412],
    [0.92, 3.4],
    [0.95, 3.375],
    [0.97, 3.31],
    [0.985, 3.1],
    [1, 2.2],
  ]),
} as const;

export type Electrode = keyof typeof POTENTIALS;

/**
 * Open-circuit voltage [V] of a cell over its state of charge: the positive potential less the negative one, both
 * electrodes placed so that the curve meets the voltage limits at 0 and 1.
 */
export function cellVoltage(
  negative: Electrode,
  positive: Electrode,
  minimumV: number,
  maximumV: number,
): Curve {
  const [empty, full] = [0.012, 0.87];
  const below = POTENTIALS[negative];
  const above = POTENTIALS[positive];
  const charged = above.solveFalling(maximumV + below.at(full));
  const discharged = above.solveFalling(minimumV + below.at(empty));
  return new Curve(
    (soc) =>
      above.at(discharged + soc * (charged - discharged)) - below.at(empty + soc * (full - empty)),
  );
}
