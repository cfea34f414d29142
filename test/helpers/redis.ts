/** A real Redis or Valkey on a free port, gone with the test. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

function find(): string | undefined {
  for (const program of ["valkey-server", "redis-server"]) {
    try {
      execFileSync(program, ["--version"]);
      return program;
    } catch {
      // The next one, then.
    }
  }
  return undefined;
}

/** Name of the installed server, if one is; where tests are counted it has to be there. */
export const REDIS = find() ?? (process.env.CI === undefined ? undefined : "redis-server");

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts it, empty, keeping nothing on disk. @param password asked of whoever connects, where given */
export async function startRedis(port?: number, password?: string): Promise<RedisServer> {
  const at = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), "vitrine-redis-"));
  const child = spawn(
    REDIS as string,
    [
      ...["--port", String(at), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      ...["--dir", folder, ...(password === undefined ? [] : ["--requirepass", password])],
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    if (/ready to accept connections/i.test(line)) {
      break;
    }
  }
  child.stdout.resume();
  const user = password === undefined ? "" : `:${password}@`;
  return {
    url: `redis://${user}127.0.0.1:${at}`,
    port: at,
    child,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
