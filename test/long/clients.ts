/**
 * Clients in a process of their own: `clients.ts JSON`, with {url, key, clients, ms, calls}. Each client sends one call after the
 * other; prints {answers, errors, lost, latencies} as JSON, latencies by tool, sorted [ms].
 */
import { Agent, request } from "node:http";
import { messageOf } from "../helpers/http-request.ts";

export interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface Load {
  readonly url: string;
  readonly key: string;
  readonly clients: number;
  readonly ms: number;
  /** Each client goes round them, each from its own start. */
  readonly calls: readonly Call[];
}

export interface Report {
  readonly answers: number;
  /** Answers that are errors, by code. */
  readonly errors: Record<string, number>;
  /** Requests without an answer. */
  readonly lost: string[];
  readonly latencies: Record<string, number[]>;
}

const load = JSON.parse(process.argv[2] as string) as Load;
const agent = new Agent({ keepAlive: true, maxSockets: load.clients });

function post(call: Call): Promise<string> {
  const { headers, body } = messageOf("2026-07-28", "tools/call", { ...call });
  const all = {
    ...headers,
    "x-ionworks-key": load.key,
    "content-length": String(Buffer.byteLength(body)),
  };
  return new Promise((resolve, reject) => {
    const sent = request(load.url, { method: "POST", headers: all, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const errors: Record<string, number> = {};
const lost: string[] = [];
const latencies: Record<string, number[]> = {};
let answers = 0;
const untilMs = performance.now() + load.ms;

async function client(place: number): Promise<void> {
  for (let turn = place; performance.now() < untilMs; turn++) {
    const call = load.calls[turn % load.calls.length] as Call;
    const startMs = performance.now();
    try {
      const text = await post(call);
      answers += 1;
      const failed = /"isError":true/.test(text);
      if (failed) {
        const code = /\\"code\\":\\"([A-Z_]+)/.exec(text)?.[1] ?? "?";
        errors[code] = (errors[code] ?? 0) + 1;
      }
      latencies[call.name] ??= [];
      latencies[call.name]?.push(performance.now() - startMs);
    } catch (error) {
      lost.push(String(error));
    }
  }
}

await Promise.all(Array.from({ length: load.clients }, (_, place) => client(place)));
agent.destroy();
for (const list of Object.values(latencies)) {
  list.sort((a, b) => a - b);
}
const report: Report = { answers, errors, lost, latencies };
process.stdout.write(JSON.stringify(report));
