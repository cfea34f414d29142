/** The program `vitrine`: the only file of `codegen/` that prints. */
import { parseArgs } from "node:util";
import { nearest } from "../src/nearest.ts";
import { runCheck } from "./check.ts";
import { type Project, type ProjectServer, planProject, VERSION } from "./generate.ts";
import { inspectProject } from "./inspect.ts";
import { CodegenError, formatProblem } from "./problems.ts";
import { updateProject } from "./update.ts";

const HELP = `vitrine: MCP servers generated from an OpenAPI document and one reviewed manifest

Usage:
  vitrine generate [--manifest FILE]
      writes generated/ beside the manifest; prints what changed and the size of each tool list
  vitrine check [--manifest FILE] [--server NAME] [--against DOC] [--format text|json|github]
      are the generated files current? With --against, what does a newer document (file or URL) break?
      exit 0 nothing breaking, 1 stale or breaking, 2 could not compare
  vitrine inspect [--manifest FILE] [--server NAME] [--format text|json]
      what the model will see: each tool, its bytes and tokens, warnings

  --manifest FILE  default tools.manifest.yaml
  --server NAME    section of the manifest; default all
  --help, --version
`;

/** Options of each command, with the values they may have where those are a choice. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  generate: { manifest: [] },
  check: { manifest: [], server: [], against: [], format: ["text", "json", "github"] },
  inspect: { manifest: [], server: [], format: ["text", "json"] },
};

const SWITCHES = ["help", "version"];

/** The command line is not understood. */
class UsageError extends Error {}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "see vitrine --help" : `did you mean ${near}?`;
}

interface Request {
  readonly command: string;
  readonly options: Readonly<Record<string, string>>;
}

/** @throws UsageError with one line that names what is not understood */
function readRequest(args: readonly string[]): Request {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(SWITCHES.map((name) => [name, { type: "boolean" as const }])),
      manifest: { type: "string" },
      server: { type: "string" },
      against: { type: "string" },
      format: { type: "string" },
    },
  });
  const [first, ...others] = tokens.filter((token) => token.kind === "positional");
  const given = tokens.filter((token) => token.kind === "option");
  const wanted = given.find(({ name }) => SWITCHES.includes(name));
  if (wanted !== undefined) {
    return { command: wanted.name, options: {} };
  }
  if (first === undefined) {
    throw new UsageError(`a command is missing: ${Object.keys(COMMANDS).join(", ")}`);
  }
  const command = first.value;
  const known = COMMANDS[command];
  if (known === undefined) {
    throw new UsageError(
      `unknown command "${command}", ${suggestion(command, Object.keys(COMMANDS))}`,
    );
  }
  const options: Record<string, string> = {};
  for (const { name, rawName, value } of given) {
    const choice = known[name];
    if (choice === undefined) {
      const names = Object.keys(known).map((option) => `--${option}`);
      throw new UsageError(`${command} has no option ${rawName}, ${suggestion(rawName, names)}`);
    }
    if (value === undefined || value === "" || value.startsWith("--")) {
      throw new UsageError(`${rawName} needs a value`);
    }
    if (choice.length > 0 && !choice.includes(value)) {
      throw new UsageError(`${rawName} must be ${choice.join(", ")}, not "${value}"`);
    }
    options[name] = value;
  }
  if (others[0] !== undefined) {
    throw new UsageError(`unexpected argument "${others[0].value}" after ${command}`);
  }
  return { command, options };
}

function chosen(project: Project, name: string | undefined): readonly ProjectServer[] {
  const names = project.servers.map((server) => server.name);
  if (name !== undefined && !names.includes(name)) {
    throw new UsageError(`the manifest has no server "${name}": it has ${names.join(", ")}`);
  }
  return project.servers.filter((server) => name === undefined || server.name === name);
}

async function generate(manifest: string): Promise<void> {
  const { project, lines } = await updateProject(manifest);
  console.log(lines.join("\n"));
  for (const warning of project.warnings) {
    console.error(`warning: ${formatProblem(warning)}`);
  }
}

async function run({ command, options }: Request): Promise<number> {
  const { manifest = "tools.manifest.yaml", server, against, format } = options;
  switch (command) {
    case "help":
      process.stdout.write(HELP);
      return 0;
    case "version":
      console.log(VERSION);
      return 0;
    case "generate":
      await generate(manifest);
      return 0;
    case "inspect": {
      const project = await planProject(manifest);
      const kind = format === "json" ? "json" : "text";
      process.stdout.write(inspectProject(project, chosen(project, server), kind));
      return 0;
    }
    default: {
      const { exitCode, output, error } = await runCheck({
        manifest,
        format: format === "json" || format === "github" ? format : "text",
        ...(server === undefined ? {} : { server }),
        ...(against === undefined ? {} : { against }),
      });
      process.stdout.write(output);
      process.stderr.write(error);
      return exitCode;
    }
  }
}

/** Runs a command line and gives its exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(readRequest(args));
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`vitrine: ${error.message}`);
      return 2;
    }
    if (error instanceof CodegenError) {
      const { problems } = error;
      console.error(problems.map(formatProblem).join("\n"));
      console.error(`${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
      return 1;
    }
    throw error;
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
