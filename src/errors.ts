/** Failures that a model sees: one class, a closed set of codes, a hint that names the next step. */
import type { ErrorCode } from "./contract.ts";

export class ToolError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  /**
   * @param message what was asked and what happened; one sentence, no full stop
   * @param options.hint the next call to make or the setting to change
   */
  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ToolError";
    this.code = code;
    this.hint = options.hint;
  }
}
