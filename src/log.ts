/** Log lines for the operator: one JSON object a line, without secrets. */
import type { Secret } from "./secret.ts";

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Details = Readonly<Record<string, unknown>>;

export type Log = Readonly<Record<LogLevel, (message: string, details?: Details) => void>>;

export interface LogOptions {
  /** Lines of this level and of more urgent ones are written. */
  readonly level: LogLevel;
  /** Values that never appear, neither as they are nor percent-encoded; looked at anew for each line. */
  readonly secrets: Iterable<Secret>;
  /** Receives one line with its line end. */
  readonly write: (line: string) => void;
}

/** Longest text of a log entry (characters). */
const MAX_TEXT = 8_000;

/** A link's query string: it may hold a signature, which is a credential. */
const QUERY = /(\bhttps?:\/\/[^\s"'<>?#]+)\?[^\s"'<>]*/g;

function plainError(error: Error): Details {
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...("code" in error ? { code: error.code } : {}),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}

/** Writes nothing before it is asked to. */
export function createLog({ level, secrets, write }: LogOptions): Log {
  const hidden = () =>
    [...secrets]
      .flatMap((secret) => [secret.reveal(), encodeURIComponent(secret.reveal())])
      .filter((text) => text !== "");
  const redact = (text: string) =>
    hidden()
      .reduce((safe, secret) => safe.replaceAll(secret, "****"), text)
      .slice(0, MAX_TEXT)
      .replace(QUERY, "$1?****");
  const plain = (_key: string, value: unknown): unknown => {
    if (value instanceof Error) {
      return plainError(value);
    }
    if (typeof value === "bigint") {
      return value.toString();
    }
    return typeof value === "string" ? redact(value) : value;
  };
  const line = (name: LogLevel) => (message: string, details?: Details) =>
    write(
      `${JSON.stringify({ time: new Date().toISOString(), level: name, message, ...details }, plain)}\n`,
    );
  const shown = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1);
  const entry = (name: LogLevel) => [name, shown.includes(name) ? line(name) : () => undefined];
  return Object.fromEntries(LOG_LEVELS.map(entry)) as Log;
}
