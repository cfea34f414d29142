/** A cycler: runs a program on a cell model and records rows as an instrument would, with noise and finite resolution. */
import type { Column, RowBuffer } from "../files/rows.ts";
import type { CellModel } from "./cell-model.ts";
import type { ProgramStep } from "./programs.ts";
import type { Random } from "./random.ts";

export const CYCLER_COLUMNS: readonly Column[] = [
  { name: "Time [s]", type: "float64" },
  { name: "Voltage [V]", type: "float64" },
  { name: "Current [A]", type: "float64" },
  { name: "Step count", type: "int64" },
  { name: "Cycle count", type: "int64" },
  { name: "Step from cycler", type: "int64" },
  { name: "Cycle from cycler", type: "int64" },
  { name: "Discharge capacity [A.h]", type: "float64" },
  { name: "Charge capacity [A.h]", type: "float64" },
  { name: "Discharge energy [W.h]", type: "float64" },
  { name: "Charge energy [W.h]", type: "float64" },
  { name: "Power [W]", type: "float64" },
  { name: "Temperature [degC]", type: "float64" },
];

/** Each step's first row comes this long after the last row of the step before [s]. */
const STEP_GAP_S = 1e-6;
/** Standard deviations of the readings. */
const VOLTAGE_NOISE_V = 8e-5;
const TEMPERATURE_NOISE_C = 0.015;

/** To a whole number of steps; adding 0 turns the -0 of small negative values into 0. */
const rounded = (value: number, perUnit: number) => Math.round(value * perUnit) / perUnit + 0;

/** Time, charge and energy since the start of a step. */
interface Meter {
  seconds: number;
  ampereSeconds: number;
  wattSeconds: number;
}

export class Cycler {
  readonly #model: CellModel;
  readonly #random: Random;
  readonly #buffer: RowBuffer | undefined;
  /** Steps of the instrument per A, A.h and W.h: 10^-5 of the cell's capacity or finer. A tenth of it per W. */
  readonly #perUnit: number;
  #clockS = -STEP_GAP_S;
  #stepCount = -1;

  /** @param buffer where rows go; without one the program runs unrecorded */
  constructor(model: CellModel, random: Random, buffer?: RowBuffer) {
    this.#model = model;
    this.#random = random;
    this.#buffer = buffer;
    this.#perUnit = 10 ** (5 - Math.floor(Math.log10(model.design.capacityAh)));
  }

  /** @param cyclesBefore cycles that the cell has seen before the program */
  run(program: Iterable<ProgramStep>, cyclesBefore: number): void {
    let cycle = -1;
    for (const step of program) {
      if (step.cycle !== cycle) {
        cycle = step.cycle;
        this.#model.age(cyclesBefore + cycle);
      }
      this.#model.coulombicEfficiency = step.efficiency ?? this.#model.design.coulombicEfficiency;
      this.#stepCount += 1;
      this.#clockS += STEP_GAP_S;
      // Whole microseconds, so that the gap to the next step survives rounding.
      this.#clockS = rounded(this.#clockS + this.#run(step), 1e6);
    }
  }

  /** Runs one step and returns its length [s]. */
  #run(step: ProgramStep): number {
    const model = this.#model;
    const meter: Meter = { seconds: 0, ampereSeconds: 0, wattSeconds: 0 };
    const held = step.mode === "voltage";
    let current = held ? model.currentAt(step.level) : step.level;
    let voltage = held ? step.level : model.voltage(current);
    this.#record(step, meter, current, voltage);
    const before = { ...model.state };
    // Made once a step: this loop runs for every row of a million.
    const attempt = (seconds: number): [number, number] => {
      Object.assign(model.state, before);
      if (held) {
        return [model.hold(step.level, seconds), step.level];
      }
      model.advance(step.level, seconds);
      return [step.level, model.voltage(step.level)];
    };
    while (meter.seconds < step.maximumS && !ended(step, current, voltage)) {
      let interval = Math.min(step.everyS, step.maximumS - meter.seconds);
      Object.assign(before, model.state);
      let next = attempt(interval);
      if (ended(step, ...next)) {
        interval = crossing(step, attempt, interval, [current, voltage], next);
        next = attempt(interval);
      }
      meter.seconds += interval;
      // The model moves charge at the interval's final current: counting the same way keeps the charge balance exact.
      meter.ampereSeconds += interval * next[0];
      meter.wattSeconds += (interval * next[0] * (voltage + next[1])) / 2;
      [current, voltage] = next;
      this.#record(step, meter, current, voltage);
    }
    return meter.seconds;
  }

  #record(step: ProgramStep, meter: Meter, current: number, voltage: number): void {
    if (this.#buffer === undefined) {
      return;
    }
    const perUnit = this.#perUnit;
    const reading = rounded(voltage + VOLTAGE_NOISE_V * this.#random.normal(), 1e4);
    const amperes = rounded(current, perUnit);
    const charge = rounded(Math.abs(meter.ampereSeconds) / 3600, perUnit);
    const energy = rounded(Math.abs(meter.wattSeconds) / 3600, perUnit);
    this.#buffer.push(
      rounded(this.#clockS + meter.seconds, 1e6),
      reading,
      amperes,
      this.#stepCount,
      step.cycle,
      step.cyclerStep,
      step.cycle + 1,
      current > 0 ? charge : 0,
      current < 0 ? charge : 0,
      current > 0 ? energy : 0,
      current < 0 ? energy : 0,
      rounded(amperes * reading, perUnit / 10),
      rounded(this.#model.state.temperatureC + TEMPERATURE_NOISE_C * this.#random.normal(), 100),
    );
  }
}

/** Whether a step's own end condition is met. */
function ended(step: ProgramStep, current: number, voltage: number): boolean {
  if (step.untilV !== undefined) {
    return step.level > 0 ? voltage <= step.untilV : voltage >= step.untilV;
  }
  return step.untilA !== undefined && Math.abs(current) <= step.untilA;
}

/** The moment within an interval [s] at which the end condition is met, by false position. */
function crossing(
  step: ProgramStep,
  attempt: (seconds: number) => [number, number],
  interval: number,
  start: [number, number],
  end: [number, number],
): number {
  const excess = ([current, voltage]: [number, number]) =>
    step.untilV !== undefined ? voltage - step.untilV : Math.abs(current) - (step.untilA as number);
  let [low, high] = [0, interval];
  let [atLow, atHigh] = [excess(start), excess(end)];
  for (let i = 0; i < 40 && Math.abs(atHigh) > 1e-9 * Math.abs(atLow - atHigh) + 1e-12; i += 1) {
    // Every third guess halves the bracket: false position alone creeps where the curve is bent.
    const guess =
      i % 3 === 2 ? (low + high) / 2 : low + ((high - low) * atLow) / (atLow - atHigh || 1);
    const at = excess(attempt(guess));
    if (ended(step, ...attempt(guess))) {
      [high, atHigh] = [guess, at];
    } else {
      [low, atLow] = [guess, at];
    }
  }
  return high;
}
