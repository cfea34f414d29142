/** What a start and a small call cost. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpuMs, median, programCpuMs } from "../process.ts";
import { ms, type Report, times } from "../report.ts";
import { PROGRAM, startServer } from "../server.ts";
import { tsx } from "../child.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const STARTS = 15;
const CALLS = 400;

const HELLO = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join("");

/** Processor time from spawn to the answered `tools/list` [ms]. */
async function startCpu(): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write(HELLO);
  let text = "";
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('"id":2') && text.endsWith("\n")) {
      break;
    }
  }
  const spent = cpuMs(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "exit");
  return spent;
}

export async function benchStart(report: Report): Promise<void> {
  const ours: number[] = [];
  const empty: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    ours.push(await startCpu());
    empty.push(programCpuMs("node -e ''", ROOT));
  }
  const ratio = median(ours) / median(empty);
  report.add({
    what: "cold start: processor time from spawn to tools/list",
    ours: ms(median(ours)),
    against: `${ms(median(empty))} node -e ''`,
    ratio: times(ratio),
    reach: "≤ 2.0 ×",
    reached: ratio <= 2,
  });
}

/** A record call against fetching and parsing the same record directly, in turn. */
export async function benchRecord(report: Report, anyFile: string): Promise<void> {
  const far = tsx("./file-server.ts", anyFile);
  const { url } = await far.read<{ url: string }>();
  const server = await startServer(url);
  const id = "11111111-1111-4111-8111-111111111111";
  const inside: number[] = [];
  const through: number[] = [];
  const direct: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const called = await server.call("get_measurement", { measurement_id: id });
    inside.push(called.cost.ms);
    through.push(called.ms);
    const start = performance.now();
    const answer = await fetch(`${url}/cell_measurements/${id}`, {
      headers: { "x-api-key": "bench" },
    });
    await answer.json();
    direct.push(performance.now() - start);
  }
  await server.close();
  await far.close();
  const settled = (values: number[]) => median(values.slice(CALLS / 4));
  const over = settled(inside) - settled(direct);
  report.add({
    what: "a record call, inside the server, against the direct fetch",
    ours: ms(settled(inside)),
    against: ms(settled(direct)),
    ratio: `${over >= 0 ? "+" : ""}${over.toFixed(2)} ms`,
    reach: "≤ +0.2 ms",
    reached: over <= 0.2,
  });
  report.add({
    what: "the same, through the client",
    ours: ms(settled(through)),
    against: ms(settled(direct)),
    ratio: times(settled(through) / settled(direct)),
    reach: "",
    reached: undefined,
  });
}

/** `npm run generate` for the whole project. */
export function benchGenerate(report: Report): void {
  const spent = median(
    [0, 1, 2].map(() => programCpuMs("node --import tsx codegen/cli.ts generate", ROOT)),
  );
  report.add({
    what: "npm run generate, whole project: processor time",
    ours: ms(spent),
    against: "–",
    ratio: "",
    reach: "≤ 5 s",
    reached: spent <= 5000,
  });
}
