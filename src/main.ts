/** A server program: reads the command line and the environment, puts the parts together, ends with its host. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import type { Runtime } from "./call.ts";
import {
  type Config,
  ConfigError,
  credentialVariables,
  type Request,
  readConfig,
} from "./config.ts";
import type { ServerDescriptor } from "./contract.ts";
import type { DemoChild } from "./demo-child.ts";
import { ToolError } from "./errors.ts";
import { helpText, settingsText } from "./help.ts";
import { createLog, type Log } from "./log.ts";
import type { Access } from "./open-runtime.ts";
import { endWithHost } from "./process-end.ts";
import { createRegistry } from "./registry.ts";
import type { ServerEntry } from "./servers.ts";
import { serveOverStdio } from "./transport/stdio.ts";

/** How long after the tool list the table reader is loaded, if nobody has asked for it before [ms]. */
const WARM_AFTER_MS = 150;

const SYNTHETIC = "synthetic demo data";

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

/** Title and instructions as this process shows them: demo data say so wherever they show. */
function labelsOf(
  server: ServerDescriptor,
  demo: boolean,
): { title: string; instructions: string } {
  const { title, instructions } = server;
  return demo
    ? {
        title: `${title} (${SYNTHETIC})`,
        instructions: `This server shows ${SYNTHETIC}: simulated, not measured. Say so when you quote it.\n\n${instructions}`,
      }
    : { title, instructions };
}

/** The demo's key stands for every credential; nothing of the user's own account reaches it. */
async function demoAccess(server: ServerDescriptor, child: DemoChild): Promise<Access | ToolError> {
  try {
    const { baseUrl, key } = await child.address;
    const [variable] = credentialVariables(server);
    const secrets = new Map(variable === undefined ? [] : [[variable, key]]);
    return { baseUrl, secrets, variables: new Map() };
  } catch (error) {
    if (error instanceof ToolError) {
      return error;
    }
    throw error;
  }
}

function requestOf(server: ServerDescriptor): Request {
  try {
    return readConfig(server, {
      args: process.argv.slice(2),
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

function serve({ descriptor: server, demoProgram }: ServerEntry, config: Config, log: Log): void {
  const { version } = manifest;
  let demo: Promise<DemoChild> | undefined;
  let runtime: Promise<Runtime> | undefined;

  const open = async (): Promise<Runtime> => {
    const { openRuntime } = await import("./open-runtime.ts");
    const access = demo === undefined ? config : await demoAccess(server, await demo);
    return openRuntime(server, config, access, version, log);
  };
  const openOnce = () => (runtime ??= open());

  const warmUp = async () => {
    const [{ tables }, { warm }] = await Promise.all([
      openOnce(),
      import("./upstream/upstream.ts"),
    ]);
    warm();
    await tables.warm();
  };

  const cleanUp = async () => {
    await demo?.then((child) => child.stop());
    const opened = await runtime;
    await Promise.all([opened?.upstream.close(), opened?.tables.close()]);
  };
  const end = endWithHost({
    input: process.stdin,
    drainMs: config.timeoutMs + 1_000,
    cleanUp,
    log,
  });

  const registry = createRegistry(server, version, openOnce, labelsOf(server, config.demo));
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
        warmUp().catch((error: unknown) => log.debug("warming up failed", { error }));
      }
    }, WARM_AFTER_MS).unref();
  };
  if (config.demo && demoProgram !== undefined) {
    const program = join(import.meta.dirname, demoProgram);
    demo = import("./demo-child.ts").then(({ startDemo }) => startDemo(program, log));
  }
}

/** Runs a server as this process. */
export function main(entry: ServerEntry): void {
  const { descriptor, demoProgram } = entry;
  const request = requestOf(descriptor);
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
      const log = createLog({
        level: config.logLevel,
        secrets: [...config.secrets.values()],
        write: writeToStderr,
      });
      process.on("uncaughtException", (error) => {
        log.error("the server failed", { error });
        process.exit(1);
      });
      if (process.stdin.isTTY) {
        writeToStderr(
          `${descriptor.program} speaks the Model Context Protocol on stdin and stdout and is started by a host; --help says more\n`,
        );
      }
      serve(entry, config, log);
    }
  }
}
