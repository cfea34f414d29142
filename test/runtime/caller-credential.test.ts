import { describe, expect, test } from "vitest";
import { callerCredential, requestHeaders } from "../../src/caller-credential.ts";
import type { CredentialScheme } from "../../src/contract.ts";

const TOKEN: CredentialScheme = {
  name: "token",
  variable: "LAB_TOKEN",
  in: "header",
  parameter: "Authorization",
  prefix: "Bearer ",
  requestHeaders: ["Authorization"],
};
const KEY: CredentialScheme = {
  name: "key",
  variable: "LAB_KEY",
  in: "header",
  parameter: "X-Key",
  requestHeaders: ["X-Lab-Key", "X-Old-Key"],
};
const CLOSED: CredentialScheme = { ...KEY, name: "closed" };
delete (CLOSED as { requestHeaders?: unknown }).requestHeaders;

const from = (schemes: readonly CredentialScheme[], headers: Record<string, string>) => {
  const found = callerCredential(schemes, (name) => headers[name]);
  return found && [found.scheme.name, found.header, found.secret.reveal()];
};

describe("requestHeaders", () => {
  test("are those of all schemes in order, Authorization last", () => {
    expect(requestHeaders([TOKEN, KEY, CLOSED])).toEqual([
      "X-Lab-Key",
      "X-Old-Key",
      "Authorization",
    ]);
  });
});

describe("callerCredential", () => {
  test.each([
    [{ "x-lab-key": "k1" }, ["key", "X-Lab-Key", "k1"]],
    [{ "x-lab-key": "  k1 " }, ["key", "X-Lab-Key", "k1"]],
    [{ "x-old-key": "k0" }, ["key", "X-Old-Key", "k0"]],
    [{ "x-old-key": "k0", "x-lab-key": "k1" }, ["key", "X-Lab-Key", "k1"]],
    [{ authorization: "Bearer t1" }, ["token", "Authorization", "t1"]],
    [{ authorization: "bearer t1" }, ["token", "Authorization", "t1"]],
    // The header of a gateway's own sign-in.
    [{ authorization: "Bearer gateway", "x-lab-key": "k1" }, ["key", "X-Lab-Key", "k1"]],
  ])("finds in %j %j", (headers, wanted) => {
    expect(from([TOKEN, KEY], headers)).toEqual(wanted);
  });

  test.each([
    [{}],
    [{ "x-lab-key": "" }],
    [{ "x-lab-key": "   " }],
    [{ authorization: "Basic dTpw" }],
    [{ authorization: "Bearer " }],
    [{ authorization: "Bearer two words" }],
    [{ "x-key": "k1" }],
  ])("finds nothing in %j", (headers) => {
    expect(from([TOKEN, KEY], headers)).toBeUndefined();
  });

  test("takes no header that the manifest does not name", () => {
    expect(from([CLOSED], { authorization: "Bearer t", "x-lab-key": "k" })).toBeUndefined();
  });
});
