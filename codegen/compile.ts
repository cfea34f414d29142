/** Emitted TypeScript as JavaScript that needs nothing but zod: what `serve` runs and `build` writes into its file. */
import type { ServerDescriptor } from "../src/contract.ts";
import { emitServer } from "./emit/server.ts";
import { emitTools } from "./emit/tools.ts";
import type { ServerPlan } from "./plan.ts";

/** What compiled text gives when it is run: a function of the modules that it may ask for. */
export type CompiledServer = (require: (name: string) => unknown) => ServerDescriptor;

/** Compiles `tools.ts` and `server.ts` of a plan, as `generate` writes them, into one expression: a `CompiledServer`. */
export async function compileServer(plan: ServerPlan): Promise<string> {
  const { ts } = await import("ts-morph");
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS };
  const scriptOf = (text: string) =>
    ts.transpileModule(text, { compilerOptions }).outputText.trimEnd();
  const tools = scriptOf(await emitTools(plan));
  const server = scriptOf(await emitServer(plan));
  return `((require) => {
const tools = {};
((exports, require) => {
${tools}
})(tools, require);
const server = {};
((exports, require) => {
${server}
})(server, (name) => (name === "./tools.ts" ? tools : require(name)));
return server.server;
})`;
}
