/** The servers that ship: the one place, beside `src/tools/`, where shared code names an upstream. */
import { server as ionworksServer } from "../generated/ionworks/server.ts";
import type { ServerDescriptor } from "./contract.ts";

export interface ServerEntry {
  readonly descriptor: ServerDescriptor;
  /**
   * Program beside this one that serves synthetic data: prints one JSON line `{"url", "key"}` when it listens, ends at the
   * end of its input. Absent: the server has no `--demo`.
   */
  readonly demoProgram?: string;
  /** The table reader's program, where it is not the file of that name beside this one. */
  readonly tableProgram?: URL;
}

export const ionworks: ServerEntry = { descriptor: ionworksServer, demoProgram: "demo.mjs" };
