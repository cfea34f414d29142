/** The fixture behind the product's own transports: `http` prints its address as a JSON line, `stdio` serves its input. */
import { createLog } from "../../src/log.ts";
import { serveOverHttp } from "../../src/transport/http.ts";
import { createGuard } from "../../src/transport/http-guard.ts";
import { HTTP_LIMITS } from "../../src/transport/http-listener.ts";
import { serveOverStdio } from "../../src/transport/stdio.ts";
import { fixture } from "./fixture.ts";

const host = "127.0.0.1";
const log = createLog({
  level: "warn",
  secrets: [],
  write: (line) => void process.stderr.write(line),
});

async function serve(): Promise<void> {
  if (process.argv[2] === "stdio") {
    serveOverStdio(fixture, {
      input: process.stdin,
      output: process.stdout,
      log,
      onListed: () => undefined,
      onEnd: () => process.exit(0),
    });
    return;
  }
  const { url } = await serveOverHttp(fixture, {
    listen: { host, port: 0 },
    guard: createGuard({ host, allowedHosts: [], allowedOrigins: [], trustProxy: false }),
    schemes: [],
    callMs: 30_000,
    limits: HTTP_LIMITS,
    secrets: new Set(),
    ready: () => true,
    onAnswer: () => undefined,
    log,
  });
  console.log(JSON.stringify({ url }));
}

void serve();
