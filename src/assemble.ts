/** The parts of a server's process, whatever it is served over: opened when they are first needed, closed together. */
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import type { Runtime } from "./call.ts";
import { type Config, credentialVariables } from "./config.ts";
import type { ServerDescriptor } from "./contract.ts";
import type { DemoChild } from "./demo-child.ts";
import { ToolError } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Access } from "./open-runtime.ts";
import { createRegistry, type Labels, type ToolRegistry } from "./registry.ts";
import type { ServerEntry } from "./servers.ts";

export interface Parts {
  readonly registry: ToolRegistry;
  /** Loads and starts what the first call would wait for. */
  warmUp(): Promise<void>;
  /** Starts the embedded API where the settings ask for it. */
  startDemo(): void;
  /** Ends children and connections. */
  cleanUp(): Promise<void>;
}

const SYNTHETIC = "synthetic demo data";

/** Title, instructions and guide as this process shows them: demo data say so wherever they show. */
function labelsOf({ title, instructions, guide }: ServerDescriptor, demo: boolean): Labels {
  if (!demo) {
    return { title, instructions, ...(guide === undefined ? {} : { guide }) };
  }
  const told = `This server shows ${SYNTHETIC}: simulated, not measured. Say so when you quote it.\n\n`;
  return {
    title: `${title} (${SYNTHETIC})`,
    instructions: told + instructions,
    ...(guide === undefined ? {} : { guide: told + guide }),
  };
}

/** The demo's key stands for every credential; of the user's own settings only those that calls fall back on reach it. */
async function demoAccess(
  server: ServerDescriptor,
  config: Config,
  child: DemoChild,
): Promise<Access | ToolError> {
  try {
    const { baseUrl, key } = await child.address;
    const [variable] = credentialVariables(server);
    const secrets = new Map(variable === undefined ? [] : [[variable, key]]);
    const variables = new Map(config.variables);
    for (const header of server.upstream.headers) {
      variables.delete(header.variable);
    }
    return { baseUrl, secrets, variables };
  } catch (error) {
    if (error instanceof ToolError) {
      return error;
    }
    throw error;
  }
}

/** What the settings give access to. A hosted server does not even hold the operator's key unless it is lent to callers. */
function ownAccess({ hosting, ...access }: Config): Access {
  return hosting === undefined || hosting.shareOperatorKey
    ? access
    : { ...access, secrets: new Map() };
}

/** Puts the parts together; opens nothing yet. */
export function assemble(
  { descriptor: server, demoProgram, tableProgram }: ServerEntry,
  config: Config,
  log: Log,
): Parts {
  const { version } = manifest;
  let demo: Promise<DemoChild> | undefined;
  let runtime: Promise<Runtime> | undefined;

  const open = async (): Promise<Runtime> => {
    const { openRuntime } = await import("./open-runtime.ts");
    const access =
      demo === undefined ? ownAccess(config) : await demoAccess(server, config, await demo);
    const url = config.hosting?.cacheUrl?.reveal();
    const store =
      url === undefined ? undefined : (await import("./redis-store.ts")).openRedisStore(url, log);
    return openRuntime(server, config, access, { version, log, tableProgram, store });
  };
  const openOnce = () => (runtime ??= open());
  let called = false;
  const openForCall = () => {
    called = true;
    return openOnce();
  };

  return {
    registry: createRegistry(server, version, openForCall, labelsOf(server, config.demo)),
    async warmUp() {
      const [{ tables }, { rehearse }] = await Promise.all([openOnce(), import("./rehearsal.ts")]);
      await tables.warm();
      await rehearse(tables, server.tools, () => called);
    },
    startDemo() {
      if (config.demo && demoProgram !== undefined) {
        const program = join(import.meta.dirname, demoProgram);
        demo = import("./demo-child.ts").then(({ startDemo }) => startDemo(program, log));
      }
    },
    async cleanUp() {
      await demo?.then((child) => child.stop());
      const opened = await runtime;
      await Promise.all([opened?.upstream.close(), opened?.tables.close()]);
    },
  };
}
