/**
 * Equivalent circuit of one cell: open-circuit voltage, ohmic resistance, two RC pairs, one lump of heat.
 * Current is positive on discharge.
 */
import type { Curve } from "./curve.ts";

const KELVIN = 273.15;
const REFERENCE_K = 298.15;
/** Resistances fall with temperature as exp(ACTIVATION_K (1/T - 1/298.15 K)): about 25 kJ/mol. */
const ACTIVATION_K = 3000;

export interface CellDesign {
  readonly capacityAh: number;
  readonly minimumV: number;
  readonly maximumV: number;
  readonly ocv: Curve;
  /** At 25 degC and half charge [Ohm]. */
  readonly ohmicOhm: number;
  /** Resistances [Ohm] and time constants [s] of the two pairs. */
  readonly pairs: readonly [
    { readonly ohm: number; readonly tauS: number },
    { readonly ohm: number; readonly tauS: number },
  ];
  readonly heatCapacityJPerK: number;
  readonly coolingWPerK: number;
  readonly coulombicEfficiency: number;
  readonly fade: FadeLaw;
}

/** Losses after n cycles: `root * sqrt(n) + linear * n + knee * max(0, n - kneeCycle)^2`, as fractions. */
export interface FadeLaw {
  readonly root: number;
  readonly linear: number;
  readonly kneeCycle: number;
  readonly knee: number;
  /** Growth of the resistances per unit of capacity loss. */
  readonly resistancePerLoss: number;
}

/** Fraction of the fresh capacity that is lost after so many cycles. */
function capacityLoss(fade: FadeLaw, cycles: number): number {
  const late = Math.max(0, cycles - fade.kneeCycle);
  return fade.root * Math.sqrt(cycles) + fade.linear * cycles + fade.knee * late * late;
}

/** Resistance after a discharge pulse of so many seconds [Ohm], at 25 degC and half charge. */
export function pulseResistance(design: CellDesign, seconds: number): number {
  return design.pairs.reduce(
    (sum, pair) => sum + pair.ohm * (1 - Math.exp(-seconds / pair.tauS)),
    design.ohmicOhm,
  );
}

/** The ohmic part rises towards empty. */
function emptyFactor(soc: number): number {
  return 1 + 0.4 * Math.exp(-Math.max(0, soc) / 0.07);
}

export interface CellState {
  /** State of charge, 0 to 1. */
  soc: number;
  /** Overvoltages of the pairs [V]. */
  slowV: number;
  fastV: number;
  temperatureC: number;
}

/** A cell that is being simulated. */
export class CellModel {
  readonly design: CellDesign;
  ambientC: number;
  state: CellState;
  coulombicEfficiency: number;
  #capacityAs: number;
  #resistanceFactor = 1;

  constructor(design: CellDesign, soc: number, ambientC: number) {
    this.design = design;
    this.ambientC = ambientC;
    this.state = { soc, fastV: 0, slowV: 0, temperatureC: ambientC };
    this.coulombicEfficiency = design.coulombicEfficiency;
    this.#capacityAs = design.capacityAh * 3600;
  }

  /** Sets capacity and resistances to what they are after so many cycles. */
  age(cycles: number): void {
    const loss = capacityLoss(this.design.fade, cycles);
    this.#capacityAs = this.design.capacityAh * 3600 * (1 - loss);
    this.#resistanceFactor = 1 + this.design.fade.resistancePerLoss * loss;
  }

  #thermalFactor(): number {
    const kelvin = this.state.temperatureC + KELVIN;
    return this.#resistanceFactor * Math.exp(ACTIVATION_K * (1 / kelvin - 1 / REFERENCE_K));
  }

  #ohmic(): number {
    return this.design.ohmicOhm * emptyFactor(this.state.soc) * this.#thermalFactor();
  }

  /** Terminal voltage [V] under a current [A]. */
  voltage(current: number): number {
    const { soc, fastV, slowV } = this.state;
    return this.design.ocv.at(soc) - current * this.#ohmic() - fastV - slowV;
  }

  /** Current [A] that gives a terminal voltage [V] at this moment. */
  currentAt(voltage: number): number {
    const { soc, fastV, slowV } = this.state;
    return (this.design.ocv.at(soc) - fastV - slowV - voltage) / this.#ohmic();
  }

  /** Lets a constant current [A] flow for some seconds. */
  advance(current: number, seconds: number): void {
    const { design, state } = this;
    const factor = this.#thermalFactor();
    const [fast, slow] = design.pairs;
    const fastDecay = Math.exp(-seconds / fast.tauS);
    const slowDecay = Math.exp(-seconds / slow.tauS);
    const heatW = Math.abs(current * (design.ocv.at(state.soc) - this.voltage(current)));
    state.fastV = state.fastV * fastDecay + current * fast.ohm * factor * (1 - fastDecay);
    state.slowV = state.slowV * slowDecay + current * slow.ohm * factor * (1 - slowDecay);
    const moved = (current * seconds) / this.#capacityAs;
    state.soc -= current < 0 ? moved * this.coulombicEfficiency : moved;
    const steady = this.ambientC + heatW / design.coolingWPerK;
    const cooling = Math.exp((-seconds * design.coolingWPerK) / design.heatCapacityJPerK);
    state.temperatureC = steady + (state.temperatureC - steady) * cooling;
  }

  /**
   * Holds a terminal voltage [V] for some seconds and returns the current [A] at their end.
   * The current is found implicitly, so that long intervals are stable.
   */
  hold(voltage: number, seconds: number): number {
    const { design, state } = this;
    const factor = this.#thermalFactor();
    const [fast, slow] = design.pairs;
    const fastDecay = Math.exp(-seconds / fast.tauS);
    const slowDecay = Math.exp(-seconds / slow.tauS);
    const rest = state.fastV * fastDecay + state.slowV * slowDecay;
    const current =
      (design.ocv.at(state.soc) - rest - voltage) /
      (this.#ohmic() +
        fast.ohm * factor * (1 - fastDecay) +
        slow.ohm * factor * (1 - slowDecay) +
        (design.ocv.slope(state.soc) * seconds) / this.#capacityAs);
    this.advance(current, seconds);
    return current;
  }
}
