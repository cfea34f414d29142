/** A server program: reads the command line and the environment, puts the parts together, ends with its host. */
import { existsSync, readFileSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };
import { assemble, type Parts } from "./assemble.ts";
import { type Config, ConfigError, type Request, readConfig } from "./config.ts";
import type { ServerDescriptor } from "./contract.ts";
import { helpText, settingsText } from "./help.ts";
import { createLog, type Log } from "./log.ts";
import { endWithHost } from "./process-end.ts";
import type { ServerEntry } from "./servers.ts";
import { serveOverStdio } from "./transport/stdio.ts";

/** How long after the tool list the table reader is loaded, if nobody has asked for it before [ms]. */
const WARM_AFTER_MS = 150;

function readTextFile(path: string): string | undefined {
  try {
    // Mostly there is none, and at the start of a process an exception costs more than the question.
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

let stderr: NodeJS.WriteStream | undefined;

/** Opens the stream for the first line: most processes never write one, and opening it takes 3 ms. */
function writeToStderr(text: string): void {
  // A host may close its end; that is no reason to end.
  stderr ??= process.stderr.on("error", () => undefined);
  stderr.write(text);
}

function requestOf(server: ServerDescriptor, args: readonly string[]): Request {
  try {
    return readConfig(server, {
      args,
      env: process.env,
      readFile: readTextFile,
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    for (const problem of error.problems) {
      writeToStderr(`${server.program}: ${problem}\n`);
    }
    process.exit(2);
  }
}

/** Serves one host over stdin and stdout, and ends with it. */
function serveStdio({ registry, ...parts }: Parts, config: Config, log: Log): void {
  const end = endWithHost({
    input: process.stdin,
    drainMs: config.timeoutMs + 1_000,
    cleanUp: parts.cleanUp,
    log,
  });
  const connection = serveOverStdio(registry, {
    input: process.stdin,
    output: process.stdout,
    log,
    onListed: () => warmWhenIdle(),
    onEnd: () => end("the input ended"),
  });
  let warm = false;
  const warmWhenIdle = () => {
    setTimeout(() => {
      if (connection.unanswered > 0) {
        warmWhenIdle();
      } else if (!warm) {
        warm = true;
        parts.warmUp().catch((error: unknown) => log.debug("warming up failed", { error }));
      }
    }, WARM_AFTER_MS).unref();
  };
  parts.startDemo();
}

/** Runs a server as this process. */
export function main(entry: ServerEntry, args: readonly string[] = process.argv.slice(2)): void {
  const { descriptor, demoProgram } = entry;
  const request = requestOf(descriptor, args);
  switch (request.kind) {
    case "help":
      process.stdout.write(helpText(descriptor, demoProgram !== undefined));
      return;
    case "version":
      process.stdout.write(`${manifest.version}\n`);
      return;
    case "print-config":
      process.stdout.write(settingsText(request.config.settings));
      return;
    case "serve": {
      const { config } = request;
      const secrets = new Set(config.secrets.values());
      const log = createLog({ level: config.logLevel, secrets, write: writeToStderr });
      process.on("uncaughtException", (error) => {
        log.error("the server failed", { error });
        process.exit(1);
      });
      const parts = assemble(entry, config, log);
      const { hosting } = config;
      if (hosting !== undefined) {
        const schemes = descriptor.upstream.credentials;
        const write = (line: string) => process.stdout.write(line);
        import("./serve-http.ts")
          .then(({ serveHttp }) =>
            serveHttp({ parts, config, hosting, schemes, secrets, write, log }),
          )
          .catch((error: Error) => {
            writeToStderr(`${descriptor.program}: it cannot listen: ${error.message}\n`);
            process.exit(1);
          });
        return;
      }
      if (process.stdin.isTTY) {
        writeToStderr(
          `${descriptor.program} speaks the Model Context Protocol on stdin and stdout and is started by a host; --help says more\n`,
        );
      }
      serveStdio(parts, config, log);
    }
  }
}
