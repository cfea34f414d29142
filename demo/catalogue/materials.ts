/** Materials and the tables of their properties. */
import { POTENTIALS } from "../simulator/electrodes.ts";
import { quantity, type Wire, type WireRecord } from "../wire.ts";
import type { ProjectKey } from "./ids.ts";

export interface Dataset {
  readonly name: string;
  /** Columns with their units; the names carry none. */
  readonly columns: readonly { readonly name: string; readonly unit: string }[];
  /** `(rows, columns)`; NaN where a cell could not be read. */
  readonly rows: readonly (readonly number[])[];
}

export interface Material {
  readonly key: string;
  readonly name: string;
  readonly product: string;
  readonly definition: WireRecord;
  /** Projects that have it; each has its own copy. */
  readonly projects: readonly ProjectKey[];
  readonly datasets: readonly Dataset[];
}

const ALL: readonly ProjectKey[] = ["ageing", "stationary", "partner"];

const scalar = (name: string, unit: string, value: number): Dataset => ({
  name,
  columns: [{ name, unit }],
  rows: [[value]],
});

function range(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
}

const digits = (value: number, significant: number) => Number(value.toPrecision(significant));

/** Potential over lithiation, as the simulator uses it. */
function potential(electrode: keyof typeof POTENTIALS, from: number): Dataset {
  return {
    name: "OCP vs stoichiometry",
    columns: [
      { name: "Stoichiometry", unit: "dimensionless" },
      { name: "Open-circuit potential", unit: "V" },
    ],
    rows: range(from, 1, 201).map((x) => [digits(x, 6), digits(POTENTIALS[electrode].at(x), 6)]),
  };
}

/** Solid diffusivity at 25 degC with a dip at half filling. */
function diffusivity(base: number): Dataset {
  return {
    name: "Diffusivity vs stoichiometry",
    columns: [
      { name: "Stoichiometry", unit: "dimensionless" },
      { name: "Diffusivity", unit: "m2.s-1" },
    ],
    rows: range(0.05, 0.95, 19).map((x) => [
      digits(x, 4),
      digits(base * (1 - 0.7 * Math.exp(-(((x - 0.5) / 0.2) ** 2))), 4),
    ]),
  };
}

/** Transport properties of a carbonate electrolyte at 25 degC over the salt concentration [mol.m-3]. */
function transport(): Dataset {
  const rows = range(0, 2500, 26).map((concentration) => {
    const c = concentration / 1000;
    return [
      concentration,
      digits(c * (1.86 - 1.23 * c + 0.338 * c ** 2 - 0.0325 * c ** 3), 4),
      digits(4.2e-10 * Math.exp(-0.62 * c), 4),
      digits(0.285 - 0.028 * c + 0.009 * c * c, 4),
      digits(1 + 0.72 * c + 0.31 * c * c, 4),
    ];
  });
  // The cell at the highest concentration gave no reading: such cells are NaN in the table and null on the wire.
  (rows.at(-1) as number[])[3] = Number.NaN;
  return {
    name: "Electrolyte transport properties at 25 degC",
    columns: [
      { name: "Electrolyte concentration", unit: "mol.m-3" },
      { name: "Electrolyte conductivity", unit: "S.m-1" },
      { name: "Electrolyte diffusivity", unit: "m2.s-1" },
      { name: "Transference number", unit: "dimensionless" },
      { name: "Thermodynamic factor", unit: "dimensionless" },
    ],
    rows,
  };
}

/** Conductivity of 1 mol/L over temperature. */
function conductivityOverTemperature(): Dataset {
  return {
    name: "Electrolyte conductivity at 1 mol/L vs temperature",
    columns: [
      { name: "Temperature", unit: "degC" },
      { name: "Electrolyte conductivity", unit: "S.m-1" },
    ],
    rows: range(-20, 60, 17).map((t) => [
      t,
      digits(0.9355 * Math.exp(1690 * (1 / 298.15 - 1 / (t + 273.15))), 4),
    ]),
  };
}

function active(formula: string, capacity: number, density: number): WireRecord {
  return {
    type: "active material",
    formula,
    theoretical_capacity: quantity(capacity, "mA.h.g-1"),
    density: quantity(density, "g.cm-3"),
  };
}

const constituents = (...list: readonly (readonly [string, number])[]): Wire =>
  list.map(([name, fraction]) => ({ name, mass_fraction: quantity(fraction, "dimensionless") }));

const plain = (
  key: string,
  name: string,
  product: string,
  definition: WireRecord,
  datasets: readonly Dataset[],
): Material => ({ key, name, product, definition, projects: ALL, datasets });

export const MATERIALS: readonly Material[] = [
  plain("graphite", "Graphite", "SYN-GR-01", active("C6", 372, 2.26), [
    potential("graphite", 0),
    diffusivity(3.9e-14),
    scalar("Particle radius", "m", 5.86e-6),
    scalar("Maximum concentration", "mol.m-3", 31370),
  ]),
  plain("nmc622", "NMC622", "SYN-NMC622-01", active("LiNi0.6Mn0.2Co0.2O2", 277, 4.75), [
    potential("nmc622", 0.2),
    diffusivity(1.5e-14),
    scalar("Particle radius", "m", 5.2e-6),
    scalar("Maximum concentration", "mol.m-3", 48390),
  ]),
  plain("nca", "NCA", "SYN-NCA-01", active("LiNi0.8Co0.15Al0.05O2", 279, 4.7), [
    potential("nca", 0.2),
    diffusivity(1.1e-14),
  ]),
  plain("lco", "LCO", "SYN-LCO-01", active("LiCoO2", 274, 5.05), [
    potential("lco", 0.4),
    diffusivity(2.4e-14),
  ]),
  plain("lfp", "LFP", "SYN-LFP-01", active("LiFePO4", 170, 3.6), [
    potential("lfp", 0),
    scalar("Particle radius", "m", 5e-8),
  ]),
  plain("lithium", "Lithium metal", "SYN-LI-01", { type: "metal", formula: "Li" }, []),
  plain(
    "lp57",
    "LP57 electrolyte",
    "SYN-LP57-01",
    {
      type: "electrolyte",
      formula: "1 mol/L LiPF6 in EC:EMC 3:7 (w/w)",
      salt_concentration: quantity(1000, "mol.m-3"),
      constituents: constituents(["LiPF6", 0.126], ["EC", 0.262], ["EMC", 0.612]),
    },
    [transport(), conductivityOverTemperature()],
  ),
  plain(
    "separator-2325",
    "Separator PP/PE/PP 25 um",
    "SYN-SEP-25",
    {
      type: "separator",
      formula: "PP/PE/PP",
      thickness: quantity(25, "um"),
      porosity: quantity(0.39, "dimensionless"),
    },
    [scalar("Tortuosity", "dimensionless", 2.5)],
  ),
  plain(
    "separator-glass",
    "Separator glass fibre 675 um",
    "SYN-SEP-GF",
    { type: "separator", formula: "SiO2", thickness: quantity(675, "um") },
    [],
  ),
  plain("case-steel", "Nickel-plated steel case", "SYN-CASE-FE", { type: "case" }, []),
  plain("case-laminate", "Aluminium laminate case", "SYN-CASE-LAM", { type: "case" }, []),
  plain("case-aluminium", "Aluminium case", "SYN-CASE-AL", { type: "case" }, []),
];
