/**
 * `npm run demo`: a real client asks the built server what a battery engineer would ask.
 *
 * The client is the protocol's own (`@modelcontextprotocol/client`), the server the program in `dist/`, started as a host
 * starts it. Nothing here knows an answer beforehand.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { walkIonworks } from "./walk-ionworks.ts";

/** One question, the call that answers it, and what of the answer is shown. */
export interface Question<T> {
  readonly question: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly show: (answer: T) => readonly string[];
}

/** Asks, prints and gives the answer. */
export type Ask = <T>(question: Question<T>) => Promise<T>;

interface Cost {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
}

const WALKS: Record<
  string,
  { program: string; variable: string; walk: (ask: Ask) => Promise<void> }
> = { ionworks: { program: "ionworks-mcp", variable: "IONWORKS_API_KEY", walk: walkIonworks } };

/** The first time of all, a call waits for the simulator; a busy machine may need more than a host would wait. */
const PATIENCE_MS = 300_000;
const PATIENT = [`--timeout-ms=${PATIENCE_MS}`, `--try-timeout-ms=${PATIENCE_MS}`];

const colour = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const bold = (text: string) => (colour ? `\u001b[1m${text}\u001b[0m` : text);
const dim = (text: string) => (colour ? `\u001b[2m${text}\u001b[0m` : text);
const print = (text = "") => process.stdout.write(`${text}\n`);

function size(bytes: number): string {
  return bytes < 1_000
    ? `${bytes} B`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(2)} MB`;
}

function questioner(client: Client): Ask {
  let number = 0;
  return async <T>({ question, tool, args, show }: Question<T>): Promise<T> => {
    number += 1;
    print();
    print(`${bold(`${String(number).padStart(2)}. ${question}`)}`);
    print(dim(`    ${tool} ${JSON.stringify(args)}`));
    const start = performance.now();
    const result = await client.callTool({ name: tool, arguments: args }, { timeout: PATIENCE_MS });
    const ms = performance.now() - start;
    const text = result.content.map((item) => (item.type === "text" ? item.text : "")).join("");
    if (result.isError === true) {
      throw new Error(`${tool} failed: ${text}`);
    }
    const answer = result.structuredContent as T;
    for (const line of show(answer)) {
      print(`    ${line}`);
    }
    const cost = result._meta?.["vitrine/cost"] as Cost;
    const moved =
      cost.requests === 0
        ? "nothing moved, all of it was in the cache"
        : `${size(cost.bytes)} moved in ${cost.requests} request${cost.requests === 1 ? "" : "s"}`;
    print(dim(`    ${moved}; answer ${size(Buffer.byteLength(text))}; ${ms.toFixed(0)} ms`));
    return answer;
  };
}

function printRegistration(program: string, path: string, variable: string): void {
  const entry = { command: process.execPath, args: [path, "--demo"] };
  const own = { command: process.execPath, args: [path], env: { [variable]: "<your key>" } };
  print();
  print(bold("Connect it to your assistant"));
  print("    Claude Code, with the demo data:");
  print(`      claude mcp add ${program} -- ${process.execPath} ${path} --demo`);
  print("    Claude Code, with your own data:");
  print(`      claude mcp add ${program} -e ${variable}=<your key> -- ${process.execPath} ${path}`);
  print('    Claude Desktop, Cursor and others, in "mcpServers" of their configuration file:');
  print(`      ${JSON.stringify({ [program]: entry })}`);
  print(`      ${JSON.stringify({ [program]: own })}`);
}

async function run(server: string): Promise<void> {
  const chosen = WALKS[server];
  if (chosen === undefined) {
    process.stderr.write(
      `demo: unknown server "${server}"; there is ${Object.keys(WALKS).join(", ")}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const { program, variable, walk } = chosen;
  const path = join(import.meta.dirname, "..", "dist", `${program}.js`);
  if (!existsSync(path)) {
    throw new Error(`there is no dist/${program}.js yet; npm run build makes it`);
  }
  const client = new Client(
    { name: "vitrine-demo", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path, "--demo", ...PATIENT],
    env: process.env as Record<string, string>,
    stderr: "inherit",
  });
  const start = performance.now();
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    const ms = performance.now() - start;
    print(`${bold(`${program} --demo`)}: ${client.getServerVersion()?.title}`);
    print(
      dim(
        `started, connected and listed ${tools.length} tools (${size(Buffer.byteLength(JSON.stringify(tools)))}) in ${ms.toFixed(0)} ms; protocol ${client.getNegotiatedProtocolVersion()}`,
      ),
    );
    print(
      dim(
        "the first call waits for the embedded API; the first time of all it simulates the cells' data",
      ),
    );
    await walk(questioner(client));
    printRegistration(program, path, variable);
  } finally {
    await client.close();
  }
}

// Whoever reads only the beginning has seen enough.
process.stdout.on("error", () => process.exit(0));
try {
  await run(process.argv[2] ?? "ionworks");
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
