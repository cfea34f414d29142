import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CELLS, circuitOf, inspectionOf } from "../../demo/catalogue/cells.ts";
import { allTests } from "../../demo/catalogue/tests.ts";
import { pulseResistance } from "../../demo/simulator/cell-model.ts";
import { column, type Demo, type Frame, startDemo } from "../helpers/ionworks-demo.ts";

const ROWS = 12_000;
const LARGEST = ["NMC-217-A01", "Cycle ageing 0.5C/1C 25 degC"] as const;

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo({ rows: ROWS });
});
afterAll(() => demo.close());

const frameOf = async (cell: string, name: string, file?: "time_series" | "steps") =>
  demo.frame(await demo.measurement(cell, name), file);
const cyclesOf = async (cell: string, name: string) =>
  (await demo.get(`/cell_measurements/${await demo.measurement(cell, name)}/cycles`)).body
    .cycles as Record<string, number[]>;

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));

const CYCLER = [
  "Time [s]",
  "Voltage [V]",
  "Current [A]",
  "Step count",
  "Cycle count",
  "Step from cycler",
  "Cycle from cycler",
  "Discharge capacity [A.h]",
  "Charge capacity [A.h]",
  "Discharge energy [W.h]",
  "Charge energy [W.h]",
  "Power [W]",
  "Temperature [degC]",
];

describe("cycle ageing", () => {
  let frame: Frame;
  let cycles: Record<string, number[]>;
  beforeAll(async () => {
    frame = await frameOf(...LARGEST);
    cycles = await cyclesOf(...LARGEST);
  });

  test("has the rows asked for, at most one cycle more, and the 13 columns in order", () => {
    expect(frame.rows.length).toBeGreaterThanOrEqual(ROWS);
    expect(frame.rows.length).toBeLessThan(ROWS + 1300);
    expect(frame.columns).toEqual(CYCLER);
    expect(frame.types.filter((type) => type === "INT64").length).toBe(4);
    expect(frame.types.filter((type) => type === "DOUBLE").length).toBe(9);
  });

  test("stays within the voltage limits of 2.5 and 4.2 V but for 1 mV of noise", () => {
    const volts = column(frame, "Voltage [V]");
    expect(least(volts)).toBeGreaterThan(2.499);
    expect(most(volts)).toBeLessThan(4.201);
  });

  test("starts at 0 s and never goes back; each step starts 1e-6 s after the one before", () => {
    const [time, step] = [column(frame, "Time [s]"), column(frame, "Step count")];
    expect(time[0]).toBe(0);
    for (let i = 1; i < time.length; i += 1) {
      const passed = (time[i] as number) - (time[i - 1] as number);
      if (step[i] === step[i - 1]) {
        expect(passed).toBeGreaterThan(0);
      } else {
        expect(passed).toBeCloseTo(1e-6, 8);
      }
    }
  });

  test("counts positive current as discharge: voltage and charge tell the same", () => {
    for (const row of frame.rows) {
      const current = row["Current [A]"] as number;
      if (current > 0) {
        expect(row["Charge capacity [A.h]"]).toBe(0);
      } else if (current < 0) {
        expect(row["Discharge capacity [A.h]"]).toBe(0);
      }
      expect(row["Power [W]"]).toBeCloseTo(current * (row["Voltage [V]"] as number), 3);
    }
  });

  test("moves the charge that the current carries: 1 % of the integral", () => {
    const sum = { charge: 0, discharge: 0 };
    for (let i = 1; i < frame.rows.length; i += 1) {
      const [a, b] = [frame.rows[i - 1], frame.rows[i]];
      if (a?.["Step count"] === b?.["Step count"]) {
        const seconds = (b?.["Time [s]"] as number) - (a?.["Time [s]"] as number);
        const amperes = ((a?.["Current [A]"] as number) + (b?.["Current [A]"] as number)) / 2;
        sum[amperes > 0 ? "discharge" : "charge"] += (Math.abs(amperes) * seconds) / 3600;
      }
    }
    const total = (name: string) => (cycles[name] as number[]).reduce((a, b) => a + b);
    expect(sum.discharge / total("Discharge capacity [A.h]")).toBeCloseTo(1, 2);
    expect(sum.charge / total("Charge capacity [A.h]")).toBeCloseTo(1, 2);
  });

  test("loses capacity in every cycle, within noise of 1e-5", () => {
    const retention = cycles["Capacity retention"] as number[];
    expect(retention.length).toBeGreaterThan(8);
    for (let i = 1; i < retention.length; i += 1) {
      expect(retention[i]).toBeLessThan((retention[i - 1] as number) + 1e-5);
    }
    expect(retention[0]).toBe(1);
    expect(retention.at(-1)).toBeLessThan(0.995);
    expect(retention.at(-1)).toBeGreaterThan(0.98);
  });

  test("has a coulombic efficiency of 0.998 to 0.999 and an energy efficiency below it", () => {
    for (const [i, value] of (cycles["Coulombic efficiency"] as number[]).entries()) {
      expect(value).toBeGreaterThan(0.998);
      expect(value).toBeLessThan(0.999);
      expect(cycles["Energy efficiency"]?.[i]).toBeLessThan(0.97);
    }
  });

  test("gives less energy than capacity times the highest voltage", () => {
    for (const [i, energy] of (cycles["Discharge energy [W.h]"] as number[]).entries()) {
      const capacity = cycles["Discharge capacity [A.h]"]?.[i] as number;
      expect(energy).toBeLessThan(capacity * 4.2);
      expect(energy).toBeGreaterThan(capacity * 2.5);
    }
  });

  test("drops by current times resistance at the start of a discharge", () => {
    const starts = frame.rows.flatMap((row, i) =>
      i > 0 && (row["Current [A]"] as number) > 0 && frame.rows[i - 1]?.["Current [A]"] === 0
        ? [[frame.rows[i - 1], row] as const]
        : [],
    );
    const cell = CELLS.find(({ name }) => name === LARGEST[0]);
    const { ohmicOhm } = circuitOf(cell as (typeof CELLS)[number]);
    const [before, at] = starts[0] ?? [];
    const drop = (before?.["Voltage [V]"] as number) - (at?.["Voltage [V]"] as number);
    expect(drop / (at?.["Current [A]"] as number) / ohmicOhm).toBeGreaterThan(0.85);
    expect(drop / (at?.["Current [A]"] as number) / ohmicOhm).toBeLessThan(1.15);
  });
});

describe("cells of one type", () => {
  test.each(["21700-nmc", "18650-nca", "coin"])(
    "of %s: one has clearly the highest resistance",
    (key) => {
      const found = CELLS.filter(({ design }) => design.key === key).map((cell) => ({
        cell,
        ohm: inspectionOf(cell).resistanceOhm,
      }));
      const [first, second] = found.sort((a, b) => b.ohm - a.ohm);
      expect(first?.cell.remark).toMatch(/Highest internal resistance/);
      expect((first?.ohm as number) / (second?.ohm as number)).toBeGreaterThan(1.2);
    },
  );

  test("of 21700: NMC-217-A04 fades fastest", async () => {
    const end = async (cell: string) =>
      (await cyclesOf(cell, LARGEST[1]))["Capacity retention"]?.[8] as number;
    const [a02, a03, a04] = await Promise.all(
      ["NMC-217-A02", "NMC-217-A03", "NMC-217-A04"].map(end),
    );
    expect(a04).toBeLessThan(Math.min(a02 as number, a03 as number) - 1e-3);
  });
});

describe("characterisation", () => {
  test("HPPC pulses show the resistance of the inspection within 3 %", async () => {
    const steps = await frameOf("NMC-217-A03", "HPPC begin of life", "steps");
    const middle = steps.rows.filter((row) => row.Label === "HPPT" && row["Group number"] === 4);
    const [pulse] = middle;
    const before = steps.rows[(pulse?.["Step count"] as number) - 1];
    const drop = (before?.["End voltage [V]"] as number) - (pulse?.["End voltage [V]"] as number);
    const cell = CELLS.find(({ name }) => name === "NMC-217-A03") as (typeof CELLS)[number];
    const ohm = drop / (pulse?.["Mean current [A]"] as number);
    // What the pulse moves along the open-circuit curve comes on top.
    const { ocv, capacityAh } = circuitOf(cell);
    const along = (ocv.slope(0.5) * 10) / 3600 / capacityAh;
    expect((ohm - along) / pulseResistance(circuitOf(cell), 10)).toBeCloseTo(1, 1);
    expect(middle.map((row) => row["Step type"])).toEqual([
      "Constant current discharge",
      "Rest",
      "Constant current charge",
      "Rest",
    ]);
  });

  test("capacity falls and temperature rises with the discharge rate", async () => {
    const frame = await frameOf("NCA-186-01", "Rate capability to 3C");
    const cycles = await cyclesOf("NCA-186-01", "Rate capability to 3C");
    const capacity = cycles["Discharge capacity [A.h]"] as number[];
    expect(capacity).toEqual([...capacity].sort((a, b) => b - a));
    const hottest = (cycle: number) =>
      most(
        frame.rows
          .filter((row) => row["Cycle count"] === cycle)
          .map((row) => row["Temperature [degC]"] as number),
      );
    expect(hottest(4) - hottest(0)).toBeGreaterThan(5);
  });

  test("the first formation cycle loses an eighth of the charge", async () => {
    const cycles = await cyclesOf("NMC622-GR-001", "Formation C/10");
    expect(cycles["Coulombic efficiency"]?.[0]).toBeCloseTo(0.872, 2);
    expect(cycles["Coulombic efficiency"]?.[2]).toBeGreaterThan(0.99);
  });

  test("impedance spectra have no current, potentials neither time nor current", async () => {
    const eis = await frameOf("NMC-217-A03", "EIS at 90, 50 and 10 % state of charge");
    expect(eis.columns).toContain("Z_Im [Ohm]");
    expect(eis.columns).not.toContain("Current [A]");
    const frequency = column(eis, "Frequency [Hz]").slice(0, 61);
    expect([frequency[0], frequency[60]]).toEqual([10_000, 0.01]);
    expect(least(column(eis, "Z_Im [Ohm]"))).toBeLessThan(0);
    const ocp = await frameOf("GR-LI-001", "Graphite OCP vs lithium");
    expect(ocp.columns).toEqual(["Stoichiometry", "Voltage [V]"]);
    const volts = column(ocp, "Voltage [V]");
    expect([volts[0], volts.at(-1)].map((v) => (v as number).toFixed(1))).toEqual(["1.4", "0.0"]);
    const [step] = (await frameOf("GR-LI-001", "Graphite OCP vs lithium", "steps")).rows;
    expect([
      step?.["Start time [s]"],
      step?.["Mean current [A]"],
      step?.["Mean frequency [Hz]"],
    ]).toEqual([null, null, 0]);
  });
});

describe("tests", () => {
  test("end within the hours that their record says, and fill more than 85 % of them", async () => {
    for (const each of allTests(ROWS)) {
      const own = each.cell.design.project !== "partner";
      if (each.recipe?.kind !== "program" || each.hours === undefined || !own) {
        continue;
      }
      const cycles = await cyclesOf(each.cell.name, each.name);
      const last =
        (cycles["Start time [s]"]?.at(-1) as number) +
        (cycles["Cycle duration [s]"]?.at(-1) as number);
      const share = last / 3600 / each.hours;
      expect([each.key, share > 0.85 && share <= 1]).toEqual([each.key, true]);
    }
  });

  test("have unique names within a cell", () => {
    const keys = allTests(ROWS).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("made files", () => {
  const digest = (frame: Frame) => createHash("sha256").update(frame.bytes).digest("hex");

  test("are the same bytes for the same seed and others for another", async () => {
    const [again, other] = await Promise.all([
      startDemo({ rows: ROWS }),
      startDemo({ rows: ROWS, seed: 2 }),
    ]);
    const name = "HPPC begin of life";
    const hash = async (from: Demo) =>
      digest(await from.frame(await from.measurement("NCA-186-01", name)));
    const first = await hash(demo);
    expect(await hash(again)).toBe(first);
    expect(await hash(other)).not.toBe(first);
    await Promise.all([again.close(), other.close()]);
  });

  test("are those of this generator version: when this digest changes, raise GENERATOR_VERSION", async () => {
    const frame = await frameOf("NCA-186-01", "HPPC begin of life");
    expect(digest(frame)).toBe("dd0e6c2551d56f591167ffbdd21e9f25da1dd03649211fa5f26ad649bbc4db74");
  });

  test("scale with the rows: more than 125,000 make a second row group", async () => {
    const large = await startDemo({ rows: 126_000 });
    const frame = await large.frame(await large.measurement(...LARGEST));
    expect(frame.rows.length).toBeGreaterThanOrEqual(126_000);
    expect(frame.rowGroups).toBe(2);
    await large.close();
  });
});
