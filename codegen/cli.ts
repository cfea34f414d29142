/** The program `vitrine`: the only file of `codegen/` that prints. */
import { buildServer } from "./build.ts";
import { runCheck } from "./check.ts";
import { HELP, type Request, readRequest, UsageError } from "./command-line.ts";
import { type Project, type ProjectServer, planProject, VERSION } from "./generate.ts";
import { type Enable, initPackage } from "./init/init.ts";
import { inspectProject } from "./inspect.ts";
import { CodegenError, formatProblem } from "./problems.ts";
import { serveServer } from "./serve.ts";
import { updateProject } from "./update.ts";

function chosen(project: Project, name: string | undefined): readonly ProjectServer[] {
  const names = project.servers.map((server) => server.name);
  if (name !== undefined && !names.includes(name)) {
    throw new UsageError(`the manifest has no server "${name}": it has ${names.join(", ")}`);
  }
  return project.servers.filter((server) => name === undefined || server.name === name);
}

/** The server that is asked for, or the only one. */
async function oneServer(manifest: string, name: string | undefined): Promise<ProjectServer> {
  const [server, ...others] = chosen(await planProject(manifest), name);
  if (server === undefined || others.length > 0) {
    const names = [server, ...others].flatMap((one) => one?.name ?? []).join(", ");
    throw new UsageError(`the manifest has several servers, name one with --server: ${names}`);
  }
  return server;
}

async function build(manifest: string, name: string | undefined, out?: string): Promise<void> {
  const { plan } = await oneServer(manifest, name);
  const file = out ?? `${plan.descriptor.program}.mjs`;
  const bytes = await buildServer(plan, file);
  console.log(`${file}: ${plan.tools.length} tools, ${bytes} bytes; node ${file} starts it`);
}

async function generate(manifest: string): Promise<void> {
  const { project, lines } = await updateProject(manifest);
  console.log(lines.join("\n"));
  for (const warning of project.warnings) {
    console.error(`warning: ${formatProblem(warning)}`);
  }
}

async function run({ command, options, serverArgs, positional = "" }: Request): Promise<number> {
  const { manifest = "tools.manifest.yaml", server, against, format, out } = options;
  switch (command) {
    case "help":
      process.stdout.write(HELP);
      return 0;
    case "version":
      console.log(VERSION);
      return 0;
    case "generate":
      await generate(manifest);
      return 0;
    case "init": {
      const { enable = "reads", name, "base-url": baseUrl } = options;
      const given = {
        enable: enable as Enable,
        ...(out === undefined ? {} : { out }),
        ...(name === undefined ? {} : { name }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      };
      console.log((await initPackage(positional, given)).join("\n"));
      return 0;
    }
    case "inspect": {
      const project = await planProject(manifest);
      const kind = format === "json" ? "json" : "text";
      process.stdout.write(inspectProject(project, chosen(project, server), kind));
      return 0;
    }
    case "serve":
      await serveServer((await oneServer(manifest, server)).plan, serverArgs);
      return 0;
    case "build":
      await build(manifest, server, out);
      return 0;
    default: {
      const { exitCode, output, error } = await runCheck({
        manifest,
        format: format === "json" || format === "github" ? format : "text",
        ...(server === undefined ? {} : { server }),
        ...(against === undefined ? {} : { against }),
      });
      process.stdout.write(output);
      process.stderr.write(error);
      return exitCode;
    }
  }
}

/** Runs a command line and gives its exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(readRequest(args));
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`vitrine: ${error.message}`);
      return 2;
    }
    if (error instanceof CodegenError) {
      const { problems } = error;
      console.error(problems.map(formatProblem).join("\n"));
      console.error(`${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
      return 1;
    }
    throw error;
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
