/** The options that every server program has, as data. */
import { isAbsolute } from "node:path";
import { isHostName, isOrigin, listOf, parseListen } from "./listen-address.ts";
import { LOG_LEVELS } from "./log.ts";

export type OptionName =
  | "base-url"
  | "max-result-bytes"
  | "timeout-ms"
  | "try-timeout-ms"
  | "cache-bytes"
  | "log-level"
  | "save-folder"
  | "http"
  | "metrics"
  | "cache-url"
  | "allowed-host"
  | "allowed-origin"
  | "config";

interface Described {
  readonly name: OptionName;
  /** What stands for the value in `--help`. */
  readonly value: string;
  readonly text: string;
}

export type Option = Described &
  (
    | {
        readonly kind: "whole number";
        readonly standard: string;
        readonly minimum: number;
        readonly maximum: number;
      }
    | { readonly kind: "level"; readonly standard: string }
    /** An upstream's address; the server's descriptor names its variable and its default. */
    | { readonly kind: "address" }
    | { readonly kind: "file" }
    /** Empty where nothing is asked for. */
    | { readonly kind: "listen" | "hosts" | "origins" | "redis" | "folder"; readonly standard: "" }
  );

export const OPTIONS: readonly Option[] = [
  { name: "base-url", kind: "address", value: "URL", text: "address of the API" },
  {
    name: "max-result-bytes",
    kind: "whole number",
    value: "N",
    standard: "40960",
    minimum: 1_000,
    maximum: 1_000_000,
    text: "most bytes of one result",
  },
  {
    name: "timeout-ms",
    kind: "whole number",
    value: "N",
    standard: "50000",
    minimum: 100,
    maximum: 600_000,
    text: "longest time of one call [ms]; hosts give up after 60 s",
  },
  {
    name: "try-timeout-ms",
    kind: "whole number",
    value: "N",
    standard: "10000",
    minimum: 100,
    maximum: 600_000,
    text: "longest wait for the API before a request is tried again [ms]",
  },
  {
    name: "cache-bytes",
    kind: "whole number",
    value: "N",
    standard: "41943040",
    minimum: 0,
    maximum: 4_294_967_296,
    text: "memory for tables that were read [bytes]",
  },
  {
    name: "log-level",
    kind: "level",
    value: "LEVEL",
    standard: "warn",
    text: "error, warn, info or debug; lines go to stderr",
  },
  {
    name: "save-folder",
    kind: "folder",
    value: "FOLDER",
    standard: "",
    text: "keeps answers that cannot be shown (archives, documents, large images) here; they are refused without it",
  },
  {
    name: "http",
    kind: "listen",
    value: "[HOST:]PORT",
    standard: "",
    text: "serve over Streamable HTTP at /mcp instead; on this machine alone unless HOST is given",
  },
  {
    name: "metrics",
    kind: "listen",
    value: "[HOST:]PORT",
    standard: "",
    text: "with --http: figures for Prometheus at /metrics",
  },
  {
    name: "cache-url",
    kind: "redis",
    value: "URL",
    standard: "",
    text: "with --http: a Redis or Valkey through which replicas share what they read, redis:// or rediss://",
  },
  {
    name: "allowed-host",
    kind: "hosts",
    value: "NAMES",
    standard: "",
    text: "with --http: names under which it may be reached, with commas between",
  },
  {
    name: "allowed-origin",
    kind: "origins",
    value: "ORIGINS",
    standard: "",
    text: "with --http: web pages that may call it, e.g. https://app.example.org, with commas between",
  },
  {
    name: "config",
    kind: "file",
    value: "FILE",
    text: "JSON file with any of the names on this page",
  },
];

export const SWITCHES = [
  {
    name: "demo",
    text: "serve synthetic data of an embedded API: no account; address and keys below are not used",
  },
  {
    name: "share-operator-key",
    text: "with --http: callers who bring no key of their own use the one set here",
  },
  {
    name: "trust-proxy",
    text: "with --http: a proxy in front speaks https and says so in X-Forwarded-Proto",
  },
  { name: "print-config", text: "show every setting and where it comes from, then end" },
  { name: "help", text: "show this page" },
  { name: "version", text: "show the version" },
] as const;

/** Environment variable of an option, e.g. `VITRINE_TIMEOUT_MS`. */
export function variableOf(option: Option, baseUrlVariable: string): string {
  return option.kind === "address"
    ? baseUrlVariable
    : `VITRINE_${option.name.toUpperCase().replaceAll("-", "_")}`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function checkUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "expected an https address";
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return "expected an address without user, query and fragment";
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    return "http would show the key to the network; expected https (http only to this machine)";
  }
  return undefined;
}

/** What is wrong with an option's value, or undefined. */
export function checkOption(option: Option, text: string): string | undefined {
  switch (option.kind) {
    case "whole number": {
      const { minimum, maximum } = option;
      const value = Number(text);
      return /^\d+$/.test(text) && value >= minimum && value <= maximum
        ? undefined
        : `expected a whole number from ${minimum} to ${maximum}`;
    }
    case "level":
      return LOG_LEVELS.some((level) => level === text)
        ? undefined
        : `expected one of ${LOG_LEVELS.join(", ")}`;
    case "address":
      return checkUrl(text);
    case "file":
      return undefined;
    case "folder":
      return text === "" || isAbsolute(text) ? undefined : "expected an absolute path";
    case "listen":
      return text === "" || parseListen(text) !== undefined
        ? undefined
        : "expected PORT or HOST:PORT";
    case "redis":
      return text === "" || /^rediss?:$/.test(URL.canParse(text) ? new URL(text).protocol : "")
        ? undefined
        : "expected redis://HOST:PORT or rediss://HOST:PORT";
    case "hosts":
      return listOf(text).every(isHostName)
        ? undefined
        : "expected host names without port, with commas between";
    case "origins":
      return listOf(text).every(isOrigin)
        ? undefined
        : "expected origins such as https://app.example.org, with commas between";
  }
}
