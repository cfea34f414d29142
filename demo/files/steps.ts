/** The step table: one row per step, derived from the time series as it is written. */
import type { Chunk } from "./rows.ts";
import { Spread } from "./spread.ts";

/** What a program knows about a step and the series does not tell. */
export interface StepLabel {
  readonly label: string;
  /** NaN where the step is in no labelled group. */
  readonly group: number;
}

export type StepValue = number | string | null;
export type StepRow = Record<string, StepValue>;

export interface StepTable {
  /** `(steps,)` rows with the keys of {@link STEP_COLUMNS}. */
  readonly rows: readonly StepRow[];
  /** Time-weighted mean temperature of each step [degC], null where none was recorded. */
  readonly temperatures: readonly (number | null)[];
}

const AMOUNTS = [
  "Discharge capacity [A.h]",
  "Charge capacity [A.h]",
  "Discharge energy [W.h]",
  "Charge energy [W.h]",
] as const;

const spreadColumns = (word: string) => ["Min", "Max", "Std", "Mean"].map((s) => `${s} ${word}`);

/** Columns of the step table in order, with the types of the file. */
export const STEP_COLUMNS: readonly { name: string; type: "float64" | "int64" | "string" }[] = [
  ...["Start index", "End index"].map((name) => ({ name, type: "int64" as const })),
  ...[
    "Start time [s]",
    "End time [s]",
    "Start voltage [V]",
    "End voltage [V]",
    ...AMOUNTS,
    ...spreadColumns("voltage [V]"),
    ...spreadColumns("current [A]"),
    ...spreadColumns("power [W]"),
    ...spreadColumns("frequency [Hz]"),
  ].map((name) => ({ name, type: "float64" as const })),
  ...["Step count", "Step from cycler", "Cycle count", "Cycle from cycler"].map((name) => ({
    name,
    type: "int64" as const,
  })),
  { name: "Duration [s]", type: "float64" },
  { name: "Step type", type: "string" },
  { name: "Label", type: "string" },
  ...[
    "Group number",
    "Cycle charge capacity [A.h]",
    "Cycle discharge capacity [A.h]",
    "Cycle charge energy [W.h]",
    "Cycle discharge energy [W.h]",
  ].map((name) => ({ name, type: "float64" as const })),
];

const READINGS = ["Time [s]", "Voltage [V]", "Current [A]", "Power [W]", "Frequency [Hz]"] as const;

/** Columns whose last value in a step is the step's value. */
const LAST_VALUES = [...AMOUNTS, "Cycle count", "Step from cycler", "Cycle from cycler"] as const;

interface OpenStep {
  readonly firstRow: number;
  readonly stepCount: number;
  rows: number;
  readonly spreads: Map<string, Spread>;
  readonly last: Map<string, number>;
  /** Integral of the temperature over the step [degC s], and the last reading. */
  heat: number;
  temperature: number | undefined;
}

/** Gathers steps from the chunks of one time series. */
export class StepSummary {
  readonly #labels: ReadonlyMap<number, StepLabel>;
  readonly #rows: StepRow[] = [];
  readonly #temperatures: (number | null)[] = [];
  #open: OpenStep | undefined;
  #row = 0;

  /** @param labels by step count; filled while the program runs */
  constructor(labels: ReadonlyMap<number, StepLabel>) {
    this.#labels = labels;
  }

  add(chunk: Chunk): void {
    const columns = new Map(
      chunk.columns.map(({ name }, c) => [name, chunk.values[c] as Float64Array]),
    );
    const steps = columns.get("Step count");
    for (let start = 0; start < chunk.rows; ) {
      const stepCount = steps?.[start] ?? 0;
      let end = start + 1;
      while (end < chunk.rows && (steps?.[end] ?? 0) === stepCount) {
        end += 1;
      }
      if (this.#open?.stepCount !== stepCount) {
        this.#close();
      }
      this.#open ??= {
        firstRow: this.#row,
        stepCount,
        rows: 0,
        spreads: new Map(READINGS.filter((r) => columns.has(r)).map((r) => [r, new Spread()])),
        last: new Map(),
        heat: 0,
        temperature: undefined,
      };
      extend(this.#open, columns, start, end);
      this.#row += end - start;
      start = end;
    }
  }

  /** Ends the last step and returns the table. */
  finish(): StepTable {
    this.#close();
    addCycleSums(this.#rows);
    return { rows: this.#rows, temperatures: this.#temperatures };
  }

  #close(): void {
    const open = this.#open;
    if (open === undefined) {
      return;
    }
    this.#open = undefined;
    const [time, voltage, current, power, frequency] = READINGS.map((r) => open.spreads.get(r));
    const duration = time === undefined ? null : time.last - time.first;
    const known = this.#labels.get(open.stepCount) ?? { label: "", group: Number.NaN };
    const row: StepRow = {
      "Start index": open.firstRow,
      "End index": open.firstRow + open.rows - 1,
      "Start time [s]": time?.first ?? null,
      "End time [s]": time?.last ?? null,
      "Start voltage [V]": voltage?.first ?? null,
      "End voltage [V]": voltage?.last ?? null,
    };
    for (const name of AMOUNTS) {
      row[name] = open.last.get(name) ?? null;
    }
    addSpread(row, "voltage [V]", voltage, null);
    addSpread(row, "current [A]", current, null);
    addSpread(row, "power [W]", power, null);
    addSpread(row, "frequency [Hz]", frequency, 0);
    Object.assign(row, {
      "Step count": open.stepCount,
      "Step from cycler": open.last.get("Step from cycler") ?? null,
      "Cycle count": open.last.get("Cycle count") ?? 0,
      "Cycle from cycler": open.last.get("Cycle from cycler") ?? null,
      "Duration [s]": duration,
      "Step type": stepType(current, voltage, power, frequency),
      Label: known.label,
      "Group number": known.group,
    });
    this.#rows.push(row);
    const mean = duration ? open.heat / duration : open.temperature;
    this.#temperatures.push(open.temperature === undefined ? null : (mean ?? null));
  }
}

/** Adds the rows `start` to `end` of a chunk to a step. */
function extend(
  open: OpenStep,
  columns: ReadonlyMap<string, Float64Array>,
  start: number,
  end: number,
): void {
  const temperatures = columns.get("Temperature [degC]");
  const times = columns.get("Time [s]");
  if (temperatures !== undefined && times !== undefined) {
    let before = open.spreads.get("Time [s]")?.last ?? 0;
    for (let i = start; i < end; i += 1) {
      const [time, reading] = [times[i] as number, temperatures[i] as number];
      open.heat +=
        open.temperature === undefined ? 0 : ((time - before) * (reading + open.temperature)) / 2;
      [before, open.temperature] = [time, reading];
    }
  }
  for (const [name, spread] of open.spreads) {
    spread.addAll(columns.get(name) as Float64Array, start, end);
  }
  for (const name of LAST_VALUES) {
    const value = columns.get(name)?.[end - 1];
    if (value !== undefined) {
      open.last.set(name, value);
    }
  }
  open.rows += end - start;
}

function addSpread(row: StepRow, word: string, spread: Spread | undefined, none: 0 | null): void {
  row[`Min ${word}`] = spread?.minimum ?? none;
  row[`Max ${word}`] = spread?.maximum ?? none;
  row[`Std ${word}`] = spread === undefined ? none : spread.deviation;
  row[`Mean ${word}`] = spread?.mean ?? none;
}

/** Relative range below which a current or power counts as constant, and the range of a constant voltage [V]. */
const CONSTANT = 2e-3;
const CONSTANT_V = 2e-3;

function stepType(
  current: Spread | undefined,
  voltage: Spread | undefined,
  power: Spread | undefined,
  frequency: Spread | undefined,
): string {
  if (frequency !== undefined && frequency.maximum > 0) {
    return "EIS";
  }
  if (current === undefined || voltage === undefined) {
    return "Unknown step type";
  }
  if (current.minimum === 0 && current.maximum === 0) {
    return "Rest";
  }
  const steady = (s: Spread | undefined) =>
    s !== undefined && s.maximum - s.minimum <= CONSTANT * Math.abs(s.mean);
  const direction = current.mean > 0 ? "discharge" : "charge";
  if (steady(current)) {
    return `Constant current ${direction}`;
  }
  if (voltage.maximum - voltage.minimum <= CONSTANT_V) {
    return `Constant voltage ${direction}`;
  }
  return steady(power) ? `Constant power ${direction}` : "Unknown step type";
}

/** Adds the four sums over each step's cycle. */
function addCycleSums(rows: readonly StepRow[]): void {
  const sums = new Map<StepValue, Record<string, number | null>>();
  for (const row of rows) {
    const sum = sums.get(row["Cycle count"] ?? 0) ?? {};
    sums.set(row["Cycle count"] ?? 0, sum);
    for (const name of AMOUNTS) {
      const value = row[name];
      sum[name] = typeof value === "number" ? (sum[name] ?? 0) + value : (sum[name] ?? null);
    }
  }
  for (const row of rows) {
    const sum = sums.get(row["Cycle count"] ?? 0);
    for (const name of [AMOUNTS[1], AMOUNTS[0], AMOUNTS[3], AMOUNTS[2]]) {
      row[`Cycle ${name[0]?.toLowerCase()}${name.slice(1)}`] = sum?.[name] ?? null;
    }
  }
}
