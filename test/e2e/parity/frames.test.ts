import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Demo, startDemo } from "../../helpers/ionworks-demo.ts";
import { SpawnedServer } from "../../helpers/spawned-server.ts";
import { PARITY, sdkPython } from "./python-environment.ts";

interface Condition {
  readonly column: string;
  readonly op: string;
  readonly value?: unknown;
}

type Cells = Record<string, (number | string | null)[]>;

/** One window of one table. */
interface Case {
  readonly what: string;
  readonly table: Table;
  readonly columns?: readonly string[];
  readonly where?: readonly Condition[];
  readonly offset?: number;
  readonly limit?: number;
  readonly stats?: boolean;
}

interface Expected {
  readonly columns: string[];
  readonly dtypes: Record<string, string>;
  readonly total_rows: number;
  readonly total_columns: number;
  readonly matched_rows: number;
  readonly data: Cells;
  readonly row_numbers: number[];
  readonly stats: Record<
    string,
    { count: number; min: unknown; max: unknown; mean: number | null }
  >;
}

const TOOLS = {
  time_series: "get_measurement_time_series",
  steps: "get_measurement_steps",
  cycles: "get_measurement_cycles",
  data: "get_material_property_data",
} as const;

/** Cell and measurement, or material and dataset, by their names. */
const TABLES = {
  series: ["time_series", "NMC-217-A01", "Cycle ageing 0.5C/1C 25 degC"],
  spectrum: ["time_series", "NMC-217-A03", "EIS at 90, 50 and 10 % state of charge"],
  potential: ["time_series", "GR-LI-001", "Graphite OCP vs lithium"],
  steps: ["steps", "NMC-217-A01", "Cycle ageing 0.5C/1C 25 degC"],
  pulses: ["steps", "NMC-217-A03", "HPPC begin of life"],
  spectrumSteps: ["steps", "NMC-217-A03", "EIS at 90, 50 and 10 % state of charge"],
  cycles: ["cycles", "NMC-217-A01", "Cycle ageing 0.5C/1C 25 degC"],
  spectrumCycles: ["cycles", "NMC-217-A03", "EIS at 90, 50 and 10 % state of charge"],
  electrolyte: ["data", "LP57 electrolyte", "Electrolyte transport properties at 25 degC"],
  graphite: ["data", "Graphite", "OCP vs stoichiometry"],
} as const satisfies Record<string, readonly [keyof typeof TOOLS, string, string]>;

type Table = keyof typeof TABLES;

const [TIME, VOLTS, AMPERES] = ["Time [s]", "Voltage [V]", "Current [A]"];

const CASES: readonly Case[] = [
  { what: "first rows, all columns", table: "series" },
  { what: "deep, all columns", table: "series", offset: 260_123, limit: 500 },
  { what: "across a row group", table: "series", offset: 124_990, limit: 20 },
  { what: "across a page", table: "series", offset: 15_620, limit: 10, columns: [VOLTS, TIME] },
  { what: "2,000 rows of one column", table: "series", offset: 7, limit: 2000, columns: [VOLTS] },
  { what: "the last rows", table: "series", offset: 300_000, limit: 5000, columns: [TIME] },
  { what: "past the end", table: "series", offset: 9_999_999 },
  {
    what: "filtered by cycle",
    table: "series",
    where: [{ column: "Cycle count", op: "=", value: 50 }],
    limit: 1500,
    columns: [TIME, VOLTS, AMPERES],
  },
  {
    what: "filtered by two columns, second page",
    table: "series",
    where: [
      { column: VOLTS, op: ">=", value: 4.1999 },
      { column: AMPERES, op: "<", value: -1 },
    ],
    offset: 300,
    limit: 300,
    stats: true,
  },
  {
    what: "filtered by a list of integers",
    table: "series",
    where: [{ column: "Step count", op: "in", value: [3, 700, 701] }],
    columns: ["Step count", VOLTS],
  },
  {
    what: "statistics of all rows",
    table: "series",
    stats: true,
    limit: 1,
    columns: [VOLTS, TIME],
  },
  { what: "nothing matches", table: "series", where: [{ column: VOLTS, op: ">", value: 99 }] },
  { what: "impedance", table: "spectrum", stats: true },
  { what: "potential", table: "potential", offset: 500 },
  { what: "all 38 columns", table: "steps", limit: 100 },
  {
    what: "texts filtered",
    table: "steps",
    where: [{ column: "Step type", op: "=", value: "Constant voltage charge" }],
    columns: ["Step type", "Start index", "End index", "Duration [s]", "Mean current [A]"],
    limit: 1000,
  },
  { what: "gaps: NaN groups", table: "pulses", columns: ["Label", "Group number", "Step count"] },
  {
    what: "gaps found",
    table: "pulses",
    where: [{ column: "Group number", op: "is_null" }],
    columns: ["Step count", "Group number", "Label"],
  },
  { what: "columns of nothing but null", table: "spectrumSteps", stats: true },
  { what: "all columns", table: "cycles", stats: true },
  { what: "second page", table: "cycles", offset: 100, limit: 50 },
  {
    what: "filtered",
    table: "cycles",
    where: [{ column: "Capacity retention", op: "<", value: 0.97 }],
    columns: ["Cycle count", "Capacity retention", "Coulombic efficiency"],
  },
  { what: "few columns", table: "spectrumCycles" },
  { what: "with a gap", table: "electrolyte", stats: true },
  {
    what: "one concentration",
    table: "electrolyte",
    where: [{ column: "Electrolyte concentration", op: "=", value: 1000 }],
  },
  { what: "window", table: "graphite", offset: 20, limit: 30 },
];

const LAYOUTS = ["columns", "records", "csv"] as const;

describe.runIf(PARITY)(
  "table tools against pandas on the official SDK's frames (with VITRINE_PARITY=1 or CI)",
  () => {
    let demo: Demo;
    let server: SpawnedServer;
    let expected: readonly Expected[];
    const ids = new Map<Table, string>();

    beforeAll(async () => {
      const python = await sdkPython();
      demo = await startDemo({ rows: 300_000 });
      for (const [table, [kind, owner, name]] of Object.entries(TABLES)) {
        const id = kind === "data" ? dataset(owner, name) : demo.measurement(owner, name);
        ids.set(table as Table, await id);
      }
      const requests = CASES.map(({ table, columns, where, offset, limit }) => ({
        kind: TABLES[table][0],
        id: ids.get(table),
        columns: columns ?? null,
        where: where ?? [],
        offset: offset ?? 0,
        limit: limit ?? 500,
      }));
      expected = await frames(python, requests);
      server = new SpawnedServer({
        args: ["--max-result-bytes", "1000000"],
        env: { IONWORKS_API_URL: demo.url, IONWORKS_API_KEY: demo.key },
      });
      await server.initialize();
    }, 600_000);

    afterAll(async () => {
      server?.endInput();
      await server?.exit;
      await demo?.close();
    });

    async function dataset(material: string, name: string): Promise<string> {
      const [{ project_id }] = (await demo.all("/cell_specifications")) as [{ project_id: string }];
      const query = `project_id=${project_id}&name=${encodeURIComponent(`eq.${material}`)}`;
      const [found] = await demo.all(`/materials?${query}`);
      const sets = await demo.all(`/material_property_datasets?material_id=${found?.id}`);
      return sets.find((each) => each.name === name)?.id as string;
    }

    function frames(python: string, requests: unknown): Promise<Expected[]> {
      const { PATH, HOME } = process.env;
      const child = spawn(python, [join(import.meta.dirname, "frames.py")], {
        env: { PATH, HOME, IONWORKS_API_URL: demo.url, IONWORKS_API_KEY: demo.key },
        stdio: ["pipe", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (chunk) => {
        output += chunk;
      });
      child.stdin.end(JSON.stringify(requests));
      return new Promise((resolve, reject) => {
        child.on("close", (status) =>
          status === 0 ? resolve(JSON.parse(output)) : reject(new Error(`frames.py: ${status}`)),
        );
      });
    }

    async function call({ table, what: _, ...window }: Case, layout: string) {
      const argument = TABLES[table][0] === "data" ? "dataset_id" : "measurement_id";
      const { result } = await server.request("tools/call", {
        name: TOOLS[TABLES[table][0]],
        arguments: { [argument]: ids.get(table), layout, ...window },
      });
      expect(result.isError, result.content?.[0]?.text).not.toBe(true);
      return result.structuredContent;
    }

    /** The values of a result by column, whatever its layout. Texts of CSV become what their columns' types say. */
    function cellsOf(result: Awaited<ReturnType<typeof call>>, layout: string): Cells {
      if (layout === "columns") {
        return result.data;
      }
      const { columns, dtypes } = result as { columns: string[]; dtypes: Record<string, string> };
      const rows: Record<string, number | string | null>[] =
        layout === "records" ? result.rows : csvRows(result.csv, columns, dtypes);
      return Object.fromEntries(
        columns.map((name) => [name, rows.map((row) => row[name] ?? null)]),
      );
    }

    describe.each(CASES.map((each, i) => ({ ...each, i })))("$table: $what", ({ i, ...each }) => {
      test.each(LAYOUTS)(
        "has the values, columns, types and counts of the frame (%s)",
        async (layout) => {
          const want = expected[i] as Expected;
          const got = await call(each, layout);
          expect(cellsOf(got, layout)).toEqual(want.data);
          expect(got.columns).toEqual(want.columns);
          expect(got.dtypes).toEqual(want.dtypes);
          expect(got.total_rows).toBe(want.total_rows);
          expect(got.row_count).toBe(want.row_numbers.length);
          if (each.where !== undefined) {
            expect(got.matched_rows).toBe(want.matched_rows);
          }
          if (each.stats === true) {
            expectStats(got.stats, want.stats);
          }
        },
      );
    });

    test("following next_offset reads every row of the frame once, in order", async () => {
      const want = expected[CASES.findIndex(({ what }) => what === "all columns")] as Expected;
      const cycles: number[] = [];
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const page = await call(
          { what: "", table: "cycles", columns: ["Cycle count"], offset, limit: 40 },
          "columns",
        );
        cycles.push(...page.data["Cycle count"]);
        offset = page.next_offset;
      }
      expect(cycles).toEqual(Array.from({ length: want.total_rows }, (_, n) => n));
    });
  },
);

function csvRows(
  csv: string,
  columns: readonly string[],
  dtypes: Record<string, string>,
): Record<string, number | string | null>[] {
  const [head = "", ...lines] = csv.replace(/\r?\n$/, "").split(/\r?\n/);
  expect(head.split(",")).toEqual(columns);
  return lines.map((line) =>
    Object.fromEntries(
      line.split(",").map((text, c) => {
        const name = columns[c] as string;
        if (text === "") {
          return [name, null];
        }
        // Empty texts are quoted, so that they differ from null.
        return [name, dtypes[name] === "string" ? text.replace(/^""$/, "") : Number(text)];
      }),
    ),
  );
}

function expectStats(got: Record<string, Record<string, unknown>>, want: Expected["stats"]): void {
  for (const [name, { count, min, max, mean }] of Object.entries(want)) {
    expect(got[name]).toMatchObject({ count, min, max });
    if (mean === null) {
      expect(got[name]?.mean).toBeNull();
    } else {
      // pandas sums pairwise; the last digits of a mean depend on the order of summation.
      expect(Math.abs((got[name]?.mean as number) - mean)).toBeLessThanOrEqual(
        1e-9 * Math.abs(mean),
      );
    }
  }
}
