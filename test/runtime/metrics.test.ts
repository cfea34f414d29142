import { describe, expect, test } from "vitest";
import type { CallOutcome } from "../../src/call.ts";
import { createMetrics } from "../../src/metrics.ts";
import type { ToolRegistry } from "../../src/registry.ts";

const outcome = (requests: number, bytes: number, code?: string): CallOutcome => ({
  content: [
    { type: "text", text: code ? JSON.stringify({ error: { code, message: "m" } }) : "{}" },
  ],
  ...(code ? { isError: true } : {}),
  _meta: { "vitrine/cost": { requests, bytes, cached: requests === 0, ms: 1 } },
});

const registry = (call: ToolRegistry["call"]): ToolRegistry => ({
  name: "lab",
  title: "Lab",
  version: "1",
  instructions: "",
  tools: [],
  has: () => true,
  call,
});

const options = { signal: new AbortController().signal };

/** Value of a sample in Prometheus' text. */
function sampleOf(text: string, sample: string): number {
  const line = text.split("\n").find((entry) => entry.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? Number.NaN);
}

describe("createMetrics", () => {
  test("counts 3 calls of 2 tools, 1 error by code, and what they cost upstream", async () => {
    const metrics = createMetrics();
    const outcomes = [outcome(2, 700), outcome(0, 0), outcome(1, 30, "NOT_FOUND")];
    const metered = metrics.meter(registry(async () => outcomes.shift() as CallOutcome));
    await metered.call("get_cell", {}, options);
    await metered.call("get_cell", {}, options);
    await metered.call("list_cells", {}, options);
    const text = metrics.text();
    expect(sampleOf(text, 'vitrine_calls_total{tool="get_cell"}')).toBe(2);
    expect(sampleOf(text, 'vitrine_calls_total{tool="list_cells"}')).toBe(1);
    expect(sampleOf(text, 'vitrine_call_errors_total{code="NOT_FOUND"}')).toBe(1);
    expect(sampleOf(text, "vitrine_upstream_requests_total")).toBe(3);
    expect(sampleOf(text, "vitrine_upstream_bytes_total")).toBe(730);
    expect(sampleOf(text, "vitrine_calls_cached_total")).toBe(1);
    expect(sampleOf(text, 'vitrine_call_duration_seconds_count{tool="get_cell"}')).toBe(2);
    expect(sampleOf(text, 'vitrine_call_duration_seconds_bucket{tool="get_cell",le="+Inf"}')).toBe(
      2,
    );
  });

  test("shows 2 calls in flight while they are, and 0 after", async () => {
    const metrics = createMetrics();
    const ends: ((done: CallOutcome) => void)[] = [];
    const metered = metrics.meter(registry(() => new Promise((resolve) => ends.push(resolve))));
    const calls = [metered.call("a", {}, options), metered.call("a", {}, options)];
    expect(sampleOf(metrics.text(), "vitrine_calls_in_flight")).toBe(2);
    for (const end of ends) {
      end(outcome(0, 0));
    }
    await Promise.all(calls);
    expect(sampleOf(metrics.text(), "vitrine_calls_in_flight")).toBe(0);
  });

  test("counts a call in each bucket that its time fits", async () => {
    const metrics = createMetrics();
    await metrics.meter(registry(async () => outcome(0, 0))).call("a", {}, options);
    const text = metrics.text();
    expect(sampleOf(text, 'vitrine_call_duration_seconds_bucket{tool="a",le="60"}')).toBe(1);
    const buckets = text.split("\n").filter((line) => line.includes('_bucket{tool="a"'));
    const counts = buckets.map((line) => Number(line.split(" ")[1]));
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(buckets).toHaveLength(13);
  });

  test("keeps what callers sent out of the text", async () => {
    const metrics = createMetrics();
    const metered = metrics.meter(registry(async () => outcome(1, 1, "INVALID_ARGUMENT")));
    await metered.call("get_cell", { cell_id: "cell-of-mine" }, options);
    expect(metrics.text()).not.toContain("cell-of-mine");
  });

  test("is text that Prometheus reads: every sample under its HELP and TYPE", () => {
    const metrics = createMetrics();
    metrics.countAnswer(200);
    const lines = metrics.text().trimEnd().split("\n");
    let family = "";
    for (const line of lines) {
      const [, kind, name] = /^# (HELP|TYPE) ([a-z_]+) \S/.exec(line) ?? [];
      if (kind !== undefined) {
        family = name ?? "";
      } else {
        expect(line).toMatch(
          new RegExp(`^${family}(_bucket|_sum|_count)?(\\{[a-z]+="[^"]*".*\\})? [0-9.e+-]+$`),
        );
      }
    }
    expect(sampleOf(metrics.text(), 'vitrine_http_answers_total{status="200"}')).toBe(1);
  });
});
