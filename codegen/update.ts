/** `vitrine generate`: brings the generated files of a project up to date and tells what changed and what the lists cost. */
import { emitProject, type Project, planProject } from "./generate.ts";
import { listSize } from "./size.ts";
import { writeFiles } from "./write.ts";

const WORDS = { changed: "changed", missing: "new", extra: "removed" };

/** A project that was brought up to date. */
export interface Update {
  readonly project: Project;
  /** What changed, and the size of each tool list. */
  readonly lines: readonly string[];
}

/**
 * Writes what a manifest gives.
 * @throws CodegenError with every problem; nothing is written then
 */
export async function updateProject(manifest: string): Promise<Update> {
  const project = await planProject(manifest);
  const files = await emitProject(project);
  const stale = await writeFiles(project.root, files);
  const changes = stale.map(({ file, state }) => `${WORDS[state].padEnd(7)}  ${file}`);
  const sizes = project.servers.map(({ name, plan }) => {
    const { bytes, tokens } = listSize(plan.tools.map(({ descriptor }) => descriptor));
    return `${name}: ${plan.tools.length} tools, ${bytes} of ${plan.budget} bytes, about ${tokens} tokens (bytes / 4)`;
  });
  const nothing = `nothing changed: ${files.size} files are current`;
  return { project, lines: [...(changes.length === 0 ? [nothing] : changes), ...sizes] };
}
