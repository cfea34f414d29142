/** What the API answers when it refuses. */
import type { Wire, WireRecord } from "./wire.ts";

/** One finding of the parameter check, as FastAPI words it. */
export interface Issue {
  readonly type: string;
  readonly loc: readonly string[];
  readonly msg: string;
  readonly input: Wire;
  readonly ctx?: WireRecord;
}

/** A refusal: status and JSON body. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Wire;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: Wire, headers: Record<string, string> = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  static #standard(status: number, error_code: string, message: string, detail: Wire = null) {
    return new ApiError(status, { error_code, message, detail });
  }

  static badRequest = (message: string) => ApiError.#standard(400, "BAD_REQUEST", message);
  static unauthorized = (message: string) => ApiError.#standard(401, "UNAUTHORIZED", message);
  static notFound = (what: string) => ApiError.#standard(404, "NOT_FOUND", `${what} not found`);
  static conflict = (message: string, detail: Wire) =>
    ApiError.#standard(409, "CONFLICT", message, detail);

  /** FastAPI's list of findings. */
  static invalid = (issues: readonly Issue[]) =>
    new ApiError(422, { detail: issues as unknown as Wire });
}
