/** Trace context of W3C: where a call belongs in somebody's trace, handed on to the upstream as it came. */

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/**
 * Headers that carry a trace on; undefined where there is none, or what came is none.
 * @param value gives what came under a name
 */
export function traceHeaders(
  value: (name: "traceparent" | "tracestate") => unknown,
): Readonly<Record<string, string>> | undefined {
  const [parent, state] = [value("traceparent"), value("tracestate")];
  if (typeof parent !== "string" || !TRACEPARENT.test(parent)) {
    return undefined;
  }
  return typeof state === "string" && TRACESTATE.test(state)
    ? { traceparent: parent, tracestate: state }
    : { traceparent: parent };
}
