/** An HTTP server on loopback. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Faults, Side, Traffic } from "./faults.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const HOST = "127.0.0.1";

export interface Listening {
  /** Origin without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server. @param port 0: a free one @throws Error where the port is taken */
export async function listen(
  side: Side,
  port: number,
  faults: Faults,
  traffic: Traffic,
  handle: Handler,
): Promise<Listening> {
  const server = createServer((request, response) => {
    traffic.requests[side] += 1;
    const serve = async () => {
      const failure = await faults.meet(side);
      if (failure?.status === 0) {
        request.socket.destroy();
      } else if (failure === undefined) {
        await handle(request, response);
      } else {
        const body = JSON.stringify({ detail: "failure asked for by a test" });
        response.writeHead(failure.status, {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...failure.headers,
        });
        response.end(body);
      }
    };
    // What a handler did not foresee ends the connection: no answer is better than a wrong one.
    serve().catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () => closed(server),
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
