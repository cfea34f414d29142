/** A built server program as a child process, spoken to line by line. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** The built program; `npm run build` makes it. */
export const PROGRAM = new URL("../../dist/ionworks-mcp.js", import.meta.url).pathname;

/** One line of stdout, as it came and as JSON. */
export interface Line {
  readonly text: string;
  // Tests read answers of many shapes.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test asserts
  readonly json: any;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnOptions {
  readonly args?: readonly string[];
  /** The whole environment but PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program's file; the built one unless a test has its own copy. */
  readonly program?: string;
}

export class SpawnedServer {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line of stdout so far. */
  readonly lines: Line[] = [];
  stderr = "";
  readonly exit: Promise<Exit>;
  #nextId = 1;

  constructor({ args = [], env = {}, program = PROGRAM }: SpawnOptions) {
    this.child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH ?? "", ...env },
    });
    this.child.stdin.on("error", () => undefined);
    // Calls at once wait for their answers at once.
    this.child.setMaxListeners(0);
    this.child.stderr.on("data", (chunk) => {
      this.stderr += String(chunk);
    });
    createInterface({ input: this.child.stdout }).on("line", (text) => {
      this.lines.push({ text, json: text === "" ? undefined : parse(text) });
      this.child.emit("answer");
    });
    this.exit = once(this.child, "close").then(([code, signal]) => ({ code, signal }));
  }

  /** Writes text as it is. */
  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** Writes one JSON-RPC message. */
  send(message: Record<string, unknown>): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Sends a request and gives its id. */
  ask(method: string, params: Record<string, unknown> = {}): number {
    const id = this.#nextId++;
    this.send({ id, method, params });
    return id;
  }

  /** The answer to a request, when it comes. */
  async answer(id: number | string): Promise<Line["json"]> {
    for (;;) {
      const line = this.lines.find(({ json }) => json?.id === id);
      if (line !== undefined) {
        return line.json;
      }
      const ended = await Promise.race([
        once(this.child, "answer").then(() => false),
        this.exit.then(() => true),
      ]);
      if (ended && !this.lines.some(({ json }) => json?.id === id)) {
        throw new Error(`the server ended without an answer to ${id}: ${this.stderr}`);
      }
    }
  }

  async request(method: string, params: Record<string, unknown> = {}): Promise<Line["json"]> {
    return this.answer(this.ask(method, params));
  }

  /** The handshake of the older era. */
  async initialize(protocolVersion = "2025-11-25"): Promise<Line["json"]> {
    const answer = await this.request("initialize", {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    this.send({ method: "notifications/initialized" });
    return answer;
  }

  endInput(): void {
    this.child.stdin.end();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Spawns the server; it is gone when the test is over. */
export function spawnServer(options: SpawnOptions = {}): SpawnedServer {
  const server = new SpawnedServer(options);
  onTestFinished(async () => {
    server.child.kill("SIGKILL");
    await server.exit;
  });
  return server;
}

/** What every request of the stateless era carries. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
};
