/**
 * Figures for Prometheus: what was called, how it ended, what it cost upstream, how long it took. Labels are tool names, codes
 * and statuses, all of them closed sets: nothing of a caller's.
 */
import type { CallOutcome } from "./call.ts";
import type { Cost } from "./contract.ts";
import type { ToolRegistry } from "./registry.ts";

/** Upper ends of the latency histogram's buckets [s]. */
const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface Metrics {
  /** The registry, with every call counted. */
  meter(registry: ToolRegistry): ToolRegistry;
  /** Counts an answer over HTTP. */
  countAnswer(status: number): void;
  /** Everything counted so far, in Prometheus' text format. */
  text(): string;
}

/** A number for each value of one label. */
class Tally {
  readonly #counts = new Map<string, number>();

  add(label: string, amount = 1): void {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + amount);
  }

  lines(name: string, label: string): string[] {
    return [...this.#counts].map(([value, count]) => `${name}{${label}="${value}"} ${count}`);
  }
}

/** Latencies of one tool. */
class Histogram {
  readonly #buckets = BUCKETS_S.map(() => 0);
  #count = 0;
  #sumS = 0;

  add(seconds: number): void {
    this.#count += 1;
    this.#sumS += seconds;
    for (const [index, end] of BUCKETS_S.entries()) {
      if (seconds <= end) {
        this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
      }
    }
  }

  lines(name: string, label: string): string[] {
    return [
      ...BUCKETS_S.map(
        (end, index) => `${name}_bucket{${label},le="${end}"} ${this.#buckets[index]}`,
      ),
      `${name}_bucket{${label},le="+Inf"} ${this.#count}`,
      `${name}_sum{${label}} ${this.#sumS}`,
      `${name}_count{${label}} ${this.#count}`,
    ];
  }
}

/** Code of an outcome that is an error. */
function codeOf({ isError, content }: CallOutcome): string | undefined {
  if (isError !== true) {
    return undefined;
  }
  const shown = JSON.parse(content[0]?.text ?? "{}") as { error?: { code?: string } };
  return shown.error?.code ?? "INTERNAL";
}

function costOf({ _meta }: CallOutcome): Cost {
  const cost = _meta?.["vitrine/cost"] as Partial<Cost> | undefined;
  return { requests: cost?.requests ?? 0, bytes: cost?.bytes ?? 0 };
}

/** Counts from zero. */
export function createMetrics(): Metrics {
  const calls = new Tally();
  const errors = new Tally();
  const answers = new Tally();
  const latencies = new Map<string, Histogram>();
  let inFlight = 0;
  let cached = 0;
  let requests = 0;
  let bytes = 0;

  const count = (tool: string, outcome: CallOutcome, seconds: number): void => {
    const code = codeOf(outcome);
    const cost = costOf(outcome);
    calls.add(tool);
    if (code !== undefined) {
      errors.add(code);
    } else if (cost.requests === 0) {
      cached += 1;
    }
    requests += cost.requests;
    bytes += cost.bytes;
    const latency = latencies.get(tool) ?? new Histogram();
    latencies.set(tool, latency);
    latency.add(seconds);
  };

  const family = (name: string, type: string, help: string, lines: readonly string[]): string =>
    [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
  const single = (name: string, type: string, help: string, value: number): string =>
    family(name, type, help, [`${name} ${value}`]);

  return {
    meter: (registry) => ({
      ...registry,
      async call(tool, args, options) {
        const startedMs = performance.now();
        inFlight += 1;
        const outcome = await registry.call(tool, args, options);
        inFlight -= 1;
        count(tool, outcome, (performance.now() - startedMs) / 1000);
        return outcome;
      },
    }),
    countAnswer: (status) => answers.add(String(status)),
    text() {
      const cpu = process.cpuUsage();
      const latency = "vitrine_call_duration_seconds";
      return [
        family(
          "vitrine_calls_total",
          "counter",
          "Calls by tool.",
          calls.lines("vitrine_calls_total", "tool"),
        ),
        family(
          "vitrine_call_errors_total",
          "counter",
          "Calls that ended with an error, by code.",
          errors.lines("vitrine_call_errors_total", "code"),
        ),
        single("vitrine_calls_in_flight", "gauge", "Calls being answered.", inFlight),
        single(
          "vitrine_calls_cached_total",
          "counter",
          "Calls answered without a request upstream.",
          cached,
        ),
        single("vitrine_upstream_requests_total", "counter", "Requests sent upstream.", requests),
        single(
          "vitrine_upstream_bytes_total",
          "counter",
          "Body bytes received from upstream.",
          bytes,
        ),
        family(
          latency,
          "histogram",
          "Time to a call's outcome, by tool.",
          [...latencies].flatMap(([tool, histogram]) => histogram.lines(latency, `tool="${tool}"`)),
        ),
        family(
          "vitrine_http_answers_total",
          "counter",
          "HTTP requests by status, 0 where the client went away before.",
          answers.lines("vitrine_http_answers_total", "status"),
        ),
        single(
          "process_cpu_seconds_total",
          "counter",
          "Processor time.",
          (cpu.user + cpu.system) / 1e6,
        ),
        single(
          "process_resident_memory_bytes",
          "gauge",
          "Memory in use.",
          process.memoryUsage.rss(),
        ),
        single("process_uptime_seconds", "gauge", "Time since the start.", process.uptime()),
      ].join("");
    },
  };
}
