/** Measurements that no cycler program makes: impedance spectra and electrode potentials. */
import type { Column, RowBuffer } from "../files/rows.ts";
import type { CellDesign } from "./cell-model.ts";
import { type Electrode, POTENTIALS } from "./electrodes.ts";
import type { Random } from "./random.ts";

export const IMPEDANCE_COLUMNS: readonly Column[] = [
  { name: "Time [s]", type: "float64" },
  { name: "Voltage [V]", type: "float64" },
  { name: "Step count", type: "int64" },
  { name: "Cycle count", type: "int64" },
  { name: "Frequency [Hz]", type: "float64" },
  { name: "Z_Re [Ohm]", type: "float64" },
  { name: "Z_Im [Ohm]", type: "float64" },
  { name: "Z_Mod [Ohm]", type: "float64" },
  { name: "Z_Phase [deg]", type: "float64" },
];

export const POTENTIAL_COLUMNS: readonly Column[] = [
  { name: "Stoichiometry", type: "float64" },
  { name: "Voltage [V]", type: "float64" },
];

const POINTS_PER_DECADE = 10;
/** Decades of frequency, from 10 kHz down to 10 mHz. */
const [HIGHEST, LOWEST] = [4, -2];
/** Depression of the arcs, and inductance of the leads [H]. */
const ARC_EXPONENT = 0.85;
const INDUCTANCE_H = 2e-8;

const significant = (value: number) => Number(value.toPrecision(7));

/** Adds the parallel of a resistance and a constant-phase element to (re, im). */
function addArc(z: { re: number; im: number }, ohm: number, tauS: number, omega: number): void {
  const magnitude = (omega * tauS) ** ARC_EXPONENT;
  const angle = (ARC_EXPONENT * Math.PI) / 2;
  const [re, im] = [1 + magnitude * Math.cos(angle), magnitude * Math.sin(angle)];
  const square = re * re + im * im;
  z.re += (ohm * re) / square;
  z.im -= (ohm * im) / square;
}

/** Impedance spectra at three states of charge, one step each. */
export function recordImpedance(cell: CellDesign, random: Random, buffer: RowBuffer): void {
  let clockS = 0;
  for (const [step, soc] of [0.9, 0.5, 0.1].entries()) {
    const [fast, slow] = cell.pairs;
    const low = 1 + 0.9 * (0.5 - soc) ** 2 + (soc < 0.2 ? 0.35 : 0);
    for (let i = 0; i <= (HIGHEST - LOWEST) * POINTS_PER_DECADE; i += 1) {
      const frequency = 10 ** (HIGHEST - i / POINTS_PER_DECADE);
      const omega = 2 * Math.PI * frequency;
      const warburg = (0.12 * slow.ohm) / Math.sqrt(omega);
      const z = { re: cell.ohmicOhm + warburg, im: omega * INDUCTANCE_H - warburg };
      // Charge transfer is a thousand times quicker than the diffusion that the circuit's pairs stand for.
      addArc(z, fast.ohm * low, fast.tauS / 1000, omega);
      addArc(z, slow.ohm * low, slow.tauS, omega);
      const re = significant(z.re * (1 + 1e-3 * random.normal()));
      const im = significant(z.im * (1 + 1e-3 * random.normal()));
      buffer.push(
        significant(clockS),
        Math.round((cell.ocv.at(soc) + 5e-5 * random.normal()) * 1e4) / 1e4,
        step,
        0,
        significant(frequency),
        re,
        im,
        significant(Math.hypot(re, im)),
        significant((Math.atan2(im, re) * 180) / Math.PI),
      );
      clockS += Math.max(0.5, 3 / frequency);
    }
  }
}

/** Open-circuit potential of an electrode while it is filled with lithium, in steps of a thousandth. */
export function recordPotential(electrode: Electrode, random: Random, buffer: RowBuffer): void {
  for (let i = 0; i <= 1000; i += 1) {
    const volts = POTENTIALS[electrode].at(i / 1000) + 5e-5 * random.normal();
    buffer.push(i / 1000, Math.round(volts * 1e4) / 1e4);
  }
}
