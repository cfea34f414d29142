/** Signed links to the object store: a token that names the object, ends at a time, and cannot be forged. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const HEADER = Buffer.from(JSON.stringify({ alg: "HS256", typ: "JWT" })).toString("base64url");

export class Links {
  readonly #secret = randomBytes(32);

  #signature(text: string): Buffer {
    return createHmac("sha256", this.#secret).update(text).digest();
  }

  /** A token for one object. @param lifetimeMs how long it is good for [ms] */
  sign(object: string, lifetimeMs: number): string {
    const now = Date.now();
    const claims = { url: object, iat: Math.floor(now / 1000), exp: (now + lifetimeMs) / 1000 };
    const text = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
    return `${text}.${this.#signature(text).toString("base64url")}`;
  }

  /** Why a token does not open an object, or undefined where it does. */
  refusal(token: string, object: string): { error: string; message: string } | undefined {
    const [header, claims, signature, ...rest] = token.split(".");
    if (
      header === undefined ||
      claims === undefined ||
      signature === undefined ||
      rest.length > 0
    ) {
      return { error: "InvalidJWT", message: "Invalid Compact JWS" };
    }
    const given = Buffer.from(signature, "base64url");
    const right = this.#signature(`${header}.${claims}`);
    if (given.length !== right.length || !timingSafeEqual(given, right)) {
      return { error: "InvalidJWT", message: "signature verification failed" };
    }
    const { url, exp } = JSON.parse(Buffer.from(claims, "base64url").toString());
    if (url !== object) {
      return { error: "InvalidSignature", message: "The url signature is invalid" };
    }
    return exp * 1000 < Date.now()
      ? { error: "InvalidJWT", message: '"exp" claim timestamp check failed' }
      : undefined;
  }
}
