/** The program `vitrine`. */
import { parseArgs } from "node:util";
import { emitProject, planProject, VERSION } from "./generate.ts";
import { CodegenError, formatProblem } from "./problems.ts";
import { listSize } from "./size.ts";
import { writeFiles } from "./write.ts";
async function main() {
  const { values } = parseArgs({ allowPositionals: true, options: { manifest: { type: "string", default: "tools.manifest.yaml" } } });
  try {
    const project = await planProject(values.manifest);
    const stale = await writeFiles(project.root, await emitProject(project));
    for (const s of stale) console.log(s.state, s.file);
    for (const s of project.servers) console.log(s.name, listSize(s.plan.tools.map((t) => t.descriptor)), VERSION);
    for (const w of project.warnings) console.log(formatProblem(w));
  } catch (error) {
    if (!(error instanceof CodegenError)) throw error;
    console.error(error.problems.map(formatProblem).join("\n"));
    process.exitCode = 1;
  }
}
void main();
