/** The cycle table, computed from the steps: one list per column. */
import type { StepRow, StepTable } from "./steps.ts";

export type CycleColumns = Record<string, (number | null)[]>;

/** Columns of the cycle table that hold integers; all others are real. */
export const CYCLE_INTEGERS: ReadonlySet<string> = new Set(["Cycle count"]);

const AMOUNTS = [
  "Discharge capacity [A.h]",
  "Charge capacity [A.h]",
  "Discharge energy [W.h]",
  "Charge energy [W.h]",
] as const;

interface Cycle {
  readonly steps: StepRow[];
  readonly temperatures: (number | null)[];
}

const numbers = (steps: readonly StepRow[], name: string) =>
  steps.map((step) => step[name]).filter((value): value is number => typeof value === "number");

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const ratio = (a: number | null | undefined, b: number | null | undefined) =>
  typeof a === "number" && typeof b === "number" && b !== 0 ? a / b : null;

/** Duration-weighted mean of a step column; null without duration. */
function weighted(values: readonly (number | null)[], steps: readonly StepRow[]): number | null {
  let [sum, seconds] = [0, 0];
  for (const [i, step] of steps.entries()) {
    const value = values[i];
    const duration = step["Duration [s]"];
    if (typeof value === "number" && typeof duration === "number") {
      sum += value * duration;
      seconds += duration;
    }
  }
  return ratio(sum, seconds);
}

/** Cycle metrics of a step table. Groups of columns whose inputs the steps do not have are left out. */
export function cycleTable({ rows, temperatures }: StepTable): CycleColumns {
  const cycles = new Map<number, Cycle>();
  for (const [i, step] of rows.entries()) {
    const n = step["Cycle count"] as number;
    const cycle = cycles.get(n) ?? { steps: [], temperatures: [] };
    cycles.set(n, cycle);
    cycle.steps.push(step);
    cycle.temperatures.push(temperatures[i] ?? null);
  }
  const table: CycleColumns = {};
  const put = (name: string, values: (number | null)[]) => {
    table[name] = values;
  };
  const each = (name: string, of: (cycle: Cycle) => number | null) =>
    put(name, [...cycles.values()].map(of));
  const has = (name: string) => rows.some((row) => typeof row[name] === "number");
  const withCurrent = has("Mean current [A]");
  const withTime = has("Duration [s]");

  put("Cycle count", [...cycles.keys()]);
  if (withCurrent) {
    for (const name of AMOUNTS) {
      each(name, ({ steps }) => total(numbers(steps, name)));
    }
  }
  each("Min voltage [V]", ({ steps }) => Math.min(...numbers(steps, "Min voltage [V]")));
  each("Max voltage [V]", ({ steps }) => Math.max(...numbers(steps, "Max voltage [V]")));
  if (withTime) {
    const start = ({ steps }: Cycle) => steps[0]?.["Start time [s]"] as number;
    each("Cycle duration [s]", (cycle) => {
      return (cycle.steps.at(-1)?.["End time [s]"] as number) - start(cycle);
    });
    each("Start time [s]", start);
  }
  if (withCurrent) {
    const [discharged = [], charged = [], given = [], taken = []] = AMOUNTS.map((n) => table[n]);
    const quotients = (a: typeof given, b: typeof given) => a.map((v, i) => ratio(v, b[i]));
    put("Coulombic efficiency", quotients(discharged, charged));
    put("Energy efficiency", quotients(given, taken));
    for (const [word, values] of [["Capacity", discharged] as const, ["Energy", given] as const]) {
      const kept = values.map((value) => ratio(value, values[0]));
      put(`${word} retention`, kept);
      put(
        `${word} fade`,
        kept.map((value) => (value === null ? null : 1 - value)),
      );
    }
    for (const [word, sign] of [["discharge", 1] as const, ["charge", -1] as const]) {
      const pick = ({ steps }: Cycle) =>
        steps.filter((step) => sign * (step["Mean current [A]"] as number) > 0);
      each(`Mean ${word} current [A]`, (cycle) => {
        const steps = pick(cycle);
        return weighted(numbers(steps, "Mean current [A]"), steps);
      });
      const title = `${word[0]?.toUpperCase()}${word.slice(1)}`;
      each(`${title} duration [s]`, (cycle) => total(numbers(pick(cycle), "Duration [s]")));
    }
    if (temperatures.some((t) => t !== null)) {
      each("Mean temperature [degC]", (cycle) => weighted(cycle.temperatures, cycle.steps));
    }
    const running = (a: typeof given, b: typeof given) => {
      let sum = 0;
      return a.map((value, i) => {
        sum += (value ?? 0) + (b[i] ?? 0);
        return sum;
      });
    };
    put("Capacity throughput [A.h]", running(discharged, charged));
    put("Energy throughput [W.h]", running(given, taken));
  }
  return table;
}
