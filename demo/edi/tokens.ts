/** Keys, and the tokens that are given for them. */

/** Who the demo key belongs to. */
const PROFILE = {
  sub: "EDI-3f1b6c7e00000000000000000000000000000001",
  cn: "Demo Reader",
  email: "demo@example.org",
  principals: ["EDI-3f1b6c7e00000000000000000000000000000001", "vetted", "authenticated"],
  iss: "https://auth.edirepository.org",
};

/** The identity that PASTA gives to a caller without credentials. */
export const PUBLIC_USER = "EDI-078e6e3cee4f7f2812f150701da9351acb51e089 (Public Access)";

export const DEMO_USER = `${PROFILE.sub} (${PROFILE.cn})`;

/** The key of the demo: 27 URL-safe characters like a real one. */
export const DEMO_KEY = "vitrine-demo-key-0000000001";

export interface TokenOptions {
  /** Life of a token [s]. */
  readonly lifetimeS: number;
  /** The time now [ms since 1970]. */
  readonly now: () => number;
}

/** Issues tokens and remembers which are good. */
export class Tokens {
  readonly #options: TokenOptions;
  readonly #expiries = new Map<string, number>();
  #issued = 0;

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  /** A JWT in form; its signature is a running number, because nobody but this process checks it. */
  issue(): string {
    this.#issued += 1;
    const iat = Math.floor(this.#options.now() / 1000);
    const exp = iat + this.#options.lifetimeS;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { ...PROFILE, iat, nbf: iat, exp };
    const signature = Buffer.from(`demo ${this.#issued}`).toString("base64url");
    const token = `${part({ alg: "ES256", typ: "JWT" })}.${part(claims)}.${signature}`;
    this.#expiries.set(token, exp * 1000);
    return token;
  }

  /** Issued, not revoked and not expired. */
  isGood(token: string): boolean {
    return (this.#expiries.get(token) ?? 0) > this.#options.now();
  }

  /** From now on every token given so far is refused with 401. */
  revokeAll(): void {
    this.#expiries.clear();
  }
}
