/** `vitrine check`: are the generated files current, and does a newer document still offer what the tools use? */
import { relative } from "node:path";
import { nearest } from "../src/nearest.ts";
import { compareDocuments, unlistedReads } from "./drift/compare.ts";
import { type CheckReport, formatReport, type ReportFormat } from "./drift/report.ts";
import { usesOf } from "./drift/uses.ts";
import { emitProject, type Project, type ProjectServer, planProject } from "./generate.ts";
import { loadDocument } from "./load.ts";
import { CodegenError } from "./problems.ts";
import { compareFiles } from "./write.ts";

export interface CheckOptions {
  /** Manifest file. */
  readonly manifest: string;
  /** Section of the manifest; all of them by default. */
  readonly server?: string;
  /** File or URL of a newer document; without it the generated files are checked. */
  readonly against?: string;
  readonly format: ReportFormat;
}

export interface CheckResult {
  /** 0 nothing breaking, 1 stale or breaking, 2 could not compare. */
  readonly exitCode: 0 | 1 | 2;
  /** For stdout; "" or ending in a line break. */
  readonly output: string;
  /** For stderr: why nothing could be compared; "" or ending in a line break. */
  readonly error: string;
}

/** What was asked for cannot be compared. */
class NotComparable extends Error {}

function chosenServers(project: Project, name: string | undefined): readonly ProjectServer[] {
  if (name === undefined) {
    return project.servers;
  }
  const chosen = project.servers.filter((server) => server.name === name);
  if (chosen.length === 0) {
    const names = project.servers.map((server) => server.name);
    const near = nearest(name, names);
    const hint = near === undefined ? `it has ${names.join(", ")}` : `did you mean "${near}"?`;
    throw new NotComparable(`${project.manifest.file} has no server "${name}": ${hint}`);
  }
  return chosen;
}

/** How a document is called in messages: what a URL carries beyond its path may be secret. */
function labelOf(source: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    return source;
  }
  if (!URL.canParse(source)) {
    throw new NotComparable("--against is neither a file nor an http or https URL");
  }
  const { protocol, host, pathname } = new URL(source);
  const label = `${protocol}//${host}${pathname}`;
  if (!["http:", "https:", "file:"].includes(protocol)) {
    throw new NotComparable(
      `${label} cannot be read: --against takes a file or an http or https URL`,
    );
  }
  return label;
}

function reportOn(project: Project): Omit<CheckReport, "compared" | "good"> {
  const folder = relative(process.cwd(), project.root).replaceAll("\\", "/");
  const lines = project.servers.flatMap(({ name, plan }) =>
    plan.tools.map(({ descriptor }): [string, number] => [
      descriptor.name,
      project.manifest.locate(["servers", name, "tools", descriptor.name]).line,
    ]),
  );
  return {
    stale: [],
    findings: [],
    manifest: project.manifest.file,
    folder: folder === "" ? "" : `${folder}/`,
    lines: new Map(lines),
  };
}

async function checkFiles(project: Project, server: string | undefined): Promise<CheckReport> {
  const files = await emitProject(project);
  const stale = await compareFiles(project.root, files);
  return {
    ...reportOn(project),
    stale: stale.filter(({ file }) => server === undefined || file.split("/")[1] === server),
    compared: `${project.manifest.file}, ${files.size} generated files`,
    good: "current",
  };
}

async function checkDrift(
  project: Project,
  servers: readonly ProjectServer[],
  against: string,
): Promise<CheckReport> {
  const [server, ...others] = servers;
  if (server === undefined || others.length > 0) {
    const names = servers.map(({ name }) => name).join(", ");
    throw new NotComparable(`--against needs --server: ${project.manifest.file} has ${names}`);
  }
  const { external_references: externals = [] } = project.manifest.servers[server.name] ?? {};
  const next = await loadDocument(against, { label: labelOf(against), externals });
  const uses = usesOf(server.plan);
  const unlisted = unlistedReads(next.json, uses);
  return {
    ...reportOn(project),
    findings: compareDocuments(server.document.json, next.json, uses),
    compared: `${server.document.source} against ${next.source}, ${server.plan.tools.length} tools (${unlisted} public reads are in no tool)`,
    good: "no difference that matters",
  };
}

async function check(options: CheckOptions): Promise<CheckResult> {
  const { manifest, server, against, format } = options;
  const project = await planProject(manifest);
  const servers = chosenServers(project, server);
  const report =
    against === undefined
      ? await checkFiles(project, server)
      : await checkDrift(project, servers, against);
  const broken = report.findings.some(({ level }) => level === "breaking");
  return {
    exitCode: broken || report.stale.length > 0 ? 1 : 0,
    output: formatReport(report, format),
    error: "",
  };
}

/** Runs `vitrine check`; what cannot be compared is exit code 2, never an exception. */
export async function runCheck(options: CheckOptions): Promise<CheckResult> {
  try {
    return await check(options);
  } catch (error) {
    if (error instanceof CodegenError || error instanceof NotComparable) {
      return { exitCode: 2, output: "", error: `${error.message}\n` };
    }
    throw error;
  }
}
