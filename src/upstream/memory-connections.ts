/** Connections that end in this process: whatever is sent over them is answered from memory. */
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { Duplex } from "node:stream";
import type { Connections } from "./exchange.ts";

export interface MemoryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** @param head request line and headers, as they are sent */
export type AnswerFromMemory = (head: string) => MemoryAnswer;

/** Pieces in which a body arrives, as they come from a real connection [bytes]. */
const PIECE_BYTES = 64 * 1024;
const HEAD_END = "\r\n\r\n";

class MemorySocket extends Duplex {
  readonly #answer: AnswerFromMemory;
  #received = "";

  constructor(answer: AnswerFromMemory) {
    super();
    this.#answer = answer;
  }

  override _read(): void {
    // What there is to read is pushed as soon as it is asked for.
  }

  override _write(chunk: Uint8Array, _: BufferEncoding, done: () => void): void {
    this.#received += Buffer.from(chunk).toString("latin1");
    for (let end = this.#received.indexOf(HEAD_END); end >= 0; ) {
      this.#reply(this.#answer(this.#received.slice(0, end)));
      this.#received = this.#received.slice(end + HEAD_END.length);
      end = this.#received.indexOf(HEAD_END);
    }
    done();
  }

  #reply({ status, headers, body }: MemoryAnswer): void {
    const lines = Object.entries({ ...headers, "content-length": String(body.length) });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    this.push(`HTTP/1.1 ${status} \r\n${head}\r\n`);
    for (let start = 0; start < body.length; start += PIECE_BYTES) {
      this.push(body.subarray(start, start + PIECE_BYTES));
    }
  }

  // What the agent asks of a real socket.
  setKeepAlive(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setTimeout(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

class MemoryAgent extends Agent {
  readonly #answer: AnswerFromMemory;

  constructor(answer: AnswerFromMemory) {
    super({ keepAlive: true });
    this.#answer = answer;
  }

  override createConnection(): Duplex {
    return new MemorySocket(this.#answer);
  }
}

/** Connections for plain requests; none is ever opened to another process. */
export function memoryConnections(answer: AnswerFromMemory): Connections {
  return { plain: new MemoryAgent(answer), secure: new SecureAgent() };
}
