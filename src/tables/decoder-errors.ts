/** Why a job of the decoder thread ended without an answer. */
import { ToolError } from "../errors.ts";

export function stopped(signal: AbortSignal): ToolError {
  return signal.reason instanceof ToolError
    ? signal.reason
    : new ToolError("CANCELLED", "The call was cancelled");
}

export function tooMuchMemory(): ToolError {
  return new ToolError("TOO_LARGE", "The table needs more memory than a call may use", {
    hint: "Ask for fewer columns with columns=[...], or fewer rows",
  });
}

export function undecodable(cause: unknown): ToolError {
  return new ToolError("UNREADABLE_ANSWER", "The table ended the decoder twice", {
    hint: "Read other columns or rows; if that fails too, the table was stored damaged",
    cause,
  });
}
