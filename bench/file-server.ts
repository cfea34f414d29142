/**
 * The far end of the benchmarks, in a process of its own: an API that redirects downloads to a storage origin, which serves one file by
 * ranges, and one record. Prints `{"url", "file"}` as one JSON line; `GET /bytes` tells the body bytes sent since it was last asked.
 *
 *     tsx bench/file-server.ts FILE
 */
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const file = process.argv[2] ?? "";
const size = statSync(file).size;
const etag = '"bench-1"';
// A file that fits into memory is served from there: the figures are about the readers, not about this server's disk.
const bytes = size < 1e9 ? readFileSync(file) : undefined;
const RECORD = JSON.stringify({
  id: "11111111-1111-4111-8111-111111111111",
  name: "Cycling",
  cell_instance_id: "22222222-2222-4222-8222-222222222222",
  measurement_type: "time_series",
  processing_status: "ready",
  tags: ["bench"],
});

let sentBytes = 0;

function range(header: string | undefined): { start: number; end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (match === null) {
    return undefined;
  }
  const [, from, to] = match;
  return from === ""
    ? { start: Math.max(0, size - Number(to)), end: size }
    : { start: Number(from), end: to === "" ? size : Math.min(size, Number(to) + 1) };
}

function serveFile(request: IncomingMessage, response: ServerResponse): void {
  const part = range(request.headers.range);
  const { start, end } = part ?? { start: 0, end: size };
  sentBytes += end - start;
  response.writeHead(part === undefined ? 200 : 206, {
    "content-type": "application/octet-stream",
    "content-length": end - start,
    "accept-ranges": "bytes",
    etag,
    ...(part === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${size}` }),
  });
  if (bytes === undefined) {
    createReadStream(file, { start, end: end - 1 }).pipe(response);
  } else {
    response.end(bytes.subarray(start, end));
  }
}

const storage = createServer(serveFile).listen(0, "127.0.0.1", () => {
  const storagePort = (storage.address() as AddressInfo).port;
  const api = createServer((request, response) => {
    if (request.url?.endsWith("/download")) {
      response.writeHead(307, { location: `http://127.0.0.1:${storagePort}/file?token=t` }).end();
    } else if (request.url === "/bytes") {
      response.end(String(sentBytes));
      sentBytes = 0;
    } else {
      response.writeHead(200, { "content-type": "application/json" }).end(RECORD);
    }
  }).listen(0, "127.0.0.1", () => {
    const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    process.stdout.write(
      `${JSON.stringify({ url, file: `http://127.0.0.1:${storagePort}/file?token=t` })}\n`,
    );
  });
});
process.stdin.on("end", () => process.exit(0)).resume();
