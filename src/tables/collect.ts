/**
 * Gives memory back in time.
 *
 * Pages are buffers outside the JavaScript heap, and the engine lets some 64 MB of dead ones pile up before it looks. Asking
 * for a collection after a few windows, when the answer is already on its way, holds the process 50 MB lower.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Buffers that were made since the last collection before another is worth its 5 ms [bytes]. */
const DUE_BYTES = 24 * 1024 * 1024;

let madeBytes = 0;
let collectNow: (() => void) | undefined;

/** Tells of buffers that will be garbage sooner or later [bytes]. */
export function noteBuffers(sizeBytes: number): void {
  madeBytes += sizeBytes;
}

/** Collects if enough has been made since the last time. */
export function collectIfDue(): void {
  if (madeBytes < DUE_BYTES) {
    return;
  }
  madeBytes = 0;
  if (collectNow === undefined) {
    setFlagsFromString("--expose-gc");
    collectNow = runInNewContext("gc") as () => void;
  }
  collectNow();
}
