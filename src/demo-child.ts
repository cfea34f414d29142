/** The embedded API as a child process: it lives as long as this one. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ToolError } from "./errors.ts";
import type { Log } from "./log.ts";
import { Secret } from "./secret.ts";

export interface DemoAddress {
  readonly baseUrl: string;
  readonly key: Secret;
}

export interface DemoChild {
  /** Settles when the API listens. Rejects with a ToolError when it ended before. */
  readonly address: Promise<DemoAddress>;
  stop(): void;
}

function addressOf(line: string): DemoAddress | undefined {
  const { url, key } = JSON.parse(line) as { url?: unknown; key?: unknown };
  return typeof url === "string" && typeof key === "string"
    ? { baseUrl: url, key: new Secret(key) }
    : undefined;
}

async function firstAddress(child: ChildProcess): Promise<DemoAddress> {
  const { stdout } = child;
  if (stdout !== null) {
    for await (const line of createInterface({ input: stdout })) {
      const address = line.startsWith("{") ? addressOf(line) : undefined;
      if (address !== undefined) {
        return address;
      }
    }
  }
  throw new ToolError("UPSTREAM_UNAVAILABLE", "The embedded API did not start", {
    hint: "Restart the server; its log says why the embedded API ended",
  });
}

/**
 * Starts the embedded API. It ends at the end of its input, which is this process's end however that comes.
 * @param program path of the program to run with this Node
 */
export function startDemo(program: string, log: Log): DemoChild {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "pipe"] });
  child.on("error", (error) => log.error("the embedded API cannot be run", { error }));
  child.on("exit", (code, signal) => log.info("the embedded API ended", { code, signal }));
  child.stdin.on("error", () => undefined);
  let lastLine = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    lastLine = line;
    log.info("the embedded API says", { line });
  });
  // What it still prints must not fill the pipe.
  const address = firstAddress(child).finally(() => child.stdout.resume());
  address.catch((error: unknown) => {
    log.error("the embedded API did not start", { error, lastLine });
  });
  return { address, stop: () => child.stdin.end() };
}
