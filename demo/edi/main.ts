/** The embedded archive alone, for whoever wants to look at it with other clients. */
import { parseArgs } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { startEdiDemo } from "./start.ts";

const HELP = `Usage: npm run demo:edi -- [--port N] [--rows N]

Serves an EDI-compatible archive (PASTA, key exchange, citation service, DataONE coordinating and member node) with
synthetic data packages on 127.0.0.1, each service on a port of its own. Prints one JSON line {"pasta_url", "auth_url",
"cite_url", "cn_url", "mn_url", "storage_url", "key"} when it listens and serves until SIGTERM, SIGINT or the end of its input.

  --port N     port of PASTA, 0 to 65535 (default: a free one)
  --rows N     rows of the largest table, 1 to 100000000 (default: 1000000)
  --help       this text
  --version    the version

The largest table is made on first use and kept in $XDG_CACHE_HOME/vitrine/demo-edi (default ~/.cache/vitrine/demo-edi).
`;

function refuse(problem: string): never {
  process.stderr.write(`demo:edi: ${problem}; see --help\n`);
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

const demo = await startEdiDemo({
  ...(port === undefined ? {} : { port }),
  ...(rows === undefined ? {} : { rows }),
}).catch((error: Error) => {
  process.stderr.write(`demo:edi: could not start: ${error.message}\n`);
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
const line = {
  pasta_url: demo.pastaUrl,
  auth_url: demo.authUrl,
  cite_url: demo.citeUrl,
  cn_url: demo.cnUrl,
  mn_url: demo.mnUrl,
  storage_url: demo.storageUrl,
  key: demo.key,
};
process.stdout.write(`${JSON.stringify(line)}\n`);
