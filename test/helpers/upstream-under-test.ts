/** Upstreams and operations for tests: quick limits, no real waiting between tries. */
import type { OperationBinding, ParameterBinding } from "../../src/contract.ts";
import { Secret } from "../../src/secret.ts";
import {
  createUpstream,
  type Upstream,
  type UpstreamOptions,
} from "../../src/upstream/upstream.ts";

export const API_KEY = "key-that-must-not-leak";

export interface UnderTest {
  readonly upstream: Upstream;
  /** Every wait between tries [ms]; none of them took time. */
  readonly waits: number[];
}

/** An upstream with an API key, an organization and a draw of 0.5 for every backoff. */
export function upstreamAt(baseUrl: string, options: Partial<UpstreamOptions> = {}): UnderTest {
  const waits: number[] = [];
  const upstream = createUpstream({
    baseUrl,
    credential: {
      scheme: { name: "ApiKey", variable: "TEST_API_KEY", in: "header", parameter: "X-API-Key" },
      secret: new Secret(API_KEY),
    },
    headers: { "X-Organization-Id": "organization-7" },
    variable: () => undefined,
    userAgent: "vitrine-test/1",
    random: () => 0.5,
    sleep: (ms, done) => {
      waits.push(ms);
      setImmediate(done);
      return () => undefined;
    },
    ...options,
  });
  return { upstream, waits };
}

/** A parameter that the argument of the same name supplies. */
export function parameter(
  name: string,
  place: ParameterBinding["in"],
  more: Partial<ParameterBinding> = {},
): ParameterBinding {
  const style = place === "path" || place === "header" ? "simple" : "form";
  return {
    name,
    in: place,
    style,
    explode: style === "form",
    required: place === "path",
    argument: name,
    ...more,
  };
}

/** `GET path`, answered with JSON. */
export function operation(
  path: string,
  parameters: readonly ParameterBinding[] = [],
  more: Partial<OperationBinding> = {},
): OperationBinding {
  return {
    operationId: `get ${path}`,
    method: "GET",
    path,
    parameters,
    accept: ["application/json"],
    ...more,
  };
}
