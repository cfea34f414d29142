/** A spawned server with a real client on its pipes. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const PROGRAM = new URL("../dist/ionworks-mcp.js", import.meta.url).pathname;

export interface Cost {
  readonly requests: number;
  readonly bytes: number;
  readonly cached: boolean;
  readonly ms: number;
}

export interface Called {
  /** From the call to the whole answer, as the client sees it [ms]. */
  readonly ms: number;
  readonly cost: Cost;
  readonly result: Record<string, unknown>;
}

export interface Server {
  readonly pid: number;
  /** From spawn to the answered `tools/list` [ms]. */
  readonly startMs: number;
  call(tool: string, args: Record<string, unknown>): Promise<Called>;
  close(): Promise<void>;
}

/** @param program the command line; this project's server unless a rival is measured */
export async function startServer(
  apiUrl: string,
  program: readonly string[] = [process.execPath, PROGRAM],
): Promise<Server> {
  const [command = "", ...args] = program;
  const transport = new StdioClientTransport({
    command,
    args,
    env: { PATH: process.env.PATH ?? "", IONWORKS_API_URL: apiUrl, IONWORKS_API_KEY: "bench" },
    stderr: "inherit",
  });
  const client = new Client({ name: "bench", version: "1" });
  const start = performance.now();
  await client.connect(transport);
  await client.listTools();
  const startMs = performance.now() - start;
  return {
    pid: transport.pid ?? 0,
    startMs,
    call: async (name, args) => {
      const sent = performance.now();
      const answer = await client.callTool({ name, arguments: args });
      const ms = performance.now() - sent;
      if (answer.isError === true) {
        throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
      }
      return {
        ms,
        cost: answer._meta?.["vitrine/cost"] as Cost,
        result: answer.structuredContent as Record<string, unknown>,
      };
    },
    close: () => client.close(),
  };
}
