/** The vendored Ionworks document to edit, and the plan of its server. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { planProject } from "../../codegen/generate.ts";
import type { ServerPlan } from "../../codegen/plan.ts";

/** A document as tests edit it. */
// biome-ignore lint/suspicious/noExplicitAny: an edit names the place that it changes; a wrong name fails the test
export type LooseDocument = any;

const DOCUMENT = parse(
  readFileSync(new URL("../../openapi/ionworks.yaml", import.meta.url), "utf8"),
);

/** A fresh copy. */
export function ionworksDocument(): LooseDocument {
  return structuredClone(DOCUMENT);
}

/** The plan of the project's own manifest. */
export async function ionworksPlan(): Promise<ServerPlan> {
  const manifest = fileURLToPath(new URL("../../tools.manifest.yaml", import.meta.url));
  const server = (await planProject(manifest)).servers.find(({ name }) => name === "ionworks");
  if (server === undefined) {
    throw new Error("the manifest has no section ionworks");
  }
  return server.plan;
}
