/** The records that the API serves, built once at start: specifications, cells, batches, measurements, materials, datasets. */
import { quantity, Real, type Wire, type WireRecord } from "../wire.ts";
import { CELLS, type Cell, inspectionOf } from "./cells.ts";
import { DESIGNS, type Design } from "./designs.ts";
import {
  creatorOf,
  idOf,
  MAKER,
  ORGANIZATIONS,
  organizationOf,
  PROJECTS,
  SYNTHETIC,
  stamps,
  timeOf,
} from "./ids.ts";
import { type MaterialRecords, materialId, materialRecords } from "./material-records.ts";
import type { Test } from "./tests.ts";

type Slot = "anode" | "cathode" | "electrolyte" | "separator" | "case";

/** Material and properties of each component. */
function componentsOf(design: Design): Record<Slot, { material: string; properties: WireRecord }> {
  const [negativeUm, positiveUm, negativeLoading, positiveLoading] = design.coating;
  const electrode = (thickness: number, loading: number) => ({
    thickness: quantity(thickness, "um"),
    areal_loading: quantity(loading, "mg.cm-2"),
    porosity: quantity(0.32, "dimensionless"),
  });
  return {
    anode: {
      material: design.positive === undefined ? "lithium" : design.negative,
      properties: electrode(
        design.positive === undefined ? positiveUm : negativeUm,
        design.positive === undefined ? positiveLoading : negativeLoading,
      ),
    },
    cathode: {
      material: design.positive ?? design.negative,
      properties: electrode(
        design.positive === undefined ? negativeUm : positiveUm,
        design.positive === undefined ? negativeLoading : positiveLoading,
      ),
    },
    electrolyte: {
      material: "lp57",
      properties: { salt_concentration: quantity(1000, "mol.m-3") },
    },
    separator: { material: design.separator, properties: {} },
    case: { material: design.casing, properties: {} },
  };
}

/** A specification in both forms. */
export interface Specification {
  readonly flat: WireRecord;
  /** With components and their materials. */
  readonly nested: WireRecord;
  /** Material of each slot. */
  readonly materials: Readonly<Record<Slot, string>>;
}

const specificationId = (design: Design) => idOf(`specification:${design.key}`);

function specificationOf(
  design: Design,
  materials: ReadonlyMap<string, WireRecord>,
): Specification {
  const organization_id = organizationOf(design.project);
  const { capacityAh, nominalV, massG } = design;
  const times = stamps(design.created, 0, 86_400 * 12);
  const slots = Object.entries(componentsOf(design)).map(([slot, { material, properties }]) => {
    const material_id = materialId(material, design.project);
    const component: WireRecord = {
      id: idOf(`component:${design.key}:${slot}`),
      component_type: slot,
      material_id,
      organization_id,
      ...times,
      properties,
      material: materials.get(material_id) as WireRecord,
    };
    return { slot, component, material_id };
  });
  const flat: WireRecord = {
    id: specificationId(design),
    name: design.name,
    organization_id,
    project_id: PROJECTS[design.project].id,
    form_factor: design.formFactor,
    manufacturer: MAKER,
    ratings: {
      capacity: quantity(capacityAh, "A.h"),
      voltage_min: quantity(design.minimumV, "V"),
      voltage_max: quantity(design.maximumV, "V"),
      nominal_voltage: quantity(nominalV, "V"),
      energy: quantity(Number((capacityAh * nominalV).toPrecision(6)), "W.h"),
      energy_density_gravimetric: quantity(
        Number(((capacityAh * nominalV * 1000) / massG).toPrecision(4)),
        "W.h.kg-1",
      ),
      max_discharge_rate: quantity(design.rates[0], "C"),
      max_charge_rate: quantity(design.rates[1], "C"),
    },
    ...Object.fromEntries(slots.map(({ slot, component }) => [`${slot}_id`, component.id as Wire])),
    properties: { mass: quantity(massG, "g") },
    source: { creator_name: MAKER, license: "MIT", publication_date: design.created },
    notes: SYNTHETIC,
    ...creatorOf(design.name),
    ...times,
  };
  return {
    flat,
    nested: { ...flat, ...Object.fromEntries(slots.map((s) => [s.slot, s.component])) },
    materials: Object.fromEntries(slots.map((s) => [s.slot, s.material_id])) as Record<
      Slot,
      string
    >,
  };
}

const batchId = (cell: Cell) => idOf(`batch:${cell.design.key}:${cell.batch}`);
const cellId = (cell: Cell) => idOf(`cell:${cell.key}`);

function cellRecord(cell: Cell, index: number): WireRecord {
  const found = inspectionOf(cell);
  return {
    id: cellId(cell),
    name: cell.name,
    cell_specification_id: specificationId(cell.design),
    organization_id: organizationOf(cell.design.project),
    // The first of a type is the newest, so that lists show it first.
    ...stamps(cell.design.created, 86_400 - index * 600),
    batch_id: batchId(cell),
    batch_name: cell.batch,
    date_manufactured: cell.made,
    measured_properties: {
      cell: {
        capacity: quantity(found.capacityAh, "A.h"),
        dc_resistance_10s: quantity(found.resistanceOhm, "Ohm"),
        ac_resistance_1khz: quantity(found.resistance1kHzOhm, "Ohm"),
        mass: quantity(found.massG, "g"),
      },
    },
    notes: [SYNTHETIC, cell.remark].filter((text) => text !== "").join(" "),
    ...creatorOf(cell.name),
  };
}

function batchRecords(): WireRecord[] {
  const first = new Map(CELLS.map((cell) => [batchId(cell), cell]));
  return [...first].map(([id, cell]) => ({
    id,
    name: cell.batch,
    cell_specification_id: specificationId(cell.design),
    project_id: PROJECTS[cell.design.project].id,
    organization_id: organizationOf(cell.design.project),
    notes: SYNTHETIC,
    date_manufactured: cell.made,
    properties: null,
    created_by: creatorOf(cell.batch).created_by,
    ...stamps(cell.design.created),
    instance_count: CELLS.filter((other) => batchId(other) === id).length,
  }));
}

/** Values of a `properties` test. */
function propertiesOf(test: Test): WireRecord {
  const found = inspectionOf(test.cell);
  return {
    capacity: quantity(found.capacityAh, "A.h"),
    dc_resistance_10s: quantity(found.resistanceOhm, "Ohm"),
    ac_resistance_1khz: quantity(found.resistance1kHzOhm, "Ohm"),
    mass: quantity(found.massG, "g"),
    open_circuit_voltage: quantity(found.openCircuitV, "V"),
  };
}

const measurementId = (test: Test) => idOf(`measurement:${test.key}`);

function measurementRecord(test: Test, index: number): WireRecord {
  const end = test.hours === undefined ? null : test.hours * 3600;
  const running = test.status === "running";
  return {
    id: measurementId(test),
    name: test.name,
    cell_instance_id: cellId(test.cell),
    organization_id: organizationOf(test.cell.design.project),
    ...stamps(test.day, (end ?? 0) + 900 + index, (end ?? 0) + 5400 + index),
    measurement_type: test.type,
    protocol: {
      name: test.protocol,
      ambient_temperature_degc: new Real(test.ambientC),
      definition: null,
    },
    protocol_id: null,
    start_time: timeOf(test.day),
    end_time: end === null ? null : timeOf(test.day, end),
    estimated_end_time: running ? timeOf(test.day, 120 * 86_400) : null,
    estimated_end_time_note: running ? "From the pace of the last ten cycles" : null,
    estimated_end_time_calculated_at: running ? timeOf(test.day, 20 * 86_400) : null,
    test_setup: {
      cycler: "Vitrine simulator (synthetic)",
      operator: creatorOf(test.key).created_by_email,
      lab: ORGANIZATIONS[PROJECTS[test.cell.design.project].organization].name,
      channel_number: 1 + (index % 16),
    },
    channel_id: null,
    step_labels_validated: test.status === "ready" && test.type === "time_series",
    notes: `${test.note} ${SYNTHETIC}`,
    properties: test.type === "properties" ? propertiesOf(test) : null,
    file_metadata:
      test.type === "file"
        ? { filenames: ["scan.tif", "report.pdf"], voxel_size: quantity(12, "um"), synthetic: true }
        : null,
    processing_status: test.status,
    processing_error: test.error ?? null,
    tags: [...test.tags, "synthetic"].sort(),
    ...creatorOf(test.key),
  };
}

function projectRecords(): WireRecord[] {
  return Object.values(PROJECTS).map(({ id, name, organization }) => ({
    id,
    name,
    organization_id: ORGANIZATIONS[organization].id,
    description: SYNTHETIC,
    ...stamps("2026-01-02"),
  }));
}

/** All records of the demo. Every record has `id` and `organization_id`. */
export interface Records extends MaterialRecords {
  readonly projects: readonly WireRecord[];
  readonly specifications: readonly Specification[];
  readonly cells: readonly WireRecord[];
  readonly batches: readonly WireRecord[];
  readonly measurements: readonly WireRecord[];
  /** By the id of the measurement. */
  readonly tests: ReadonlyMap<string, Test>;
}

export function buildRecords(tests: readonly Test[]): Records {
  const materials = materialRecords();
  const byId = new Map(materials.materials.map((record) => [record.id as string, record]));
  return {
    ...materials,
    projects: projectRecords(),
    specifications: DESIGNS.map((design) => specificationOf(design, byId)),
    cells: CELLS.map(cellRecord),
    batches: batchRecords(),
    measurements: tests.map(measurementRecord),
    tests: new Map(tests.map((test) => [measurementId(test), test])),
  };
}
