/** A built server program over HTTP, as a child process. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { type Exit, PROGRAM, type SpawnOptions } from "./spawned-server.ts";

export interface HostedServer {
  /** Address of the end point, ending in `/mcp`. */
  readonly url: string;
  /** The same without its path. */
  readonly base: string;
  /** Address of the figures, where they were asked for. */
  readonly metrics: string | undefined;
  readonly child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<Exit>;
  /** Everything on stderr so far. */
  readonly stderr: string;
  /** Ends it and waits for that. */
  stop(): Promise<Exit>;
}

/** Starts a server on a free port; whoever starts it stops it. */
export async function startHosted({ args = [], env = {} }: SpawnOptions): Promise<HostedServer> {
  const child = spawn(process.execPath, [PROGRAM, "--http", "0", ...args], {
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const exit = once(child, "close").then(([code, signal]): Exit => ({ code, signal }));
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exit.then(() => Promise.reject(new Error(`the server ended: ${stderr}`))),
  ])) as [string];
  const { url, metrics } = JSON.parse(line) as { url: string; metrics?: string };
  return {
    url,
    base: url.replace(/\/mcp$/, ""),
    metrics,
    child,
    exit,
    get stderr() {
      return stderr;
    },
    stop() {
      child.kill("SIGTERM");
      return exit;
    },
  };
}

/** The same for one test. */
export async function hostedForTest(options: SpawnOptions): Promise<HostedServer> {
  const server = await startHosted(options);
  onTestFinished(async () => {
    server.child.kill("SIGKILL");
    await server.exit;
  });
  return server;
}
