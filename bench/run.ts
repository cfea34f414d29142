/**
 * All benchmarks in one run: prints each ratio and writes bench/RESULTS.md.
 *
 *     npm run bench [-- --rows N]
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { cpus, homedir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchGenerate, benchRecord, benchStart } from "./cases/start.ts";
import { benchWindows } from "./cases/windows.ts";
import { Report } from "./report.ts";

const { values } = parseArgs({ options: { rows: { type: "string", default: "10000000" } } });
const rows = Number(values.rows);
if (!Number.isInteger(rows) || rows < 100_000) {
  process.stderr.write("--rows takes a whole number from 100000 on\n");
  process.exit(2);
}

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "vitrine", "bench");
mkdirSync(cache, { recursive: true });

/** The Python that writes the file and is the rival: made once, with Polars alone. */
function pythonWithPolars(): string | undefined {
  const python = join(cache, "venv", "bin", "python");
  try {
    if (!existsSync(python)) {
      process.stdout.write("making a Python environment with polars, once\n");
      execFileSync("python3", ["-m", "venv", join(cache, "venv")]);
      execFileSync(python, ["-m", "pip", "install", "--quiet", "polars==2.1.0", "numpy"], {
        stdio: "inherit",
      });
    }
    execFileSync(python, ["-c", "import polars, numpy"]);
    return python;
  } catch {
    return undefined;
  }
}

function makeFile(python: string): string {
  const path = join(cache, `polars-zstd-${rows}.parquet`);
  if (!existsSync(path)) {
    process.stdout.write(`writing ${path}, once\n`);
    const script = new URL("./make-parquet.py", import.meta.url).pathname;
    execFileSync(python, [script, String(rows), `${path}.part`], { stdio: "inherit" });
    renameSync(`${path}.part`, path);
  }
  return path;
}

const report = new Report();
const python = pythonWithPolars();
if (python === undefined) {
  process.stderr.write(
    "the windows are measured on a file that Polars writes: python3 with venv is needed\n",
  );
  process.exit(1);
}
const path = makeFile(python);
await benchStart(report);
await benchRecord(report, path);
await benchWindows(report, { path, rows }, python);
benchGenerate(report);

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
writeFileSync(
  new URL("./RESULTS.md", import.meta.url),
  `# Benchmarks

The last run of \`npm run bench\`: ${machine}. Loopback network; medians; every ratio within one run.
The file is written by Polars (zstd, its default row groups); the rival reads the signed link with \`polars.scan_parquet\`, as the
official Python SDK's \`row_range\` does.

${report.toMarkdown()}
`,
);
const missed = report.rows.filter((row) => row.reached === false);
process.stdout.write(
  `\n${report.rows.length} figures, ${missed.length} short of what was to be reached; bench/RESULTS.md written\n`,
);
