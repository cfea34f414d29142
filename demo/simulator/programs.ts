/** Test programs: what a cycler is told to do, as a stream of steps. */
import type { CellDesign } from "./cell-model.ts";

/** One step of a program. */
export interface ProgramStep {
  readonly mode: "current" | "voltage" | "rest";
  /** [A], positive = discharge; [V] in voltage mode; 0 at rest. */
  readonly level: number;
  /** Seconds between rows. */
  readonly everyS: number;
  readonly maximumS: number;
  /** Current mode ends at this voltage [V]. */
  readonly untilV?: number;
  /** Voltage mode ends when the current has fallen to this [A]. */
  readonly untilA?: number;
  /** 0-based running cycle. */
  readonly cycle: number;
  /** Step number as the cycler's program counts, from 1; starts again in each cycle. */
  readonly cyclerStep: number;
  readonly label: "" | "Cycling" | "HPPT";
  /** Number of the labelled group. */
  readonly group?: number;
  /** Charge efficiency of this step where it is not the cell's usual one. */
  readonly efficiency?: number;
}

export type ProgramName = "ageing" | "formation" | "rates" | "hppc" | "pseudo-ocv";

/** How a program is to be run. */
export interface ProgramOptions {
  /** Cycles to run (`ageing`). */
  readonly cycles: number;
  /** Seconds between rows. */
  readonly everyS: number;
  /** Charge and discharge rate of `ageing`, discharge rates of `rates` [1/h]. */
  readonly rates: readonly number[];
  /** `ageing` goes on until there are so many rows. */
  readonly untilRows?: number;
}

type Draft = Omit<ProgramStep, "cycle" | "cyclerStep" | "label"> & { label?: ProgramStep["label"] };

const HOUR = 3600;

/** Numbers the steps of one cycle. */
function* inCycle(cycle: number, drafts: Iterable<Draft>): Generator<ProgramStep> {
  let cyclerStep = 1;
  for (const draft of drafts) {
    yield { label: "", ...draft, cycle, cyclerStep };
    cyclerStep += 1;
  }
}

const rest = (seconds: number, everyS: number): Draft => ({
  mode: "rest",
  level: 0,
  everyS,
  maximumS: seconds,
});

function charge(cell: CellDesign, rate: number, everyS: number, cutRate = 0.05): Draft[] {
  return [
    {
      mode: "current",
      level: -rate * cell.capacityAh,
      everyS,
      maximumS: (1.5 * HOUR) / rate,
      untilV: cell.maximumV,
    },
    {
      mode: "voltage",
      level: cell.maximumV,
      everyS,
      maximumS: 2 * HOUR,
      untilA: cutRate * cell.capacityAh,
    },
  ];
}

const discharge = (cell: CellDesign, rate: number, everyS: number): Draft => ({
  mode: "current",
  level: rate * cell.capacityAh,
  everyS,
  maximumS: (1.5 * HOUR) / rate,
  untilV: cell.minimumV,
});

type Program = (
  cell: CellDesign,
  options: ProgramOptions,
  rows: () => number,
) => Generator<ProgramStep>;

/** The programs by name. @param rows rows recorded so far */
export const PROGRAMS: Record<ProgramName, Program> = {
  *ageing(cell, { cycles, everyS, rates, untilRows }, rows) {
    const [chargeRate = 1, dischargeRate = 1] = rates;
    for (let n = 0; untilRows === undefined ? n < cycles : rows() < untilRows; n += 1) {
      const drafts: Draft[] = [
        ...charge(cell, chargeRate, everyS),
        rest(600, everyS),
        discharge(cell, dischargeRate, everyS),
        rest(600, everyS),
      ];
      yield* inCycle(
        n,
        drafts.map((draft) => ({ ...draft, label: "Cycling", group: 0 })),
      );
    }
  },

  *formation(cell, { everyS }) {
    for (const [n, efficiency] of [0.872, 0.986, 0.9955].entries()) {
      const drafts = [...charge(cell, 0.1, everyS, 0.02), rest(1800, everyS)];
      drafts.push(discharge(cell, 0.1, everyS), rest(1800, everyS));
      yield* inCycle(
        n,
        drafts.map((draft) => ({ ...draft, efficiency })),
      );
    }
  },

  *rates(cell, { everyS, rates }) {
    for (const [n, rate] of rates.entries()) {
      yield* inCycle(n, [
        ...charge(cell, 0.5, everyS * 3),
        rest(1800, everyS * 3),
        discharge(cell, rate, Math.min(everyS, everyS / rate)),
        rest(1800, everyS * 3),
      ]);
    }
  },

  *hppc(cell, { everyS }) {
    const drafts: Draft[] = [...charge(cell, 0.5, everyS), rest(HOUR, everyS)];
    for (let group = 0; group < 9; group += 1) {
      const pulse: Draft[] = [
        { ...discharge(cell, 1, 0.1), maximumS: 10 },
        rest(40, 1),
        {
          mode: "current",
          level: -0.75 * cell.capacityAh,
          everyS: 0.1,
          maximumS: 10,
          untilV: cell.maximumV,
        },
        rest(40, 1),
      ];
      // A tenth of the charge is taken out first, so that the charge pulse never meets the upper limit.
      drafts.push(
        { ...discharge(cell, 0.5, everyS), maximumS: 0.2 * HOUR },
        rest(HOUR, everyS),
        ...pulse.map((draft): Draft => ({ ...draft, label: "HPPT", group })),
      );
    }
    drafts.push(discharge(cell, 0.5, everyS), rest(1800, everyS));
    yield* inCycle(0, drafts);
  },

  *"pseudo-ocv"(cell, { everyS }) {
    yield* inCycle(0, [
      rest(2 * HOUR, everyS),
      discharge(cell, 0.04, everyS),
      rest(2 * HOUR, everyS),
      {
        mode: "current",
        level: -0.04 * cell.capacityAh,
        everyS,
        maximumS: 40 * HOUR,
        untilV: cell.maximumV,
      },
      rest(2 * HOUR, everyS),
    ]);
  },
};
