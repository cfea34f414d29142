/** What a call is told that brings no credential where one is needed. */
import { ToolError } from "./errors.ts";

const alternatives = (others: readonly string[]): string =>
  others.length === 0 ? "" : ` (or ${others.join(" or ")})`;

/** @param variables names of which one must be set */
export function credentialMissing([first = "", ...others]: readonly string[]): ToolError {
  return new ToolError("CREDENTIAL_MISSING", `${first} is not set${alternatives(others)}`, {
    hint: `Set ${first} in the "env" of this server's entry in the host's configuration, then restart the server`,
  });
}

/** @param headers names of which one must come with a call; none: the server takes no credential of a caller's */
export function callerCredentialMissing([first, ...others]: readonly string[]): ToolError {
  return first === undefined
    ? new ToolError(
        "CREDENTIAL_MISSING",
        "This server knows no header that brings a caller's key",
        {
          hint: "Whoever runs it can lend its own key: --share-operator-key",
        },
      )
    : new ToolError(
        "CREDENTIAL_MISSING",
        `No ${first} header came with the call${alternatives(others)}`,
        {
          hint: `Add the header ${first} with your own key to this server's entry in the host's configuration`,
        },
      );
}
