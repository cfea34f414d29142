/** The cell types of the demo: what they are, and the circuit that stands for them. */
import type { FadeLaw } from "../simulator/cell-model.ts";
import type { Electrode } from "../simulator/electrodes.ts";
import type { ProjectKey } from "./ids.ts";

export interface Design {
  readonly key: string;
  readonly name: string;
  readonly project: ProjectKey;
  readonly formFactor: string;
  readonly negative: Electrode;
  /** Absent: a half cell, whose open-circuit voltage is the negative material's potential. */
  readonly positive?: Electrode;
  readonly capacityAh: number;
  readonly minimumV: number;
  readonly maximumV: number;
  readonly nominalV: number;
  readonly massG: number;
  /** Most discharge and charge [1/h]. */
  readonly rates: readonly [discharge: number, charge: number];
  /** Ohmic, fast pair, slow pair [mOhm], and the pairs' time constants [s]. */
  readonly circuit: readonly [
    ohmic: number,
    fast: number,
    slow: number,
    fastTau: number,
    slowTau: number,
  ];
  readonly coolingWPerK: number;
  readonly coulombicEfficiency: number;
  readonly fade: FadeLaw;
  readonly separator: string;
  readonly casing: string;
  /** Coating thickness [um] of negative and positive electrode, and areal loading [mg.cm-2]. */
  readonly coating: readonly [
    negativeUm: number,
    positiveUm: number,
    negativeLoading: number,
    positiveLoading: number,
  ];
  readonly created: string;
}

const fade = (root: number, linear: number, resistancePerLoss = 2.2): FadeLaw => ({
  root,
  linear,
  kneeCycle: 1e9,
  knee: 0,
  resistancePerLoss,
});

/** Newest last. */
export const DESIGNS: readonly Design[] = [
  {
    key: "half-cell",
    name: "Graphite/Li half cell R2032",
    project: "ageing",
    formFactor: "R2032",
    negative: "graphite",
    capacityAh: 0.0045,
    minimumV: 0.01,
    maximumV: 1.2,
    nominalV: 0.12,
    massG: 3.4,
    rates: [0.5, 0.2],
    circuit: [9000, 6000, 12000, 4, 220],
    coolingWPerK: 0.02,
    coulombicEfficiency: 0.996,
    fade: fade(0.004, 1e-4),
    separator: "separator-glass",
    casing: "case-steel",
    coating: [62, 450, 7.4, 24],
    created: "2026-01-12",
  },
  {
    key: "coin",
    name: "NMC622/Graphite coin cell R2032",
    project: "ageing",
    formFactor: "R2032",
    negative: "graphite",
    positive: "nmc622",
    capacityAh: 0.004,
    minimumV: 2.8,
    maximumV: 4.2,
    nominalV: 3.68,
    massG: 3.6,
    rates: [5, 1],
    circuit: [8500, 5200, 9000, 3, 160],
    coolingWPerK: 0.02,
    coulombicEfficiency: 0.9962,
    fade: fade(0.004, 2.4e-4),
    separator: "separator-2325",
    casing: "case-steel",
    coating: [58, 52, 7.1, 12.4],
    created: "2026-01-20",
  },
  {
    key: "pouch-lco",
    name: "LCO/Graphite pouch 4.8 Ah",
    project: "ageing",
    formFactor: "pouch",
    negative: "graphite",
    positive: "lco",
    capacityAh: 4.8,
    minimumV: 3,
    maximumV: 4.4,
    nominalV: 3.85,
    massG: 66,
    rates: [2, 1],
    circuit: [14, 6.5, 11, 6, 190],
    coolingWPerK: 0.22,
    coulombicEfficiency: 0.9977,
    fade: fade(0.0024, 2.3e-4),
    separator: "separator-2325",
    casing: "case-laminate",
    coating: [78, 71, 11.2, 20.6],
    created: "2026-02-03",
  },
  {
    key: "18650-nca",
    name: "NCA/Graphite 18650 3.2 Ah",
    project: "ageing",
    formFactor: "18650",
    negative: "graphite",
    positive: "nca",
    capacityAh: 3.2,
    minimumV: 2.5,
    maximumV: 4.2,
    nominalV: 3.6,
    massG: 47.5,
    rates: [3, 0.5],
    circuit: [27, 9, 14, 7, 170],
    coolingWPerK: 0.11,
    coulombicEfficiency: 0.9979,
    fade: fade(0.0029, 2.0e-4),
    separator: "separator-2325",
    casing: "case-steel",
    coating: [74, 66, 10.6, 19.1],
    created: "2026-02-16",
  },
  {
    key: "prismatic-lfp",
    name: "LFP/Graphite prismatic 50 Ah",
    project: "stationary",
    formFactor: "prismatic",
    negative: "graphite",
    positive: "lfp",
    capacityAh: 50,
    minimumV: 2.5,
    maximumV: 3.65,
    nominalV: 3.2,
    massG: 1120,
    rates: [2, 1],
    circuit: [0.85, 0.42, 0.7, 9, 260],
    coolingWPerK: 1.3,
    coulombicEfficiency: 0.9991,
    fade: fade(0.0013, 3.4e-5),
    separator: "separator-2325",
    casing: "case-aluminium",
    coating: [66, 84, 8.9, 17.8],
    created: "2026-03-02",
  },
  {
    key: "21700-nmc",
    name: "NMC622/Graphite 21700 5 Ah",
    project: "ageing",
    formFactor: "21700",
    negative: "graphite",
    positive: "nmc622",
    capacityAh: 5,
    minimumV: 2.5,
    maximumV: 4.2,
    nominalV: 3.65,
    massG: 69,
    rates: [3, 1],
    circuit: [17.5, 6.2, 9.4, 8, 150],
    coolingWPerK: 0.16,
    coulombicEfficiency: 0.9984,
    fade: fade(0.0021, 9.5e-5),
    separator: "separator-2325",
    casing: "case-steel",
    coating: [82, 74, 12.1, 22.4],
    created: "2026-03-16",
  },
  {
    key: "partner-lfp",
    name: "LFP/Graphite pouch 20 Ah",
    project: "partner",
    formFactor: "pouch",
    negative: "graphite",
    positive: "lfp",
    capacityAh: 20,
    minimumV: 2.5,
    maximumV: 3.65,
    nominalV: 3.2,
    massG: 430,
    rates: [4, 1],
    circuit: [1.9, 0.9, 1.5, 7, 200],
    coolingWPerK: 0.8,
    coulombicEfficiency: 0.999,
    fade: fade(0.0015, 4e-5),
    separator: "separator-2325",
    casing: "case-laminate",
    coating: [60, 76, 8.1, 16.2],
    created: "2026-03-20",
  },
];
