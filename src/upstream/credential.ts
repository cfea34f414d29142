/** As whom an upstream is asked. */
import type { CredentialScheme } from "../contract.ts";
import type { Secret } from "../secret.ts";

export interface Credential {
  readonly scheme: CredentialScheme;
  readonly secret: Secret;
  /** Header of the call that brought it; absent: it is the operator's own, from the scheme's variable. */
  readonly header?: string;
}

/** What a call adds of its own to the requests that are sent for it. */
export interface Caller {
  /** Takes the place of the operator's. */
  readonly credential?: Credential;
  /** Sent to the API's origin alone, not part of the identity; names in lower case, e.g. `traceparent`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where whoever it belongs to finds it: a header's name or a variable's. */
export function sourceOf({ scheme, header }: Credential): string {
  return header ?? scheme.variable;
}
