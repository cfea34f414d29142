/**
 * Ten questions of a battery engineer, asked of `ionworks-mcp --demo` by a real client, and what each cost: the block
 * «Ten questions» of docs/ionworks.md.
 *
 *     npm run docs:questions            prints it
 *     npm run docs:questions -- --write puts it into the page
 *
 * Every number in an answer is computed from what the tools answered.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

type Row = Record<string, number | string | null>;

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Cell extends Named {
  readonly measured_properties: { readonly cell: Record<string, { value: number; unit: string }> };
}

interface Table {
  readonly rows: readonly Row[];
  readonly total_rows: number;
  readonly matched_rows?: number;
  readonly units: Record<string, string>;
  readonly stats: Record<string, { min: number; max: number; mean: number }>;
}

interface Call {
  readonly tool: string;
  readonly args: object;
  readonly requests: number;
  readonly bytes: number;
  readonly answerBytes: number;
}

type Ask = <T>(tool: string, args: object) => Promise<T>;

const page = async <T extends Named>(ask: Ask, tool: string, args: object): Promise<readonly T[]> =>
  (await ask<{ items: readonly T[] }>(tool, args)).items;

async function named<T extends Named>(
  ask: Ask,
  tool: string,
  args: object,
  name: string,
): Promise<T> {
  const found = (await page<T>(ask, tool, args)).find((item) => item.name === name);
  if (found === undefined) {
    throw new Error(`${tool} has no ${name}`);
  }
  return found;
}

const number = (row: Row | undefined, column: string): number => Number(row?.[column]);
const round = (value: number, digits: number): string => value.toFixed(digits);

/** Ids that earlier questions found: an assistant remembers them too. */
const known = { spec: "", cell: "", ageing: "", hppc: "", rate: "", eis: "", ocv: "" };

const QUESTIONS: readonly { question: string; answer: (ask: Ask) => Promise<string> }[] = [
  {
    question: "Which of our 5 Ah 21700 cells has the highest resistance?",
    async answer(ask) {
      known.spec =
        (await page<Named>(ask, "list_cell_specs", { name: "21700", limit: 5 }))[0]?.id ?? "";
      const cells = await page<Cell>(ask, "list_cell_instances", { cell_spec_id: known.spec });
      const resistance = (cell: Cell) =>
        cell.measured_properties.cell.dc_resistance_10s?.value ?? 0;
      const sorted = [...cells].sort((a, b) => resistance(b) - resistance(a));
      known.cell = cells.find((cell) => cell.name === "NMC-217-A01")?.id ?? "";
      return sorted
        .map((cell) => `${cell.name} ${round(1000 * resistance(cell), 1)} mΩ`)
        .join(", ");
    },
  },
  {
    question: "How did the capacity of NMC-217-A01 fade?",
    async answer(ask) {
      const tests = await page<Named>(ask, "list_measurements", { cell_instance_id: known.cell });
      const id = (part: string) => tests.find((test) => test.name.includes(part))?.id ?? "";
      Object.assign(known, {
        ageing: id("25 degC"),
        hppc: id("HPPC begin"),
        rate: id("Rate"),
        eis: id("EIS"),
        ocv: id("Pseudo-OCV"),
      });
      const columns = ["Cycle count", "Discharge capacity [A.h]", "Capacity retention"];
      const { rows, total_rows } = await ask<Table>("get_measurement_cycles", {
        measurement_id: known.ageing,
        columns,
        sample: 10,
      });
      const [first, last] = [rows[0], rows.at(-1)];
      return `From ${round(number(first, columns[1] ?? ""), 3)} to ${round(number(last, columns[1] ?? ""), 3)} A.h over ${total_rows} cycles: ${round(100 * number(last, "Capacity retention"), 1)} % are left`;
    },
  },
  {
    question: "After how many cycles was 90 % left?",
    async answer(ask) {
      const where = [{ column: "Capacity retention", op: "<", value: 0.9 }];
      const columns = ["Cycle count", "Capacity retention"];
      const { rows, matched_rows } = await ask<Table>("get_measurement_cycles", {
        measurement_id: known.ageing,
        columns,
        where,
        limit: 1,
      });
      return `Cycle ${rows[0]?.["Cycle count"]} is the first below it (${matched_rows} are)`;
    },
  },
  {
    question: "What did the voltage do during cycle 50?",
    async answer(ask) {
      const columns = ["Time [s]", "Voltage [V]", "Current [A]"];
      const where = [{ column: "Cycle count", op: "=", value: 50 }];
      const { stats, matched_rows } = await ask<Table>("get_measurement_time_series", {
        measurement_id: known.ageing,
        columns,
        where,
        sample: 40,
        stats: true,
      });
      const volts = stats["Voltage [V]"];
      const amps = stats["Current [A]"];
      return `${matched_rows} rows, from ${volts?.min} to ${volts?.max} V, charge at ${amps?.min} A, discharge at ${amps?.max} A; the answer holds the curve`;
    },
  },
  {
    question: "How much capacity does it give at 3C against C/5?",
    async answer(ask) {
      const columns = ["Cycle count", "Mean discharge current [A]", "Discharge capacity [A.h]"];
      const { rows } = await ask<Table>("get_measurement_cycles", {
        measurement_id: known.rate,
        columns,
      });
      const sorted = [...rows].sort(
        (a, b) => number(a, columns[1] ?? "") - number(b, columns[1] ?? ""),
      );
      const say = (row: Row | undefined) =>
        `${round(number(row, columns[2] ?? ""), 2)} A.h at ${round(number(row, columns[1] ?? ""), 1)} A`;
      return `${say(sorted.at(-1))}, ${say(sorted[0])}`;
    },
  },
  {
    question: "What is its resistance from the HPPC pulses, by state of charge?",
    async answer(ask) {
      const columns = [
        "Step count",
        "Start voltage [V]",
        "End voltage [V]",
        "Mean current [A]",
        "Duration [s]",
      ];
      const where = [
        { column: "Step type", op: "=", value: "Constant current discharge" },
        { column: "Duration [s]", op: "<=", value: 11 },
      ];
      const { rows } = await ask<Table>("get_measurement_steps", {
        measurement_id: known.hppc,
        columns,
        where,
      });
      const before = {
        column: "Step count",
        op: "in",
        value: rows.map((row) => number(row, "Step count") - 1),
      };
      const rests = await ask<Table>("get_measurement_steps", {
        measurement_id: known.hppc,
        columns: ["Step count", "End voltage [V]"],
        where: [before],
      });
      const pulses = rows.map(
        (row, index) =>
          (1000 * (number(rests.rows[index], "End voltage [V]") - number(row, "End voltage [V]"))) /
          number(row, "Mean current [A]"),
      );
      return `${pulses.length} pulses of 10 s: ${pulses.map((value) => round(value, 1)).join(", ")} mΩ from full to empty`;
    },
  },
  {
    question: "How hot did it get in the rate test?",
    async answer(ask) {
      const columns = ["Temperature [degC]"];
      const { stats } = await ask<Table>("get_measurement_time_series", {
        measurement_id: known.rate,
        columns,
        stats: true,
        limit: 1,
      });
      const { min, max } = stats["Temperature [degC]"] ?? { min: Number.NaN, max: Number.NaN };
      return `${max} °C at most, from ${min} °C`;
    },
  },
  {
    question: "What is the impedance at 1 kHz?",
    async answer(ask) {
      const columns = ["Step count", "Frequency [Hz]", "Z_Re [Ohm]", "Z_Im [Ohm]"];
      const where = [
        { column: "Frequency [Hz]", op: ">=", value: 999 },
        { column: "Frequency [Hz]", op: "<=", value: 1001 },
      ];
      const { rows } = await ask<Table>("get_measurement_time_series", {
        measurement_id: known.eis,
        columns,
        where,
      });
      return rows
        .map(
          (row) =>
            `${round(1000 * number(row, "Z_Re [Ohm]"), 2)} ${number(row, "Z_Im [Ohm]") < 0 ? "-" : "+"} ${round(Math.abs(1000 * number(row, "Z_Im [Ohm]")), 2)}i mΩ`,
        )
        .join(", ");
    },
  },
  {
    question: "What is the conductivity of the electrolyte at 1 mol/L, and where is its maximum?",
    async answer(ask) {
      const { project_id } = await ask<{ project_id: string }>("get_cell_spec", {
        cell_spec_id: known.spec,
      });
      const material = await named<Named>(
        ask,
        "list_materials",
        { project_id, name: "electrolyte" },
        "LP57 electrolyte",
      );
      const sets = await page<Named>(ask, "list_material_property_datasets", {
        material_id: material.id,
        project_id,
      });
      const dataset = sets.find((set) => set.name.includes("transport"))?.id ?? "";
      const columns = ["Electrolyte concentration", "Electrolyte conductivity"];
      const { rows, units } = await ask<Table>("get_material_property_data", {
        dataset_id: dataset,
        columns,
      });
      const at = rows.find((row) => number(row, columns[0] ?? "") === 1000);
      const best = [...rows].sort(
        (a, b) => number(b, columns[1] ?? "") - number(a, columns[1] ?? ""),
      )[0];
      const say = (row: Row | undefined) =>
        `${round(number(row, columns[1] ?? ""), 3)} ${units[columns[1] ?? ""]} at ${number(row, columns[0] ?? "")} ${units[columns[0] ?? ""]}`;
      return `${say(at)}; most of all ${say(best)}`;
    },
  },
  {
    question: "Why can I not read the HPPC test of NCA-186-03?",
    async answer(ask) {
      const spec = (await page<Named>(ask, "list_cell_specs", { name: "NCA", limit: 5 }))[0]?.id;
      const cell = await named<Cell>(
        ask,
        "list_cell_instances",
        { cell_spec_id: spec },
        "NCA-186-03",
      );
      const test = (
        await page<Named>(ask, "list_measurements", { cell_instance_id: cell.id, name: "hppc" })
      )[0];
      const refusal = await ask<{ error: { message: string } }>("get_measurement_steps", {
        measurement_id: test?.id,
      });
      return refusal.error.message;
    },
  },
];

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** Asks all ten; gives the Markdown. */
export async function tenQuestions(): Promise<string> {
  const client = new Client({ name: "ten-questions", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, "..", "dist", "ionworks-mcp.js"), "--demo"],
      env: process.env as Record<string, string>,
      stderr: "inherit",
    }),
  );
  const lines: string[] = [];
  try {
    for (const [index, { question, answer }] of QUESTIONS.entries()) {
      const calls: Call[] = [];
      const text = await answer(async <T>(tool: string, args: object): Promise<T> => {
        const result = await client.callTool({ name: tool, arguments: { ...args } });
        const body = result.content.map((item) => (item.type === "text" ? item.text : "")).join("");
        const cost = result._meta?.["vitrine/cost"] as Pick<Call, "requests" | "bytes">;
        calls.push({ tool, args, ...cost, answerBytes: Buffer.byteLength(body) });
        return JSON.parse(body) as T;
      });
      lines.push(`${index + 1}. **${question}** ${text.replace(/\.$/, "")}.`, "");
      for (const { tool, args, requests, bytes, answerBytes } of calls) {
        const shown = JSON.stringify(args).replace(/\[(\d+,){8,}\d+\]/, "[…]");
        const moved =
          requests === 0
            ? "nothing moved"
            : `${requests} request${requests === 1 ? "" : "s"}, ${kilobytes(bytes)}`;
        lines.push(`   - \`${tool} ${shown}\`: ${moved}; answer ${kilobytes(answerBytes)}`);
      }
      lines.push("");
    }
  } finally {
    await client.close();
  }
  return lines.join("\n").trimEnd();
}

const START = "<!-- ten questions: npm run docs:questions -- --write -->";
const END = "<!-- end of ten questions -->";

if (process.argv[1] === import.meta.filename) {
  const block = await tenQuestions();
  if (process.argv.includes("--write")) {
    const path = join(import.meta.dirname, "..", "docs", "ionworks.md");
    const text = readFileSync(path, "utf8");
    const [before, after] = [text.indexOf(START), text.indexOf(END)];
    if (before < 0 || after < before) {
      throw new Error(`${path} has no place for the questions`);
    }
    writeFileSync(path, `${text.slice(0, before)}${START}\n\n${block}\n\n${text.slice(after)}`);
  } else {
    process.stdout.write(`${block}\n`);
  }
}
