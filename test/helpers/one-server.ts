/** One upstream against one fault server, made anew for every test. */
import { afterEach } from "vitest";
import type { CallContext, OperationBinding } from "../../src/contract.ts";
import type { Answer, UpstreamOptions } from "../../src/upstream/upstream.ts";
import { freshCall } from "./call-context.ts";
import { type FaultServer, type Routes, startFaultServer } from "./fault-server.ts";
import { operation, parameter, type UnderTest, upstreamAt } from "./upstream-under-test.ts";

export const cells = operation("/cells", [parameter("limit", "query")]);
export const ANSWER = { items: [1, 2, 3] };

export let server: FaultServer;
export let under: UnderTest;
/** The call that `send` makes. */
export let call: CallContext;

/** Starts both; they end with the test. */
export async function start(routes: Routes, options: Partial<UpstreamOptions> = {}): Promise<void> {
  server = await startFaultServer(routes);
  under = upstreamAt(server.url, options);
  call = freshCall();
}

/** From now on `send` makes a call that this controller cancels. */
export function cancelWith(controller: AbortController): void {
  call = freshCall(controller);
}

/** Sends an operation, `GET /cells` by default. */
export function send(
  target: OperationBinding = cells,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  return under.upstream.send(target, args, call);
}

afterEach(async () => {
  await under.upstream.close();
  await server.close();
});
