/** Child programs that speak JSON lines. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export class LineChild {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(command: string, args: readonly string[]) {
    this.process = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const { stdout } = this.process;
    if (stdout === null) {
      throw new Error(`${command} has no stdout`);
    }
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** The next line, parsed. */
  async read<T>(): Promise<T> {
    const { value, done } = await this.#lines.next();
    if (done === true) {
      throw new Error(`${this.process.spawnargs.join(" ")} ended without an answer`);
    }
    return JSON.parse(value) as T;
  }

  async ask<T>(question: object): Promise<T> {
    this.process.stdin?.write(`${JSON.stringify(question)}\n`);
    return this.read<T>();
  }

  async close(): Promise<void> {
    this.process.stdin?.end();
    if (this.process.exitCode === null) {
      await once(this.process, "exit");
    }
  }
}

/** A TypeScript program of this folder. */
export function tsx(program: string, ...args: string[]): LineChild {
  const file = new URL(program, import.meta.url).pathname;
  return new LineChild(process.execPath, ["--import", "tsx", file, ...args]);
}
