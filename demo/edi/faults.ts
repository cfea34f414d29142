/** Misbehaviour to order: what the emulated services do wrong, where, and how often. */
import type { DemoRequest } from "./answer.ts";

export type OriginName = "pasta" | "storage" | "auth" | "cite" | "cn" | "mn" | "mnEdi";

export type Failure =
  /** A plain error of the service: 401 is the expired token, 429 and 503 may tell how long to wait [s]. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfterS?: number }
  /** The gateway's HTML page: as 403, or as the body of an answer that otherwise looks right (200, length of the true file). */
  | { readonly kind: "gateway-page"; readonly status: 200 | 403 }
  /** Half of the body, then the connection breaks. */
  | { readonly kind: "cut-body" }
  /** Half of the body in an answer that is complete as far as HTTP knows. */
  | { readonly kind: "cut-document" }
  /** The body comes in ten pieces, a file on disk in pieces of 64 KiB, `delayMs` [ms] before each. */
  | { readonly kind: "slow"; readonly delayMs: number }
  /** Blanks after the body, until it has `sizeBytes`. */
  | { readonly kind: "oversize"; readonly sizeBytes: number }
  /** The connection closes without an answer. */
  | { readonly kind: "drop" };

export type Fault = Failure & {
  readonly origin: OriginName;
  /** Start of the path, still percent-encoded; absent for every path. */
  readonly path?: string;
  /** How many requests it meets before it is over; absent for all. */
  readonly times?: number;
};

/** The faults in force. The first one that fits a request is taken. */
export class FaultPlan {
  #active: { readonly fault: Fault; left: number }[] = [];

  constructor(faults: readonly Fault[]) {
    for (const fault of faults) {
      this.add(fault);
    }
  }

  add(fault: Fault): void {
    this.#active.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#active = [];
  }

  /** The fault that this request meets, counted as met. */
  take(origin: OriginName, request: DemoRequest): Fault | undefined {
    const met = this.#active.find(
      ({ fault, left }) =>
        left > 0 && fault.origin === origin && request.path.startsWith(fault.path ?? ""),
    );
    if (met !== undefined) {
      met.left -= 1;
    }
    return met?.fault;
  }
}
