/** The built server between a faulty API and a faulty store, spoken to by tests of faults. */
import { expect } from "vitest";
import { type FaultServer, fault, startFaultServer } from "./fault-server.ts";
import type { Behaviour } from "./serve-file.ts";
import { SpawnedServer } from "./spawned-server.ts";

export const ID = "11111111-1111-4111-8111-111111111111";
export const KEY = "iwk_secret_of_the_test";
/** Longest time of one call here [ms], and of one try. */
const CALL_MS = 3_000;
const TRY_MS = 500;

export interface Outcome {
  readonly isError?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test asserts
  readonly value: any;
  readonly ms: number;
}

export const RECORD = { id: ID, name: "Cycling", measurement_type: "time_series", tags: [] };

/** The tool, its path and a sound answer of the API, for each result kind. */
export const KINDS = [
  { kind: "record", tool: "get_measurement", path: `/cell_measurements/${ID}`, body: RECORD },
  {
    kind: "page",
    tool: "list_cell_specs",
    path: "/cell_specifications",
    body: { items: [{ id: ID, name: "NMC" }], count: 1, total: 1 },
  },
  {
    kind: "JSON table",
    tool: "get_measurement_cycles",
    path: `/cell_measurements/${ID}/cycles`,
    body: { cycles: { "Cycle count": [0, 1], "Discharge capacity [A.h]": [5, 4.9] } },
  },
  {
    kind: "Parquet table",
    tool: "get_measurement_time_series",
    path: `/cell_measurements/${ID}/time_series/download`,
    body: undefined,
  },
] as const;

export const argsOf = (kind: string): Record<string, unknown> =>
  kind === "page" ? {} : { measurement_id: ID };

export class FaultyServer {
  readonly api: FaultServer;
  readonly store: FaultServer;
  readonly server: SpawnedServer;
  #files = 0;

  private constructor(api: FaultServer, store: FaultServer, server: SpawnedServer) {
    this.api = api;
    this.store = store;
    this.server = server;
  }

  /** @param env more variables; `apiUrl` another API than the faulty one */
  static async start(env: Record<string, string> = {}, apiUrl?: string): Promise<FaultyServer> {
    const [api, store] = await Promise.all([startFaultServer({}), startFaultServer({})]);
    const server = new SpawnedServer({
      args: [`--timeout-ms=${CALL_MS}`, `--try-timeout-ms=${TRY_MS}`, "--log-level=debug"],
      env: { IONWORKS_API_URL: apiUrl ?? api.url, IONWORKS_API_KEY: KEY, ...env },
    });
    await server.initialize();
    return new FaultyServer(api, store, server);
  }

  /** Ends it in good order; nothing it wrote shows the key. */
  async stop(): Promise<void> {
    this.server.endInput();
    const { code } = await this.server.exit;
    await Promise.all([this.api.close(), this.store.close()]);
    expect(code, this.server.stderr.slice(-1_000)).toBe(0);
    expect(this.server.stderr).not.toContain(KEY);
  }

  async call(tool: string, args: Record<string, unknown>): Promise<Outcome> {
    const start = performance.now();
    const answer = await this.server.request("tools/call", { name: tool, arguments: args });
    const { result } = answer;
    const value = JSON.parse(result.content[0].text);
    return { isError: result.isError, value, ms: performance.now() - start };
  }

  /** Puts a file behind a measurement that nobody has read; returns the measurement's id. */
  offer(behaviour: Behaviour | readonly Behaviour[]): string {
    this.#files += 1;
    const id = `33333333-3333-4333-8333-${String(this.#files).padStart(12, "0")}`;
    this.store.routes = { "/f": behaviour };
    this.api.routes = {
      [`/cell_measurements/${id}/time_series/download`]: fault.redirect(
        `${this.store.url}/f?token=secret`,
      ),
      "*": fault.json(RECORD),
    };
    return id;
  }

  /** 40 rows of a measurement. */
  window(id: string, offset: number, columns = ["t", "v"]): Promise<Outcome> {
    const args = { measurement_id: id, columns, offset, limit: 40 };
    return this.call("get_measurement_time_series", args);
  }
}

/** An error of these codes (`A|B`), short, in time and without anything that is nobody's business. */
export function expectRefusal({ isError, value, ms }: Outcome, codes: string): void {
  expect(isError, JSON.stringify(value).slice(0, 300)).toBe(true);
  expect(codes.split("|")).toContain(value.error.code);
  const text = JSON.stringify(value);
  expect(text.length).toBeLessThan(2_000);
  expect(text).not.toMatch(/iwk_secret|token=|node_modules|\n\s+at |\/root\/|<html/i);
  expect(ms).toBeLessThan(CALL_MS + 1_500);
}
