/** The program of the table threads: the decoder, and what it enters again as its second thread. */
import { parentPort, workerData } from "node:worker_threads";
import { SECOND_THREAD, serveFrames } from "./second-thread.ts";

if ((workerData as { role?: string }).role !== SECOND_THREAD) {
  void import("./decoder.ts");
} else if (parentPort !== null) {
  void serveFrames(parentPort);
}
