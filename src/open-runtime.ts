/** The parts that calls need, put together from the settings. Loaded by the first call, or when the process is idle. */
import type { Runtime } from "./call.ts";
import { type Config, credentialVariables } from "./config.ts";
import { requestHeaders } from "./caller-credential.ts";
import type { ServerDescriptor } from "./contract.ts";
import { callerCredentialMissing, credentialMissing } from "./credential-missing.ts";
import { ToolError } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Secret } from "./secret.ts";
import { createTableReader } from "./tables/reader.ts";
import type { SharedStore } from "./upstream/shared-store.ts";
import { createUpstream, type Upstream } from "./upstream/upstream.ts";

/** Where requests go, and as whom. */
export interface Access {
  readonly baseUrl: string;
  readonly secrets: ReadonlyMap<string, Secret>;
  /** Values of variables that are no secrets, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

function openUpstream(
  server: ServerDescriptor,
  config: Config,
  access: Access,
  { version, log, store }: Host,
): Upstream {
  const { credentials, headers, redirectHosts } = server.upstream;
  const [credential] = credentials.flatMap((scheme) => {
    const secret = access.secrets.get(scheme.variable);
    return secret === undefined ? [] : [{ scheme, secret }];
  });
  return createUpstream({
    baseUrl: access.baseUrl,
    headers: Object.fromEntries(
      headers.flatMap(({ name, variable }) => {
        const value = access.variables.get(variable);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    variable: (name) => access.variables.get(name),
    // The first time of all a call waits for the simulator, and asking again would not make it faster.
    tryMs: config.demo ? config.timeoutMs : config.tryTimeoutMs,
    totalMs: config.timeoutMs,
    userAgent: `${server.program}/${version}`,
    log: log.info,
    ...(store === undefined ? {} : { shared: store }),
    ...(credential === undefined ? {} : { credential }),
    ...(redirectHosts === undefined ? {} : { redirectHosts }),
  });
}

/** The process that a server runs in. */
export interface Host {
  readonly version: string;
  readonly log: Log;
  /** The table reader's program, where it is not the usual one. */
  readonly tableProgram: URL | undefined;
  /** What its replicas share, where they do. */
  readonly store: SharedStore | undefined;
}

const shared = (config: Config, { log, tableProgram }: Host) => ({
  tables: createTableReader({
    cacheBytes: config.cacheBytes,
    deadlineMs: config.timeoutMs,
    ...(tableProgram === undefined ? {} : { workerUrl: tableProgram }),
  }),
  maxResultBytes: config.maxResultBytes,
  ...(config.saveFolder === undefined ? {} : { saveFolder: config.saveFolder }),
  log,
});

/** An upstream that cannot be reached, for the reason that every call then gives. */
function unreachable(reason: ToolError): Upstream {
  const refuse = () => Promise.reject(reason);
  const upstream: Upstream = {
    send: refuse,
    openFile: refuse,
    identityKey: () => "",
    as: () => upstream,
    close: async () => undefined,
  };
  return upstream;
}

/** What a call without a credential of its own is told; undefined where it can do without. */
function missingOf(
  server: ServerDescriptor,
  { hosting }: Config,
  access: Access,
): ToolError | undefined {
  const variables = credentialVariables(server);
  if (variables.length === 0 || variables.some((name) => access.secrets.has(name))) {
    return undefined;
  }
  return hosting === undefined
    ? credentialMissing(variables)
    : callerCredentialMissing(requestHeaders(server.upstream.credentials));
}

/**
 * Opens upstream and table reader; sends nothing.
 * @param access an error where there is no upstream to ask
 */
export function openRuntime(
  server: ServerDescriptor,
  config: Config,
  access: Access | ToolError,
  host: Host,
): Runtime {
  if (access instanceof ToolError) {
    const upstream = unreachable(access);
    return { ...shared(config, host), upstream };
  }
  const missing = missingOf(server, config, access);
  return {
    ...shared(config, host),
    upstream: openUpstream(server, config, access, host),
    ...(missing === undefined ? {} : { credentialMissing: missing }),
  };
}
