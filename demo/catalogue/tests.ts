/** The tests that were run on the demo's cells: what each is called and how its data are made. */
import type { Electrode } from "../simulator/electrodes.ts";
import type { ProgramName, ProgramOptions } from "../simulator/programs.ts";
import { CELLS, type Cell } from "./cells.ts";

/** How the data of a test are made. */
export type Recipe =
  | {
      readonly kind: "program";
      readonly program: ProgramName;
      readonly options: ProgramOptions;
      /** Cycles that the cell has seen before. */
      readonly cyclesBefore: number;
      readonly startSoc: number;
    }
  | { readonly kind: "impedance" }
  | { readonly kind: "potential"; readonly electrode: Electrode };

export interface Test {
  /** Unique among all tests. */
  readonly key: string;
  readonly cell: Cell;
  readonly name: string;
  readonly type: "time_series" | "file" | "properties";
  readonly status: "pending" | "running" | "ready" | "failed";
  readonly error?: string;
  readonly day: string;
  /** Hours for which the channel was booked; undefined while the test runs. */
  readonly hours: number | undefined;
  readonly protocol: string;
  readonly ambientC: number;
  readonly tags: readonly string[];
  readonly note: string;
  /** Absent where there is nothing to make. */
  readonly recipe?: Recipe;
}

type Draft = Omit<Test, "key" | "cell" | "type" | "status" | "ambientC"> &
  Partial<Pick<Test, "type" | "status" | "ambientC">>;

/** Rows of the largest series when nothing else is asked. */
export const DEFAULT_ROWS = 1_000_000;
/** Cycles that the largest series has in {@link DEFAULT_ROWS} rows, one every 10 s. */
const FULL_CYCLES = 850;
const LARGEST = "NMC-217-A01";

function program(
  name: ProgramName,
  options: Partial<ProgramOptions>,
  cyclesBefore = 0,
  startSoc = 0,
): Recipe {
  return {
    kind: "program",
    program: name,
    options: { cycles: 1, everyS: 30, rates: [1, 1], ...options },
    cyclesBefore,
    startSoc,
  };
}

const inspection = (day: string): Draft => ({
  name: "Incoming inspection",
  type: "properties",
  day,
  hours: 1,
  protocol: "Incoming inspection",
  tags: ["incoming"],
  note: "Capacity, resistance after a 10 s pulse and at 1 kHz, mass.",
});

const formation = (day: string): Draft => ({
  name: "Formation C/10",
  day,
  hours: 66,
  protocol: "Formation, three cycles at C/10",
  tags: ["formation"],
  note: "The first charge builds the interphase, so the first cycle's coulombic efficiency is low.",
  recipe: program("formation", { everyS: 60 }),
});

const rates = (day: string, list: readonly number[], hours: number): Draft => ({
  name: `Rate capability to ${list.at(-1)}C`,
  day,
  hours,
  protocol: `CC-CV charge C/2, discharge at ${list.map((r) => `${r}C`).join(", ")}`,
  tags: ["characterisation", "rate"],
  note: "One cycle per discharge rate, in rising order.",
  recipe: program("rates", { everyS: 20, rates: list }),
});

const hppc = (day: string, cycles = 0): Draft => ({
  name: cycles === 0 ? "HPPC begin of life" : "HPPC end of life",
  day,
  hours: 15.5,
  protocol: "HPPC: 1C discharge 10 s, rest 40 s, 0.75C charge 10 s at nine states of charge",
  tags: ["characterisation", "resistance"],
  note: "Resistance = voltage drop of the 1C pulse after 10 s / current. Pulses are sampled every 0.1 s.",
  recipe: program("hppc", { everyS: 30 }, cycles),
});

const pseudoOcv = (day: string): Draft => ({
  name: "Pseudo-OCV C/25",
  day,
  hours: 57,
  protocol: "From full charge: C/25 discharge and charge between the limits",
  tags: ["characterisation", "ocv"],
  note: "The mean of both branches approximates the open-circuit voltage.",
  recipe: program("pseudo-ocv", { everyS: 60 }, 0, 1),
});

const impedance = (day: string): Draft => ({
  name: "EIS at 90, 50 and 10 % state of charge",
  day,
  hours: 1.5,
  protocol: "EIS 10 kHz to 10 mHz, ten points per decade",
  tags: ["characterisation", "eis"],
  note: "One step per state of charge.",
  recipe: { kind: "impedance" },
});

const ageing = (
  day: string,
  cycles: number,
  everyS: number,
  pair: readonly [charge: number, discharge: number],
  more: Partial<ProgramOptions> = {},
): Draft => ({
  name: `Cycle ageing ${pair[0]}C/${pair[1]}C 25 degC`,
  day,
  hours: Math.ceil(cycles * (1 / pair[0] + 1 / pair[1] + 0.55)),
  protocol: `CC-CV charge ${pair[0]}C to C/20, rest 10 min, discharge ${pair[1]}C, rest 10 min`,
  tags: ["ageing", "cycling"],
  note: "Capacity fades and resistance grows from cycle to cycle.",
  recipe: program("ageing", { cycles, everyS, rates: pair, ...more }),
});

/** A test of which nothing can be read. */
function withoutData({ recipe: _, ...draft }: Draft, changes: Partial<Draft>): Draft {
  return { ...draft, ...changes };
}

/** The tests of one cell. @param rows wanted of the largest series */
function draftsOf(cell: Cell, rows: number): Draft[] {
  const scale = Math.min(1, rows / DEFAULT_ROWS);
  const cyclesOf = (full: number) => Math.max(3, Math.round(full * scale));
  const cycles = cyclesOf(FULL_CYCLES);
  switch (cell.design.key) {
    case "half-cell":
      return [
        {
          name: "Graphite OCP vs lithium",
          day: "2026-01-14",
          hours: 110,
          protocol: "GITT, relaxed potentials",
          tags: ["ocp"],
          note: "Potential against lithium over the degree of lithiation; no time and no current.",
          recipe: { kind: "potential", electrode: cell.design.negative },
        },
      ];
    case "coin":
      return [
        inspection("2026-01-21"),
        formation("2026-01-22"),
        rates("2026-01-28", [0.2, 0.5, 1, 2, 5], 26),
        ...(cell.name.endsWith("003")
          ? [
              withoutData(rates("2026-06-30", [0.2, 1, 10], 30), {
                name: "Rate capability to 10C (new upload)",
                status: "pending",
                note: "Uploaded; steps are not derived yet.",
              }),
            ]
          : []),
      ];
    case "pouch-lco":
      return [
        inspection("2026-02-04"),
        impedance("2026-02-05"),
        ageing("2026-02-09", cyclesOf(220), 120, [0.7, 1]),
      ];
    case "18650-nca":
      return [
        inspection("2026-02-17"),
        rates("2026-02-18", [0.2, 0.5, 1, 2, 3], 26),
        cell.name.endsWith("03")
          ? withoutData(hppc("2026-02-24"), {
              note: "The export of the cycler was cut short; to be uploaded again.",
              status: "failed",
              error:
                "Step derivation failed: column 'Current [A]' is missing from the uploaded file",
            })
          : hppc("2026-02-24"),
        ageing("2026-03-02", cyclesOf(260), 120, [0.5, 1]),
      ];
    case "prismatic-lfp":
    case "partner-lfp":
      return [
        inspection("2026-03-21"),
        pseudoOcv("2026-03-23"),
        hppc("2026-03-27"),
        ageing("2026-04-01", cyclesOf(240), 120, [0.5, 0.5]),
      ];
    default:
      return [
        inspection("2026-03-17"),
        formation("2026-03-18"),
        hppc("2026-03-23"),
        cell.name === LARGEST
          ? ageing("2026-04-01", cycles, 10 * Math.min(1, DEFAULT_ROWS / rows), [0.5, 1], {
              untilRows: rows,
            })
          : ageing("2026-04-01", cycles, 120, [0.5, 1]),
        ...largestOnly(cell, cycles),
      ];
  }
}

function largestOnly(cell: Cell, cycles: number): Draft[] {
  switch (cell.name) {
    case LARGEST:
      return [
        rates("2026-03-24", [0.2, 0.5, 1, 2, 3], 26),
        pseudoOcv("2026-03-27"),
        impedance("2026-03-30"),
        {
          name: "CT scan",
          type: "file",
          day: "2026-03-16",
          hours: 1,
          protocol: "X-ray computed tomography",
          tags: ["imaging", "incoming"],
          note: "Image stack before the first cycle.",
        },
        hppc("2026-08-10", cycles),
      ];
    case "NMC-217-A02":
      return [
        withoutData(ageing("2026-08-17", cycles, 120, [0.5, 1]), {
          name: "Cycle ageing 0.5C/1C 45 degC",
          ambientC: 45,
          status: "running",
          hours: undefined,
          tags: ["ageing", "cycling", "hot"],
          note: "Second block, at 45 degC; still on the cycler.",
        }),
      ];
    case "NMC-217-A03":
      return [impedance("2026-03-30")];
    default:
      return [];
  }
}

/** All tests, in the order of their cells. @param rows wanted of the largest series */
export function allTests(rows: number): Test[] {
  return CELLS.flatMap((cell) =>
    draftsOf(cell, rows).map((draft) => ({
      type: "time_series" as const,
      status: "ready" as const,
      ambientC: 25,
      ...draft,
      key: `${cell.key}/${draft.name}`,
      cell,
    })),
  );
}
