/** A server as one file: the program and, entered again as a thread, its own table reader. */
import { isMainThread } from "node:worker_threads";
import type { ServerDescriptor } from "./contract.ts";

/** @param make the generated part; it asks for zod by name */
export async function start(
  make: (require: (name: string) => unknown) => ServerDescriptor,
): Promise<void> {
  if (!isMainThread) {
    await import("./tables/worker.ts");
    return;
  }
  const [{ main }, zod] = await Promise.all([import("./main.ts"), import("zod")]);
  main({ descriptor: make(() => zod), tableProgram: new URL(import.meta.url) });
}
