/**
 * JSON-RPC messages as lines on two streams, and the knowledge of what is still to be answered.
 *
 * The SDK's own stdio transport gives up calls in flight when its input ends and closes on a line that is too long; this
 * one answers what was asked before the end, and skips what it cannot read.
 */
import type { Readable, Writable } from "node:stream";

type Id = string | number;

/** One JSON-RPC message, as far as a channel looks into it. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface LineChannelOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Longest line that is read [bytes]; a longer one is skipped. */
  readonly maxLineBytes: number;
  /** Whether a parsed line is a JSON-RPC message. */
  readonly accepts: (value: unknown) => value is Message;
  /** Told about lines that were skipped. */
  readonly onSkipped: (why: string) => void;
  /** Told once when the input has ended and everything asked before is answered and written, or the output broke. */
  readonly onEnd: () => void;
}

/** Requests that stay open for as long as the connection does; nobody waits for their answer at the end. */
const STANDING_METHOD = "subscriptions/listen";
const INVALID_REQUEST = -32600;
const LINE_END = 0x0a;

const keyOf = (id: unknown): string => JSON.stringify(id);

/** The id under which a line that is no valid message wants its answer, if it says one. */
function idOfInvalid(value: unknown): Id | undefined {
  if (value === null || typeof value !== "object" || !("id" in value) || "result" in value) {
    return undefined;
  }
  return typeof value.id === "string" || typeof value.id === "number" ? value.id : undefined;
}

/** A transport of the SDK's shape. */
export class LineChannel {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #options: LineChannelOptions;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #skipping = false;
  readonly #unanswered = new Set<string>();
  #unwritten = 0;
  #inputEnded = false;
  #over = false;

  constructor(options: LineChannelOptions) {
    this.#options = options;
  }

  /** Requests that wait for their answer. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    output.on("error", () => this.#end());
    input.on("data", (chunk: Buffer) => this.#take(chunk));
    input.on("end", () => this.#inputOver());
    input.on("error", () => this.#inputOver());
    input.on("close", () => this.#inputOver());
  }

  /** Settles when the line has left this process, or cannot. */
  async send(message: Message): Promise<void> {
    if (message.method === undefined) {
      this.#unanswered.delete(keyOf(message.id));
    }
    if (this.#over) {
      return;
    }
    this.#unwritten += 1;
    await new Promise<void>((resolve) => {
      this.#options.output.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
    this.#unwritten -= 1;
    this.#endIfDone();
  }

  /** Called by the SDK when it gives the connection up; the process ends with it. */
  async close(): Promise<void> {
    this.#end();
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#partBytes += part.length;
    if (this.#partBytes > this.#options.maxLineBytes) {
      this.#skipping = true;
      this.#parts = [];
    }
    if (!this.#skipping && part.length > 0) {
      this.#parts.push(part);
    }
  }

  #finishLine(): void {
    const line = Buffer.concat(this.#parts).toString("utf8").trim();
    const [bytes, skipped] = [this.#partBytes, this.#skipping];
    this.#parts = [];
    this.#partBytes = 0;
    this.#skipping = false;
    if (skipped) {
      this.#options.onSkipped(`a line of ${bytes} bytes, more than ${this.#options.maxLineBytes}`);
    } else if (line !== "") {
      this.#read(line);
    }
  }

  #read(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#options.onSkipped("a line that is not JSON");
      return;
    }
    if (!this.#options.accepts(value)) {
      this.#options.onSkipped("a line that is not a JSON-RPC message");
      const id = idOfInvalid(value);
      if (id !== undefined) {
        const error = { code: INVALID_REQUEST, message: "Not a valid JSON-RPC request" };
        void this.send({ jsonrpc: "2.0", id, error });
      }
      return;
    }
    if (value.method === "notifications/cancelled") {
      this.#unanswered.delete(keyOf(value.params?.requestId));
    } else if (value.method !== undefined && value.id !== undefined) {
      if (value.method !== STANDING_METHOD) {
        this.#unanswered.add(keyOf(value.id));
      }
    }
    this.onmessage?.(value);
  }

  #inputOver(): void {
    if (this.#inputEnded) {
      return;
    }
    this.#inputEnded = true;
    // A last line may come without a line end.
    this.#finishLine();
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#inputEnded && this.#unanswered.size === 0 && this.#unwritten === 0) {
      this.#end();
    }
  }

  #end(): void {
    if (!this.#over) {
      this.#over = true;
      this.#options.onEnd();
      this.onclose?.();
    }
  }
}
