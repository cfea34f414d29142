/** `vitrine serve`: runs a server of a manifest as this process, exactly as its generated files would. */
import { runInThisContext } from "node:vm";
import * as zod from "zod";
import { type CompiledServer, compileServer } from "./compile.ts";
import type { ServerPlan } from "./plan.ts";

/** @param args the server's own arguments, e.g. `["--http", "8080"]` */
export async function serveServer(plan: ServerPlan, args: readonly string[]): Promise<void> {
  const text = await compileServer(plan);
  const make = runInThisContext(text, { filename: `${plan.descriptor.name}.js` }) as CompiledServer;
  const { main } = await import("../src/main.ts");
  main({ descriptor: make(() => zod) }, args);
}
