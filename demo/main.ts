/** `npm run demo:api`: the embedded API alone. */
import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { startDemoApi } from "./api.ts";
import { DEFAULT_ROWS } from "./catalogue/tests.ts";

const HELP = `Usage: npm run demo:api -- [--port N] [--rows N]

Serves an Ionworks-compatible API with synthetic battery cells on 127.0.0.1. Prints one JSON line
{"url", "key", "storage_url"} when it listens and serves until SIGTERM, SIGINT or the end of its input.

  --port N     port of the API, 0 to 65535 (default: a free one)
  --rows N     rows of the largest time series, 1 to 100000000 (default: ${DEFAULT_ROWS})
  --help       this text
  --version    the version

Data files are made on first use and kept in $XDG_CACHE_HOME/vitrine/demo (default ~/.cache/vitrine/demo).
`;

function refuse(problem: string): never {
  process.stderr.write(`demo:api: ${problem}; see --help\n`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        port: { type: "string" },
        rows: { type: "string" },
        help: { type: "boolean" },
        version: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    return refuse((error as Error).message.split(". ")[0] as string);
  }
}

function wholeNumber(name: string, text: string | undefined, least: number, most: number) {
  if (text === undefined) {
    return undefined;
  }
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? value
    : refuse(`--${name} takes a whole number from ${least} to ${most}, not "${text}"`);
}

const values = readArguments();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (values.version) {
  process.stdout.write(`${packageJson.version}\n`);
  process.exit(0);
}
const port = wholeNumber("port", values.port, 0, 65_535);
const rows = wholeNumber("rows", values.rows, 1, 100_000_000);

const demo = await startDemoApi({
  ...(port === undefined ? {} : { port }),
  ...(rows === undefined ? {} : { rows }),
  makeAll: true,
  onProgress: (text) => process.stderr.write(`demo:api: ${text}\n`),
}).catch((error: Error) => {
  process.stderr.write(`demo:api: could not start: ${error.message}\n`);
  process.exit(1);
});

let ending = false;
function end(): void {
  if (!ending) {
    ending = true;
    void demo.close().then(() => process.exit(0));
  }
}
process.on("SIGTERM", end);
process.on("SIGINT", end);
process.stdin.on("end", end);
process.stdin.on("error", end);
process.stdin.resume();

// Last, so that whoever has read the line can end the program.
const line = { url: demo.url, key: demo.key, storage_url: demo.storageUrl };
process.stdout.write(`${JSON.stringify(line)}\n`);
