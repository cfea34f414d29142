/** The command line of `vitrine`: what there is to ask for, and what was asked. */
import { parseArgs } from "node:util";
import { nearest } from "../src/nearest.ts";

/** The page that `--help` shows. */
export const HELP = `vitrine: MCP servers generated from an OpenAPI document and one reviewed manifest

Usage:
  vitrine init <document> [--out DIR] [--name NAME] [--enable reads|all|none] [--base-url URL]
      document (file or URL) -> a package in DIR (default: the name) with a manifest to read and edit; overwrites nothing.
  vitrine generate [--manifest FILE]
      writes generated/ beside the manifest; prints what changed and the size of each tool list
  vitrine check [--manifest FILE] [--server NAME] [--against DOC] [--format text|json|github]
      are the generated files current? With --against, what does a newer document (file or URL) break?
      exit 0 nothing breaking, 1 stale or breaking, 2 could not compare
  vitrine inspect [--manifest FILE] [--server NAME] [--format text|json]
      what the model will see: each tool, its bytes and tokens, warnings

  vitrine serve [--manifest FILE] [--server NAME] [--base-url URL] [server options]
      runs the server from source, exactly as its generated files would; on stdin and stdout, or with --http [HOST:]PORT.
      Server options: those that a server's own --help shows; vitrine serve --print-config shows the values
  vitrine build [--manifest FILE] [--server NAME] [--out FILE]
      one self-contained server file, by default named after the server's program, .mjs

  --manifest FILE  default tools.manifest.yaml
  --server NAME    section of the manifest; default all. serve and build take one
  --help, --version
`;

/** Options of each command, with the values they may have where those are a choice. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  init: { out: [], name: [], enable: ["reads", "all", "none"], "base-url": [] },
  generate: { manifest: [] },
  check: { manifest: [], server: [], against: [], format: ["text", "json", "github"] },
  inspect: { manifest: [], server: [], format: ["text", "json"] },
  serve: { manifest: [], server: [] },
  build: { manifest: [], server: [], out: [] },
};

const VALUED = [
  "manifest",
  "server",
  "against",
  "format",
  "out",
  "name",
  "enable",
  "base-url",
] as const;
const SWITCHES = ["help", "version"];

/** What a command takes beside options. */
const POSITIONALS: Readonly<Record<string, string>> = { init: "a document: a file or a URL" };

/** The command line is not understood. */
export class UsageError extends Error {}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "see vitrine --help" : `did you mean ${near}?`;
}

export interface Request {
  readonly command: string;
  readonly options: Readonly<Record<string, string>>;
  /** What follows the command and is no option. */
  readonly positional?: string;
  /** Arguments of `serve` that are the server's own. */
  readonly serverArgs: readonly string[];
}

/** Arguments of `vitrine serve` that are its own, and those of the server. */
function splitServe(args: readonly string[]): { own: string[]; server: string[] } {
  const own: string[] = [];
  const server: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    const [, , inline] = /^--(manifest|server)(=.*)?$/s.exec(arg) ?? [];
    const isOwn = /^--(manifest|server)(=|$)/.test(arg) || /^--(help|version)$/.test(arg);
    if (!isOwn) {
      server.push(arg);
      continue;
    }
    own.push(arg);
    if (inline === undefined && !/^--(help|version)$/.test(arg) && index + 1 < args.length) {
      index += 1;
      own.push(args[index] ?? "");
    }
  }
  return { own, server };
}

/** @throws UsageError with one line that names what is not understood */
export function readRequest(args: readonly string[]): Request {
  const { own, server: serverArgs } =
    args[0] === "serve" ? splitServe(args.slice(1)) : { own: args.slice(1), server: [] };
  const { tokens } = parseArgs({
    args: [...args.slice(0, 1), ...own],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(SWITCHES.map((name) => [name, { type: "boolean" as const }])),
      ...Object.fromEntries(VALUED.map((name) => [name, { type: "string" as const }])),
    },
  });
  const [first, ...others] = tokens.filter((token) => token.kind === "positional");
  const given = tokens.filter((token) => token.kind === "option");
  const wanted = given.find(({ name }) => name === "help" || name === "version");
  if (wanted !== undefined) {
    return { command: wanted.name, options: {}, serverArgs };
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
  for (const { name, rawName, value: text } of given) {
    const value = SWITCHES.includes(name) && text === undefined ? "true" : text;
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
  const needed = POSITIONALS[command];
  const [positional] = needed === undefined ? [] : others;
  const unexpected = others[needed === undefined ? 0 : 1];
  if (needed !== undefined && positional === undefined) {
    throw new UsageError(`${command} needs ${needed}`);
  }
  if (unexpected !== undefined) {
    throw new UsageError(`unexpected argument "${unexpected.value}" after ${command}`);
  }
  return {
    command,
    options,
    serverArgs,
    ...(positional === undefined ? {} : { positional: positional.value }),
  };
}
