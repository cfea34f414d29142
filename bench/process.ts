/** What the operating system knows of a process: processor time and memory. Linux only, like the figures. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Processor time of all threads so far [ms]. */
export function cpuMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    )
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
}

function memoryMiB(pid: number, field: "VmRSS" | "VmHWM"): number {
  const line = new RegExp(`${field}:\\s+(\\d+) kB`).exec(
    readFileSync(`/proc/${pid}/status`, "utf8"),
  );
  return Number(line?.[1]) / 1024;
}

/** Memory in use now [MiB]. */
export const residentMiB = (pid: number): number => memoryMiB(pid, "VmRSS");

/** Most memory that was ever in use [MiB]. */
export const peakMiB = (pid: number): number => memoryMiB(pid, "VmHWM");

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** Processor time of a whole program, user and system, as the shell counts it [ms]. */
export function programCpuMs(command: string, folder: string): number {
  const { stderr, status } = spawnSync(
    "bash",
    ["-c", `TIMEFORMAT='cpu %3U %3S'; time ${command} >/dev/null`],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  const match = /cpu ([\d.]+) ([\d.]+)/.exec(stderr);
  if (status !== 0 || match === null) {
    throw new Error(`${command} failed: ${stderr}`);
  }
  return 1000 * (Number(match[1]) + Number(match[2]));
}
