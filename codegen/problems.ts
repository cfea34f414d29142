/** What is wrong with a manifest or a document: collected, told all at once, each with its place. */

/** One problem, or one warning. */
export interface Problem {
  /** As the user named it: a path or a URL. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** The manifest or a document cannot be used. Holds every problem of the run. */
export class CodegenError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const sorted = sortProblems(problems);
    super(sorted.map(formatProblem).join("\n"));
    this.name = "CodegenError";
    this.problems = sorted;
  }
}

/** Texts of a document may hold anything; one problem is one line. */
function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}

/** `file:line:column  message` and, below it, the hint. */
export function formatProblem({ file, line, column, message, hint }: Problem): string {
  const first = `${file}:${line}:${column}  ${inOneLine(message)}`;
  return hint === undefined ? first : `${first}\n  hint: ${inOneLine(hint)}`;
}

/** By file and place; the same problem told twice is told once. */
function sortProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].sort(
    (a, b) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
      a.line - b.line ||
      a.column - b.column ||
      (a.message < b.message ? -1 : a.message > b.message ? 1 : 0),
  );
}
