/** The cells of the demo: how each differs from its type, and what becomes of the circuit. */
import { type CellDesign, pulseResistance } from "../simulator/cell-model.ts";
import { cellVoltage, POTENTIALS } from "../simulator/electrodes.ts";
import { Random } from "../simulator/random.ts";
import { Curve } from "../simulator/curve.ts";
import { DESIGNS, type Design } from "./designs.ts";

export interface Cell {
  readonly key: string;
  readonly name: string;
  readonly design: Design;
  readonly batch: string;
  readonly made: string;
  /** What is particular about it, in words; "" where nothing is. */
  readonly remark: string;
  /** Factors on the type's capacity, resistances and ageing. */
  readonly capacity: number;
  readonly resistance: number;
  readonly ageing: number;
  /** Cycle at which a cell begins to fail early. */
  readonly kneeCycle?: number;
}

type Row = [
  design: string,
  name: string,
  batch: string,
  made: string,
  capacity: number,
  resistance: number,
  ageing: number,
  remark?: string,
  kneeCycle?: number,
];

const HIGH = "Highest internal resistance of its type; the tab weld is suspect.";
const EARLY = "Loses capacity fastest of its type; a knee sets in during ageing.";

const ROWS: readonly Row[] = [
  ["half-cell", "GR-LI-001", "HC-2026-01", "2026-01-10", 1, 1, 1],
  ["coin", "NMC622-GR-001", "CC-2026-01", "2026-01-18", 1.004, 0.97, 0.94],
  ["coin", "NMC622-GR-002", "CC-2026-01", "2026-01-18", 0.993, 1.03, 1.02],
  ["coin", "NMC622-GR-003", "CC-2026-02", "2026-01-22", 1.008, 1.38, 1.1, HIGH],
  ["pouch-lco", "LCO-P48-01", "PL-2026-05", "2026-01-27", 1.002, 1, 0.96],
  ["pouch-lco", "LCO-P48-02", "PL-2026-05", "2026-01-27", 0.997, 1.06, 1.05],
  ["18650-nca", "NCA-186-01", "N8-2026-03", "2026-02-09", 1.006, 0.98, 1],
  ["18650-nca", "NCA-186-02", "N8-2026-03", "2026-02-09", 0.995, 1.02, 1.04],
  ["18650-nca", "NCA-186-03", "N8-2026-04", "2026-02-12", 0.99, 1.31, 1.2, HIGH],
  ["prismatic-lfp", "LFP-PR50-01", "LP-2026-02", "2026-02-20", 1.003, 1, 1],
  ["prismatic-lfp", "LFP-PR50-02", "LP-2026-02", "2026-02-20", 0.998, 1.04, 1.06],
  ["21700-nmc", "NMC-217-A01", "NC-2026-11", "2026-03-06", 1.004, 0.98, 0.97],
  ["21700-nmc", "NMC-217-A02", "NC-2026-11", "2026-03-06", 0.999, 1.02, 1.03],
  ["21700-nmc", "NMC-217-A03", "NC-2026-12", "2026-03-09", 1.001, 1.42, 1.08, HIGH],
  ["21700-nmc", "NMC-217-A04", "NC-2026-12", "2026-03-09", 0.996, 1.05, 1.35, EARLY, 450],
  ["partner-lfp", "PARTNER-LFP-01", "PP-2026-01", "2026-03-12", 1.002, 1, 1],
  ["partner-lfp", "PARTNER-LFP-02", "PP-2026-01", "2026-03-12", 0.996, 1.07, 1.1],
];

/** All cells, in the order of their types. */
export const CELLS: readonly Cell[] = ROWS.map(
  ([designKey, name, batch, made, capacity, resistance, ageing, remark = "", kneeCycle]) => ({
    key: name,
    name,
    design: DESIGNS.find(({ key }) => key === designKey) as Design,
    batch,
    made,
    remark,
    capacity,
    resistance,
    ageing,
    ...(kneeCycle === undefined ? {} : { kneeCycle }),
  }),
);

/** The circuit of one cell. */
export function circuitOf(cell: Cell): CellDesign {
  const { design } = cell;
  const [ohmic, fast, slow, fastTau, slowTau] = design.circuit;
  const ohm = (milliohm: number) => (milliohm / 1000) * cell.resistance;
  return {
    capacityAh: design.capacityAh * cell.capacity,
    minimumV: design.minimumV,
    maximumV: design.maximumV,
    ocv:
      design.positive === undefined
        ? new Curve((soc) => POTENTIALS[design.negative].at(1 - soc))
        : cellVoltage(design.negative, design.positive, design.minimumV, design.maximumV),
    ohmicOhm: ohm(ohmic),
    pairs: [
      { ohm: ohm(fast), tauS: fastTau },
      { ohm: ohm(slow), tauS: slowTau },
    ],
    heatCapacityJPerK: design.massG * 0.96,
    coolingWPerK: design.coolingWPerK,
    coulombicEfficiency: design.coulombicEfficiency,
    fade: {
      ...design.fade,
      root: design.fade.root * cell.ageing,
      linear: design.fade.linear * cell.ageing,
      ...(cell.kneeCycle === undefined ? {} : { kneeCycle: cell.kneeCycle, knee: 5e-7 }),
    },
  };
}

/** What incoming inspection measured: capacity [A.h], resistance after 10 s and at 1 kHz [Ohm], mass [g]. */
export function inspectionOf(cell: Cell) {
  const circuit = circuitOf(cell);
  const random = new Random(`inspection:${cell.key}`);
  const digits = (value: number, significant: number) => Number(value.toPrecision(significant));
  return {
    capacityAh: digits(circuit.capacityAh * (1 + 5e-4 * random.normal()), 5),
    resistanceOhm: digits(pulseResistance(circuit, 10) * (1 + 3e-3 * random.normal()), 4),
    resistance1kHzOhm: digits(circuit.ohmicOhm * 1.08 * (1 + 3e-3 * random.normal()), 4),
    massG: digits(cell.design.massG * (1 + 2e-3 * random.normal()), 5),
    openCircuitV: digits(circuit.ocv.at(0.3), 5),
  };
}
