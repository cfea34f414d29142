/** The questions of `npm run demo`: from a cell's specification to a window of its time series, and its electrolyte. */
import type { Ask } from "./demo.ts";

interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Quantity {
  readonly value: number;
  readonly unit: string;
}

interface Table {
  readonly rows: readonly Record<string, unknown>[];
  readonly row_count: number;
  readonly total_rows: number;
  readonly matched_rows?: number;
  readonly columns: readonly string[];
  readonly units?: Readonly<Record<string, string>>;
}

const MOST_ROWS = 8;
const WIDEST = 44;

function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}

/** Rows under their names, numbers to the right; the first few where there are many. */
function grid(names: readonly string[], rows: readonly (readonly unknown[])[]): string[] {
  const shown = [names, ...rows.slice(0, MOST_ROWS)].map((row) => row.map(cell));
  const width = names.map((_, place) => Math.max(...shown.map((row) => (row[place] ?? "").length)));
  const right = names.map((_, place) => typeof rows[0]?.[place] === "number");
  const lines = shown.map((row) =>
    row
      .map((text, place) =>
        right[place] ? text.padStart(width[place] ?? 0) : text.padEnd(width[place] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const hidden = rows.length - MOST_ROWS;
  return hidden > 0 ? [...lines, `… and ${hidden} more`] : lines;
}

const thousands = (count: number) => count.toLocaleString("en");

const rowsOf = ({ row_count, total_rows, matched_rows }: Table): string =>
  matched_rows === undefined
    ? `${row_count} of ${thousands(total_rows)} rows`
    : `${row_count} of ${thousands(matched_rows)} rows that match, of ${thousands(total_rows)}`;

const withUnit = (name: string, unit: string | undefined) =>
  unit === undefined || name.includes("[") ? name : `${name} [${unit}]`;

const showTable = (table: Table): string[] => [
  ...grid(
    table.columns.map((name) => withUnit(name, table.units?.[name])),
    table.rows.map((row) => table.columns.map((name) => row[name])),
  ),
  rowsOf(table),
];

const BARS = "▁▂▃▄▅▆▇█";

/** A column as a row of bars between its least and its greatest value. */
function sparkline({ rows }: Table, name: string): string {
  const values = rows.map((row) => Number(row[name]));
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const bars = values.map((value) => {
    const height = (value - least) / (greatest - least || 1);
    return BARS[Math.round(height * (BARS.length - 1))];
  });
  return `${name}: ${bars.join("")} ${least} to ${greatest}`;
}

function first<T>(items: readonly T[], what: string): T {
  const [item] = items;
  if (item === undefined) {
    throw new Error(`the demo data hold no ${what}`);
  }
  return item;
}

const quantity = (value: Quantity | undefined) =>
  value === undefined ? "" : `${value.value} ${value.unit}`;

export async function walkIonworks(ask: Ask): Promise<void> {
  interface Spec extends Named {
    readonly form_factor: string;
    readonly ratings: Record<string, Quantity>;
  }
  const specs = await ask<Page<Spec>>({
    question: "Which cell types do we have, and what are they rated for?",
    tool: "list_cell_specs",
    args: {},
    show: ({ items }) =>
      grid(
        ["name", "form factor", "capacity", "voltage"],
        items.map(({ name, form_factor, ratings }) => [
          name,
          form_factor,
          quantity(ratings.capacity),
          `${ratings.voltage_min?.value} to ${quantity(ratings.voltage_max)}`,
        ]),
      ),
  });
  const spec =
    specs.items.find(({ name }) => name.startsWith("NMC622")) ?? first(specs.items, "cell type");

  interface Instance extends Named {
    readonly batch_name: string;
    readonly measured_properties: { readonly cell: Record<string, Quantity> };
  }
  const instances = await ask<Page<Instance>>({
    question: `Which cells of type ${spec.name} were tested, and how do they differ?`,
    tool: "list_cell_instances",
    args: { cell_spec_id: spec.id },
    show: ({ items }) =>
      grid(
        ["name", "batch", "capacity", "resistance (10 s)"],
        items.map(({ name, batch_name, measured_properties: { cell: measured } }) => [
          name,
          batch_name,
          quantity(measured.capacity),
          quantity(measured.dc_resistance_10s),
        ]),
      ),
  });
  const instance =
    instances.items.find(({ name }) => name === "NMC-217-A01") ?? first(instances.items, "cell");

  interface Measurement extends Named {
    readonly measurement_type: string;
    readonly processing_status: string;
  }
  const measurements = await ask<Page<Measurement>>({
    question: `What was measured on ${instance.name}?`,
    tool: "list_measurements",
    args: { cell_instance_id: instance.id },
    show: ({ items }) =>
      grid(
        ["name", "type", "state"],
        items.map(({ name, measurement_type, processing_status }) => [
          name,
          measurement_type,
          processing_status,
        ]),
      ),
  });
  const ageing =
    measurements.items.find(({ name }) => name.startsWith("Cycle ageing")) ??
    first(measurements.items, "measurement");
  const { id: measurement_id } = ageing;

  const overview = await ask<Table>({
    question: "What does the whole test look like? (a sample that keeps every extreme)",
    tool: "get_measurement_time_series",
    args: { measurement_id, columns: ["Time [s]", "Voltage [V]"], sample: 64 },
    show: (table) => [sparkline(table, "Voltage [V]"), rowsOf(table)],
  });
  const offset = Math.floor(overview.total_rows / 2);
  await ask<Table>({
    question: "What were voltage and current in the middle of it?",
    tool: "get_measurement_time_series",
    args: {
      measurement_id,
      columns: ["Time [s]", "Voltage [V]", "Current [A]"],
      offset,
      limit: 5,
    },
    show: showTable,
  });
  await ask<Table>({
    question: "And the rows after those?",
    tool: "get_measurement_time_series",
    args: {
      measurement_id,
      columns: ["Time [s]", "Voltage [V]", "Current [A]"],
      offset: offset + 5,
      limit: 5,
    },
    show: showTable,
  });
  await ask<Table>({
    question: "When did it discharge in cycle 50 below 3 V?",
    tool: "get_measurement_time_series",
    args: {
      measurement_id,
      columns: ["Time [s]", "Voltage [V]", "Current [A]"],
      where: [
        { column: "Cycle count", op: "=", value: 50 },
        { column: "Current [A]", op: ">", value: 0 },
        { column: "Voltage [V]", op: "<", value: 3 },
      ],
      sample: 5,
    },
    show: showTable,
  });
  await ask<Table>({
    question: "How did its capacity fade?",
    tool: "get_measurement_cycles",
    args: { measurement_id, columns: ["Cycle count", "Discharge capacity [A.h]"], sample: 8 },
    show: showTable,
  });

  interface Capabilities {
    readonly domain_context: { readonly projects?: readonly Named[] };
  }
  const capabilities = await ask<Capabilities>({
    question: "Which projects can I read?",
    tool: "discover_capabilities",
    args: {},
    show: ({ domain_context: { projects = [] } }) =>
      grid(
        ["project", "id"],
        projects.map(({ name, id }) => [name, id]),
      ),
  });
  const { id: project_id } = first(capabilities.domain_context.projects ?? [], "project");
  const materials = await ask<Page<Named & { readonly property_count: number }>>({
    question: "Which materials are in those cells?",
    tool: "list_materials",
    args: { project_id },
    show: ({ items }) =>
      grid(
        ["material", "datasets"],
        items.map(({ name, property_count }) => [name, property_count]),
      ),
  });
  const electrolyte = first(
    materials.items.filter(({ name }) => name.includes("electrolyte")),
    "electrolyte",
  );
  const datasets = await ask<Page<Named>>({
    question: `What is known about ${electrolyte.name}?`,
    tool: "list_material_property_datasets",
    args: { material_id: electrolyte.id, project_id },
    show: ({ items }) =>
      grid(
        ["dataset"],
        items.map(({ name }) => [name]),
      ),
  });
  await ask<Table>({
    question: "How well does it conduct at 1 mol/L and 25 °C?",
    tool: "get_material_property_data",
    args: {
      dataset_id: first(
        datasets.items.filter(({ name }) => name.includes("conductivity")),
        "conductivity",
      ).id,
      where: [{ column: "Temperature", op: "=", value: 25 }],
    },
    show: showTable,
  });
}
