/** Findings as text, JSON and GitHub annotations. */
import type { Finding, Level } from "./finding.ts";

/** A generated file that is not what `generate` would write. */
export interface StaleFile {
  /** Path from the manifest's folder, `/` between its parts. */
  readonly file: string;
  readonly state: "changed" | "missing" | "extra";
}

export interface CheckReport {
  readonly stale: readonly StaleFile[];
  readonly findings: readonly Finding[];
  /** One sentence about what was compared, e.g. `openapi/a.yaml against b.yaml`. */
  readonly compared: string;
  /** What is said of it where nothing was found, e.g. `no difference that matters`. */
  readonly good: string;
  /** Manifest as it was named, for annotations. */
  readonly manifest: string;
  /** Folder of the manifest as a path from the working directory, "" or ending in "/". */
  readonly folder: string;
  /** Line of each tool's entry in the manifest, 1-based. */
  readonly lines: ReadonlyMap<string, number>;
}

export type ReportFormat = "text" | "json" | "github";

/** Notes that text and annotations show one by one; JSON has them all. */
const MAX_NOTES = 20;

/** One difference and the tools that it concerns. */
interface Group extends Pick<Finding, "level" | "pointer" | "message"> {
  readonly tools: readonly string[];
  readonly operations: readonly string[];
}

/** A shared schema that changed is one difference, however many tools read it. */
function grouped(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.level, finding.pointer, finding.message]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map((same) => ({
    level: same[0]?.level ?? "note",
    pointer: same[0]?.pointer ?? null,
    message: same[0]?.message ?? "",
    tools: distinct(same.map(({ tool }) => tool)),
    operations: distinct(same.map(({ operation }) => operation)),
  }));
}

function distinct(names: readonly (string | null)[]): string[] {
  return [...new Set(names)].filter((name) => name !== null);
}

function shown(findings: readonly Finding[]): { groups: Group[]; hidden: number } {
  const groups = grouped(findings);
  const notes = groups.filter(({ level }) => level === "note");
  const kept = new Set(notes.slice(0, MAX_NOTES));
  return {
    groups: groups.filter((group) => group.level !== "note" || kept.has(group)),
    hidden: notes.length - kept.size,
  };
}

const STALE_WORDS: Record<StaleFile["state"], string> = {
  changed: "is not what the manifest and the document give",
  missing: "is missing",
  extra: "is not generated from the manifest any more",
};

const INDENT = " ".repeat(10);

function asText(report: CheckReport): string {
  const lines: string[] = [];
  for (const { file, state } of report.stale) {
    lines.push(`stale     ${report.folder}${file} ${STALE_WORDS[state]}`);
  }
  if (report.stale.length > 0) {
    lines.push("hint: run vitrine generate and commit what it writes");
  }
  const { groups, hidden } = shown(report.findings);
  for (const { level, tools, operations, pointer, message } of groups) {
    const called = operations.length === 0 ? "" : ` (${operations.join(", ")})`;
    lines.push(`${level.padEnd(9)} ${tools.length === 0 ? "-" : tools.join(", ")}${called}`);
    lines.push(`${INDENT}${message.replaceAll("\n", `\n${INDENT}`)}`);
    if (pointer !== null) {
      lines.push(`${INDENT}at #${pointer}`);
    }
  }
  if (hidden > 0) {
    lines.push(`note      ${hidden} more notes; --format json lists them`);
  }
  const many = (level: Level) => groups.filter((group) => group.level === level).length;
  const notes = many("note") + hidden;
  lines.push(
    report.findings.length === 0
      ? `${report.compared}: ${report.stale.length === 0 ? report.good : `${report.stale.length} stale`}`
      : `${report.compared}: ${many("breaking")} breaking, ${many("additive")} additive, ${notes} ${notes === 1 ? "note" : "notes"}`,
  );
  return `${lines.join("\n")}\n`;
}

function asJson(report: CheckReport): string {
  const findings = report.findings.map(({ level, tool, operation, pointer, message }) => ({
    level,
    tool,
    operation,
    pointer,
    message,
  }));
  return `${JSON.stringify({ stale: report.stale, findings }, null, 2)}\n`;
}

const COMMANDS: Record<Level, string> = { breaking: "error", additive: "warning", note: "notice" };

/** Text of a workflow command: what ends a line is escaped. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Value of a workflow command's property: what ends a property as well. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function annotation(
  command: string,
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const told = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
    .join(",");
  return `::${command} ${told}::${escapeData(message)}`;
}

function asGithub(report: CheckReport): string {
  const lines = report.stale.map(({ file, state }) =>
    annotation(
      "error",
      { file: `${report.folder}${file}`, title: "generated file is stale" },
      `${file} ${STALE_WORDS[state]}; run vitrine generate and commit what it writes`,
    ),
  );
  const { groups, hidden } = shown(report.findings);
  for (const { level, tools, operations, pointer, message } of groups) {
    const line = report.lines.get(tools[0] ?? "");
    const title = [level, tools.join(", ")].filter((part) => part !== "").join(": ");
    const called = operations.length === 0 ? "" : ` (operation ${operations.join(", ")})`;
    const place = pointer === null ? called : `${called} at #${pointer}`;
    lines.push(
      annotation(COMMANDS[level], { file: report.manifest, line, title }, `${message}${place}`),
    );
  }
  if (hidden > 0) {
    const told = `${hidden} more notes; --format json lists them`;
    lines.push(annotation("notice", { file: report.manifest, title: "notes" }, told));
  }
  return lines.map((line) => `${line}\n`).join("");
}

const FORMATS: Record<ReportFormat, (report: CheckReport) => string> = {
  text: asText,
  json: asJson,
  github: asGithub,
};

/** The report in one of the three formats; "" or ending in a line break. */
export function formatReport(report: CheckReport, format: ReportFormat): string {
  return FORMATS[format](report);
}
