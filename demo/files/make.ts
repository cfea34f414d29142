/** Makes the files of one test: series, steps, cycles. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { circuitOf } from "../catalogue/cells.ts";
import type { Recipe, Test } from "../catalogue/tests.ts";
import { CellModel } from "../simulator/cell-model.ts";
import { CYCLER_COLUMNS, Cycler } from "../simulator/cycler.ts";
import { PROGRAMS, type ProgramStep } from "../simulator/programs.ts";
import { Random } from "../simulator/random.ts";
import {
  IMPEDANCE_COLUMNS,
  POTENTIAL_COLUMNS,
  recordImpedance,
  recordPotential,
} from "../simulator/spectra.ts";
import { Real, RealColumn, type Wire, wireText } from "../wire.ts";
import { CYCLE_INTEGERS, cycleTable } from "./cycles.ts";
import { type Column, RowBuffer } from "./rows.ts";
import { STEP_COLUMNS, type StepLabel, type StepRow, StepSummary } from "./steps.ts";
import { type Compress, SeriesFile, writeSteps } from "./write-parquet.ts";

/** Names of the files of a test. */
export const FILES = {
  series: "time_series.parquet",
  steps: "steps.parquet",
  /** Body of the cycles route. */
  cycles: "cycles.json",
  /** Body of the steps-and-cycles route. */
  stepsAndCycles: "steps_and_cycles.json",
} as const;

const COLUMNS: Record<Recipe["kind"], readonly Column[]> = {
  program: CYCLER_COLUMNS,
  impedance: IMPEDANCE_COLUMNS,
  potential: POTENTIAL_COLUMNS,
};

/**
 * Writes the four files of a test into a folder that exists. The same test and seed give the same bytes.
 * @param seed any integer; other seeds give other noise
 */
export function makeFiles(
  test: Test,
  recipe: Recipe,
  folder: string,
  seed: number,
  compress: Compress,
): void {
  const labels = new Map<number, StepLabel>();
  const summary = new StepSummary(labels);
  const columns = COLUMNS[recipe.kind];
  const file = new SeriesFile(join(folder, FILES.series), columns, compress);
  const buffer = new RowBuffer(columns, (chunk) => {
    file.add(chunk);
    summary.add(chunk);
  });
  record(test, recipe, new Random(`${seed}:${test.key}`), buffer, labels);
  buffer.flush();
  file.finish();
  const steps = summary.finish();
  writeSteps(join(folder, FILES.steps), steps.rows, compress);
  const cycles: Wire = Object.fromEntries(
    Object.entries(cycleTable(steps)).map(([name, values]) => [
      name,
      CYCLE_INTEGERS.has(name) ? values : new RealColumn(values),
    ]),
  );
  writeFileSync(join(folder, FILES.cycles), wireText({ cycles }));
  const both = { steps: stepColumns(steps.rows), cycles };
  writeFileSync(join(folder, FILES.stepsAndCycles), wireText(both));
}

function record(
  test: Test,
  recipe: Recipe,
  random: Random,
  buffer: RowBuffer,
  labels: Map<number, StepLabel>,
): void {
  const circuit = circuitOf(test.cell);
  switch (recipe.kind) {
    case "impedance":
      for (let step = 0; step < 3; step += 1) {
        labels.set(step, { label: "EIS", group: 0 });
      }
      recordImpedance(circuit, random, buffer);
      break;
    case "potential":
      recordPotential(recipe.electrode, random, buffer);
      break;
    case "program": {
      const program = PROGRAMS[recipe.program];
      const model = new CellModel(circuit, recipe.startSoc, test.ambientC);
      if (recipe.program === "ageing") {
        // One unrecorded cycle: the first recorded one starts as all others do.
        const settle = program(circuit, { ...recipe.options, cycles: 1 }, () => 0);
        new Cycler(model, random).run(oneCycle(settle), recipe.cyclesBefore);
      }
      new Cycler(model, random, buffer).run(
        labelled(
          program(circuit, recipe.options, () => buffer.rows),
          labels,
        ),
        recipe.cyclesBefore,
      );
    }
  }
}

function* oneCycle(program: Iterable<ProgramStep>): Generator<ProgramStep> {
  for (const step of program) {
    if (step.cycle > 0) {
      return;
    }
    yield step;
  }
}

/** Notes each step's label on its way to the cycler. */
function* labelled(
  program: Iterable<ProgramStep>,
  labels: Map<number, StepLabel>,
): Generator<ProgramStep> {
  for (const step of program) {
    labels.set(labels.size, { label: step.label, group: step.group ?? Number.NaN });
    yield step;
  }
}

function stepColumns(rows: readonly StepRow[]): Wire {
  return Object.fromEntries(
    STEP_COLUMNS.map(({ name, type }) => {
      const values = rows.map((row) => row[name] ?? null);
      return [
        name,
        type === "float64"
          ? values.map((value) => (typeof value === "number" ? new Real(value) : value))
          : values,
      ];
    }),
  );
}
