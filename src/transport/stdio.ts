/**
 * The Model Context Protocol over stdin and stdout, both eras: stateless 2026-07-28 and `initialize` of 2025-11-25 and
 * before.
 */
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Log } from "../log.ts";
import type { ToolRegistry } from "../registry.ts";
import { LineChannel } from "./line-channel.ts";
import { createServer, isMessage } from "./protocol.ts";

/** As the SDK's own limit: arguments are small, whoever sends more is mistaken. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  /** Told after each answer to `tools/list`. */
  readonly onListed: () => void;
  /** Told once: the input ended and everything is answered, or the output broke. */
  readonly onEnd: () => void;
}

export interface StdioConnection {
  /** Requests that wait for their answer. */
  readonly unanswered: number;
}

/** Serves a registry until its input ends; reads at once, so that no client waits for a first answer. */
export function serveOverStdio(registry: ToolRegistry, options: StdioOptions): StdioConnection {
  const { input, output, log, onListed, onEnd } = options;
  const channel = new LineChannel({
    input,
    output,
    maxLineBytes: MAX_LINE_BYTES,
    accepts: isMessage,
    onSkipped: (why) => log.warn("input was skipped", { why }),
    onEnd,
  });
  serveStdio(() => createServer(registry, { log, onListed }), {
    transport: channel as Transport,
    onerror: (error) => log.debug("the protocol layer reports", { error }),
  });
  return channel;
}
