/** Credentials that callers bring along, one for each call. */
import type { CredentialScheme } from "./contract.ts";
import { Secret } from "./secret.ts";
import type { Credential } from "./upstream/credential.ts";

const BEARER = "authorization";

/** Names of the headers that may bring a credential; `Authorization` last, which gateways use for their own. */
export function requestHeaders(schemes: readonly CredentialScheme[]): string[] {
  const names = schemes.flatMap((scheme) => scheme.requestHeaders ?? []);
  const isBearer = (name: string) => name.toLowerCase() === BEARER;
  return [...names.filter((name) => !isBearer(name)), ...names.filter(isBearer)];
}

/**
 * The credential that came with a call, if one did.
 * @param header a header's value; names in lower case
 */
export function callerCredential(
  schemes: readonly CredentialScheme[],
  header: (name: string) => string | undefined,
): Credential | undefined {
  for (const name of requestHeaders(schemes)) {
    const lower = name.toLowerCase();
    const came = header(lower);
    const value = lower === BEARER ? /^Bearer +(\S+) *$/i.exec(came ?? "")?.[1] : came?.trim();
    const scheme = schemes.find(({ requestHeaders: names }) => names?.includes(name));
    if (value !== undefined && value !== "" && scheme !== undefined) {
      return { scheme, secret: new Secret(value), header: name };
    }
  }
  return undefined;
}
