/** Settings of a server process: flag > environment > configuration file > default, each with its origin. */
import { readConfigFile } from "./config-file.ts";
import type { ServerDescriptor } from "./contract.ts";
import { readFlags } from "./flags.ts";
import { type ListenAddress, listOf, parseListen } from "./listen-address.ts";
import type { LogLevel } from "./log.ts";
import { checkOption, OPTIONS, type OptionName, variableOf } from "./options.ts";
import { Secret } from "./secret.ts";

export type Origin = "command line" | "environment" | "configuration file" | "default";

/** One value as `--print-config` shows it. */
export interface Setting {
  readonly name: string;
  /** Secrets as `****`; `-` where nothing is set. */
  readonly shown: string;
  readonly origin: Origin;
}

export interface Config {
  readonly demo: boolean;
  /** Most bytes of a result's compact JSON. */
  readonly maxResultBytes: number;
  /** Longest time of one call [ms]. */
  readonly timeoutMs: number;
  /** Longest wait for one request of a call [ms]. */
  readonly tryTimeoutMs: number;
  /** Memory for what was read from tables [bytes]. */
  readonly cacheBytes: number;
  readonly logLevel: LogLevel;
  /** Where answers that cannot be shown are kept; absent: nowhere. */
  readonly saveFolder?: string;
  /** Served over HTTP, to whoever reaches it; absent: over stdin and stdout, to one host. */
  readonly hosting?: Hosting;
  /** Address of the upstream; the demo has its own. */
  readonly baseUrl: string;
  /** Values of variables that are no secrets, by name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Values of variables that are secrets, by name. */
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly settings: readonly Setting[];
}

export interface Hosting {
  readonly listen: ListenAddress;
  /** Where figures are shown, if anywhere. */
  readonly metrics?: ListenAddress;
  /** Where replicas share what they read; it may hold a password. */
  readonly cacheUrl?: Secret;
  /** Names under which it may be reached, beside this machine's own and the one it listens at. */
  readonly allowedHosts: readonly string[];
  /** Web pages that may call it, beside those of this machine. */
  readonly allowedOrigins: readonly string[];
  /** A proxy in front speaks https and says so. */
  readonly trustProxy: boolean;
  /** Callers who bring no credential use the operator's. */
  readonly shareOperatorKey: boolean;
}

/** What the command line asks for. */
export type Request =
  | { readonly kind: "serve" | "print-config"; readonly config: Config }
  | { readonly kind: "help" | "version" };

/** What a process is given. */
export interface Surroundings {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of a file, or undefined where there is none or it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
}

/** Everything that is wrong with the settings, one sentence each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

interface Given {
  readonly text: string;
  readonly origin: Origin;
}

/** A host that does not expand variables hands over `${NAME}` itself; that is as good as nothing. */
const UNEXPANDED = /^\$\{[^}]*\}$/;

/** What HTTP can carry in a header. */
const SENDABLE = /^[\x20-\x7e\x80-\xff]*$/;

/** Variables that hold a credential, in the order in which they are described: the usual one first. */
export function credentialVariables({ upstream, variables }: ServerDescriptor): string[] {
  const used = new Set(upstream.credentials.map(({ variable }) => variable));
  return variables.map(({ name }) => name).filter((name) => used.has(name));
}

/** Flags that say how the server is hosted. */
const HOSTING_FLAGS = [
  "metrics",
  "cache-url",
  "allowed-host",
  "allowed-origin",
  "share-operator-key",
  "trust-proxy",
] as const;

/** An address may hold a password. */
function withoutPassword(text: string): string {
  return text.replace(/\/\/.*@/, "//****@");
}

/** Where the configuration file is looked for when no flag names one. */
function standardFile(program: string, env: Surroundings["env"]): string | undefined {
  const home = env.HOME || env.USERPROFILE;
  const folder = env.XDG_CONFIG_HOME || (home && `${home}/.config`);
  return folder ? `${folder}/vitrine/${program}.json` : undefined;
}

/**
 * Reads the settings of a server's process.
 * @throws ConfigError with every problem at once
 */
export function readConfig(server: ServerDescriptor, surroundings: Surroundings): Request {
  const { args, env, readFile } = surroundings;
  const problems: string[] = [];
  const flags = readFlags(args, problems);
  if (problems.length === 0 && (flags.has("help") || flags.has("version"))) {
    return { kind: flags.has("help") ? "help" : "version" };
  }

  const { baseUrl, baseUrlVariable } = server.upstream;
  const options = OPTIONS.filter(({ kind }) => kind !== "file");
  const variables = server.variables.filter(({ name }) => name !== baseUrlVariable);
  const asked = flags.get("config");
  const path = asked ?? standardFile(server.program, env);
  const text = path === undefined ? undefined : readFile(path);
  if (asked !== undefined && text === undefined) {
    problems.push(`--config ${asked}: there is no such file, or it cannot be read`);
  }
  const kept =
    path === undefined || text === undefined
      ? new Map<string, string>()
      : readConfigFile(
          path,
          text,
          [...options, ...server.variables].map(({ name }) => name),
          problems,
        );

  const find = (name: string, variable: string, standard: string): Given => {
    const flag = flags.get(name);
    if (flag !== undefined) {
      return { text: flag, origin: "command line" };
    }
    const set = env[variable]?.trim() ?? "";
    if (set !== "" && !UNEXPANDED.test(set)) {
      return { text: set, origin: "environment" };
    }
    const value = kept.get(name) ?? kept.get(variable) ?? "";
    return value === ""
      ? { text: standard, origin: "default" }
      : { text: value, origin: "configuration file" };
  };

  const demo = flags.has("demo");
  const given = new Map<string, Given>([
    ...(["demo", "share-operator-key", "trust-proxy"] as const).map((name): [string, Given] => [
      name,
      { text: String(flags.has(name)), origin: flags.has(name) ? "command line" : "default" },
    ]),
    [
      "config",
      { text: text === undefined ? "" : (path ?? ""), origin: asked ? "command line" : "default" },
    ],
  ]);
  for (const option of options) {
    const standard = "standard" in option ? option.standard : baseUrl;
    const found = find(option.name, variableOf(option, baseUrlVariable), standard);
    const wrong = checkOption(option, found.text);
    if (wrong !== undefined) {
      problems.push(`${option.name} "${withoutPassword(found.text)}" (${found.origin}): ${wrong}`);
    }
    given.set(option.name, found);
  }
  if (demo && flags.has("base-url")) {
    problems.push("--demo and --base-url exclude each other: the demo has its own address");
  }
  if (given.get("http")?.text !== "" && given.get("save-folder")?.text !== "") {
    problems.push(
      "save-folder and http exclude each other: callers elsewhere could not open the file",
    );
  }
  if (given.get("http")?.text === "") {
    for (const name of HOSTING_FLAGS.filter((flag) => flags.has(flag))) {
      problems.push(`--${name} needs --http`);
    }
  }
  for (const { name } of variables) {
    const found = find(name, name, "");
    if (!SENDABLE.test(found.text)) {
      problems.push(`${name} (${found.origin}): it holds characters that cannot be sent`);
    }
    given.set(name, found);
  }
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }

  const secret = new Set(variables.filter((variable) => variable.secret).map(({ name }) => name));
  const value = (name: OptionName) => given.get(name)?.text ?? "";
  const set = variables.flatMap(({ name }): [string, string][] => {
    const found = given.get(name)?.text ?? "";
    return found === "" ? [] : [[name, found]];
  });
  const listen = parseListen(value("http"));
  const metrics = parseListen(value("metrics"));
  const hosting: Hosting | undefined = listen && {
    listen,
    ...(metrics && { metrics }),
    ...(value("cache-url") !== "" && { cacheUrl: new Secret(value("cache-url")) }),
    allowedHosts: listOf(value("allowed-host")),
    allowedOrigins: listOf(value("allowed-origin")),
    trustProxy: flags.has("trust-proxy"),
    shareOperatorKey: flags.has("share-operator-key"),
  };
  return {
    kind: flags.has("print-config") ? "print-config" : "serve",
    config: {
      demo,
      maxResultBytes: Number(value("max-result-bytes")),
      timeoutMs: Number(value("timeout-ms")),
      tryTimeoutMs: Number(value("try-timeout-ms")),
      cacheBytes: Number(value("cache-bytes")),
      logLevel: value("log-level") as LogLevel,
      ...(value("save-folder") !== "" && { saveFolder: value("save-folder") }),
      ...(hosting && { hosting }),
      baseUrl: value("base-url"),
      variables: new Map(set.filter(([name]) => !secret.has(name))),
      secrets: new Map(
        set.filter(([name]) => secret.has(name)).map(([name, key]) => [name, new Secret(key)]),
      ),
      settings: [...given].map(([name, found]) => ({
        name,
        shown: found.text === "" ? "-" : secret.has(name) ? "****" : withoutPassword(found.text),
        origin: found.origin,
      })),
    },
  };
}
