/**
 * What a server could be measured against: takes the same requests, forwards what they need upstream, and hands the bytes back. It
 * reads nothing, keeps nothing and checks nothing. `forwarder.ts API_URL KEY`; prints {"url"}.
 */
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

const [api = "", key = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

function fetchUpstream(
  url: string,
  headers: Record<string, string>,
): Promise<{ head: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { headers, agent }, (head) => {
      const parts: Buffer[] = [];
      head.on("data", (part: Buffer) => parts.push(part));
      head.on("end", () => resolve({ head, body: Buffer.concat(parts) }));
    });
    sent.on("error", reject);
  });
}

/** The upstream calls of one tool call: one for records and lists; link, end of the file and one stretch of it for a window. */
async function forward(name: string, args: Record<string, string>): Promise<Buffer> {
  const own = { "x-api-key": key };
  if (name === "list_cell_specs") {
    return (await fetchUpstream(`${api}/cell_specifications?limit=25`, own)).body;
  }
  const record = `${api}/cell_measurements/${args.measurement_id}`;
  if (name === "get_measurement") {
    return (await fetchUpstream(record, own)).body;
  }
  const { head } = await fetchUpstream(`${record}/time_series/download`, own);
  const link = head.headers.location as string;
  await fetchUpstream(link, { range: "bytes=-131072" });
  return (await fetchUpstream(link, { range: "bytes=4-32771" })).body;
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part as Buffer);
  }
  const { params } = JSON.parse(Buffer.concat(parts).toString());
  await forward(params.name, params.arguments).then(
    (body) => response.writeHead(200, { "content-length": body.length }).end(body),
    () => response.writeHead(502).end(),
  );
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
});
