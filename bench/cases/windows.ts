/** Windows of a 10 M-row file: against the whole-file way, against polars.scan_parquet, against the bytes of the pages touched. */
import { tsx } from "../child.ts";
import { pageBytes } from "../floor.ts";
import { median, peakMiB, residentMiB, sleep } from "../process.ts";
import { mb, mib, ms, type Report, times } from "../report.ts";
import { type Called, type Server, startServer } from "../server.ts";

export interface BenchFile {
  readonly path: string;
  readonly rows: number;
}

interface Endpoints {
  readonly url: string;
  readonly file: string;
}

interface Measured {
  readonly ms: number;
  readonly peak_mib: number;
  readonly bytes?: number;
}

const MEASUREMENT = "11111111-1111-4111-8111-111111111111";
const TOOL = "get_measurement_time_series";
const ROUNDS = 5;
/** How long a host and its user take between the list and the first call, at the least [ms]. */
const IDLE_MS = 1500;

const windowAt = (server: Server, offset: number, extra: object = {}): Promise<Called> =>
  server.call(TOOL, {
    measurement_id: MEASUREMENT,
    offset,
    limit: 500,
    layout: "columns",
    ...extra,
  });

/** Median over freshly spawned servers of what `use` measures. */
async function fresh<T>(
  api: string,
  use: (server: Server) => Promise<T>,
  program?: readonly string[],
): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await startServer(api, program);
    await sleep(IDLE_MS);
    results.push(await use(server));
    await server.close();
  }
  return results;
}

const middle = <T>(results: readonly T[], of: (result: T) => number): number =>
  median(results.map(of));

async function wholeFile(endpoints: Endpoints, deep: number): Promise<Measured> {
  const child = tsx("./whole-file.ts", endpoints.file, String(deep), "500");
  const measured = await child.read<Measured>();
  await child.close();
  return measured;
}

/** Body bytes that the storage has sent since the last time it was asked. */
async function countedBytes(api: string): Promise<number> {
  const answer = await fetch(`${api}/bytes`);
  return Number(await answer.text());
}

/** The same windows from a Python server over scan_parquet, spoken to by the same client. */
async function scan(python: string, api: string, deep: number, jumps: readonly number[]) {
  const program = [python, new URL("../rivals/scan_server.py", import.meta.url).pathname];
  const ask = (server: Server, offset: number) =>
    server.call(TOOL, { measurement_id: MEASUREMENT, offset, limit: 500 });
  const results = await fresh(
    api,
    async (server) => {
      await countedBytes(api);
      const first = await ask(server, deep);
      const bytes = await countedBytes(api);
      const peak = peakMiB(server.pid);
      const jumped: number[] = [];
      for (const offset of jumps) {
        jumped.push((await ask(server, offset)).ms);
      }
      return { first: first.ms, bytes, jump: median(jumped), peak };
    },
    program,
  );
  return {
    first: middle(results, (one) => one.first),
    bytes: middle(results, (one) => one.bytes),
    jump: middle(results, (one) => one.jump),
    peak: middle(results, (one) => one.peak),
  };
}

export async function benchWindows(report: Report, file: BenchFile, python: string): Promise<void> {
  const far = tsx("./file-server.ts", file.path);
  const endpoints = await far.read<Endpoints>();
  const deep = Math.floor(file.rows * 0.9) + 123;
  const jumps = [0.31, 0.52, 0.07, 0.74].map((place) => Math.floor(file.rows * place));

  const ours = await fresh(endpoints.url, async (server) => {
    const first = await windowAt(server, deep);
    const peak = peakMiB(server.pid);
    const next = await windowAt(server, deep + 500);
    const again = [];
    for (let page = 2; page < 12; page += 1) {
      again.push(await windowAt(server, deep + page * 500));
    }
    const jumped = [];
    for (const offset of jumps) {
      jumped.push((await windowAt(server, offset)).ms);
    }
    return {
      first: first.ms,
      startMs: server.startMs,
      bytes: first.cost.bytes,
      peak,
      nextInside: median([next, ...again].map((call) => call.cost.ms)),
      nextOutside: median([next, ...again].map((call) => call.ms)),
      nextBytes: Math.max(...[next, ...again].map((call) => call.cost.bytes)),
      jump: median(jumped),
    };
  });
  const first = middle(ours, (one) => one.first);
  const bytes = middle(ours, (one) => one.bytes);
  const peak = middle(ours, (one) => one.peak);
  const jump = middle(ours, (one) => one.jump);

  const whole = await wholeFile(endpoints, deep);
  const wholeBytes = whole.bytes ?? 0;
  const row = (
    what: string,
    mine: string,
    against: string,
    ratio: string,
    reach: string,
    reached: boolean,
  ) => report.add({ what, ours: mine, against, ratio, reach, reached });
  const name = `500 × 8 window deep in ${file.rows / 1e6} M rows`;
  row(
    `${name}, first call: time`,
    ms(first),
    `${ms(whole.ms)} whole file in Node`,
    times(whole.ms / first),
    "≥ 15 ×",
    whole.ms / first >= 15,
  );
  row(
    `${name}: bytes`,
    mb(bytes),
    `${mb(wholeBytes)} whole file`,
    times(wholeBytes / bytes),
    "≥ 70 ×",
    wholeBytes / bytes >= 70,
  );
  row(
    `${name}: peak memory`,
    mib(peak),
    `${mib(whole.peak_mib)} whole file`,
    times(whole.peak_mib / peak),
    "≥ 10 ×",
    whole.peak_mib / peak >= 10,
  );
  const floor = await pageBytes(file.path, deep, deep + 500);
  row(
    `${name}: bytes against the pages touched`,
    mb(bytes),
    `${mb(floor)} of pages, dictionaries and footer`,
    times(bytes / floor),
    "≤ 1.1 ×",
    bytes / floor <= 1.1,
  );
  const rival = await scan(python, endpoints.url, deep, jumps);
  row(
    `${name}, first call against polars.scan_parquet`,
    ms(first),
    ms(rival.first),
    times(first / rival.first),
    "≤ 1.0 ×",
    first <= rival.first,
  );
  row(
    "elsewhere in the file against polars.scan_parquet",
    ms(jump),
    ms(rival.jump),
    times(jump / rival.jump),
    "≤ 1.0 ×",
    jump <= rival.jump,
  );
  row("memory of it", mib(peak), mib(rival.peak), times(peak / rival.peak), "", peak <= rival.peak);
  row(
    "bytes of it",
    mb(bytes),
    mb(rival.bytes),
    times(bytes / rival.bytes),
    "≤ 1.0 ×",
    bytes <= rival.bytes,
  );
  const inside = middle(ours, (one) => one.nextInside);
  const outside = middle(ours, (one) => one.nextOutside);
  row(
    "next window in the same pages, inside the server",
    ms(inside),
    `${ms(first)} first call`,
    times(first / inside),
    "≤ 2 ms",
    inside <= 2,
  );
  row(
    "next window in the same pages, through the client",
    ms(outside),
    `${ms(first)} first call`,
    times(first / outside),
    "≤ 6 ms",
    outside <= 6,
  );
  const moved = Math.max(...ours.map((one) => one.nextBytes));
  row("bytes moved by it", mb(moved), mb(bytes), times(moved / bytes), "0 bytes", moved === 0);

  const [sampled] = await fresh(endpoints.url, (server) =>
    windowAt(server, 0, { sample: 2000, columns: ["Voltage [V]"], stats: true }),
  );
  const { data, stats: all } = (sampled?.result ?? {}) as {
    data?: Record<string, number[]>;
    stats?: Record<string, { min: number; max: number }>;
  };
  const plotted = data?.["Voltage [V]"] ?? [];
  const stats = all?.["Voltage [V]"];
  const kept = stats !== undefined && plotted.includes(stats.min) && plotted.includes(stats.max);
  row(
    `2,000-point sample of one column of ${file.rows / 1e6} M rows, whole call`,
    `${ms(sampled?.ms ?? Number.NaN)}, ${plotted.length} points, extremes ${kept ? "kept" : "LOST"}`,
    `${ms(whole.ms)} whole file`,
    times(whole.ms / (sampled?.ms ?? Number.NaN)),
    "≤ 2 s",
    (sampled?.ms ?? 9e9) <= 2000 && kept,
  );

  const server = await startServer(endpoints.url);
  const listed = residentMiB(server.pid);
  await sleep(IDLE_MS);
  const warm = residentMiB(server.pid);
  for (let call = 0; call < 200; call += 1) {
    await windowAt(server, Math.floor((file.rows - 500) * ((call * 0.618034) % 1)));
  }
  const used = residentMiB(server.pid);
  await server.close();
  row("memory when tools/list is answered", mib(listed), "–", "", "≤ 60 MiB", listed <= 60);
  row("memory with the decoder warm", mib(warm), "–", "", "≤ 120 MiB", warm <= 120);
  row("memory after 200 windows all over the file", mib(used), "–", "", "≤ 200 MiB", used <= 200);
  await far.close();
}
