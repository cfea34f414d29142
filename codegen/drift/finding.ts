/** What drift is told as. */

/** `breaking`: a tool stops working or cannot be generated. `additive`: something new. `note`: nothing a tool uses. */
export type Level = "breaking" | "additive" | "note";

/** One difference between two documents, judged for one tool. */
export interface Finding {
  readonly level: Level;
  /** null where the finding concerns no tool, e.g. an operation that is not in the manifest. */
  readonly tool: string | null;
  /** operationId as the committed document has it. */
  readonly operation: string | null;
  /** JSON pointer in the new document, or in the committed one for what is gone. */
  readonly pointer: string | null;
  /** What changed from what to what and, where breaking, what to edit. */
  readonly message: string;
}

/** A difference before it is known which tool it concerns. */
export interface Change {
  readonly level: Level;
  readonly pointer: string;
  readonly message: string;
}

const ORDER: Record<Level, number> = { breaking: 0, additive: 1, note: 2 };

function compareText(a: string | null, b: string | null): number {
  const [left, right] = [a ?? "\uffff", b ?? "\uffff"];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Worst first, then by tool, operation and place: the same findings in the same order whatever the documents' order. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) =>
      ORDER[a.level] - ORDER[b.level] ||
      compareText(a.tool, b.tool) ||
      compareText(a.operation, b.operation) ||
      compareText(a.pointer, b.pointer) ||
      compareText(a.message, b.message),
  );
}
