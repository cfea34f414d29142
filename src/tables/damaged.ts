/** Errors of files that cannot be read. */
import { ToolError } from "../errors.ts";

const OTHER_FILE =
  "Try again later; if it stays so, the file was stored damaged and has to be uploaded again";

/** The file breaks its format's rules. `what` completes "the table file is damaged: …". */
export function damaged(what: string, cause?: unknown): ToolError {
  return new ToolError("UNREADABLE_ANSWER", `The table file is damaged: ${what}`, {
    hint: OTHER_FILE,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The file obeys its format, but uses a part of it that is not read here. */
export function unsupported(what: string): ToolError {
  return new ToolError("UNREADABLE_ANSWER", `The table file uses ${what}, which is not supported`, {
    hint: "Read other columns, or ask for the file to be written again with common settings",
  });
}

/** More memory or bytes than a call may use. */
export function tooLarge(what: string, hint: string): ToolError {
  return new ToolError("TOO_LARGE", what, { hint });
}

/** Runs a library's parser over bytes from outside: whatever it throws means that they are damaged. */
export function parsing<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof ToolError ? error : damaged(what, error);
  }
}
