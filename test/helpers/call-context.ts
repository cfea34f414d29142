/** What a call hands down the spine, for tests that stand below it. */
import type { CallContext } from "../../src/contract.ts";

/** A fresh call: nothing spent yet, cancelled by `controller` if one is given. */
export function freshCall(controller = new AbortController()): CallContext {
  return { signal: controller.signal, cost: { requests: 0, bytes: 0 } };
}
