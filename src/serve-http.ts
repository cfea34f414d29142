/** A server's process over HTTP: the end point, the figures, and an end that leaves nobody without an answer. */
import type { Parts } from "./assemble.ts";
import type { Config, Hosting } from "./config.ts";
import type { CredentialScheme } from "./contract.ts";
import type { Log } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { endOnSignal } from "./process-end.ts";
import type { Secret } from "./secret.ts";
import { serveOverHttp } from "./transport/http.ts";
import { HttpRefusal } from "./transport/http-body.ts";
import { createGuard } from "./transport/http-guard.ts";
import { HTTP_LIMITS, type HttpListener, listenHttp, pathOf } from "./transport/http-listener.ts";

export interface HttpProcessOptions {
  readonly parts: Parts;
  readonly config: Config;
  readonly hosting: Hosting;
  /** Credentials that callers may bring. */
  readonly schemes: readonly CredentialScheme[];
  /** Secrets that no log line shows; callers' are added while their calls last. */
  readonly secrets: Set<Secret>;
  /** Receives one line when the server listens. */
  readonly write: (line: string) => void;
  readonly log: Log;
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** How long a scrape may take [ms]. */
const SCRAPE_MS = 1_000;

function listenMetrics(
  listen: NonNullable<Hosting["metrics"]>,
  metrics: Metrics,
  log: Log,
): Promise<HttpListener> {
  return listenHttp({
    listen,
    limits: HTTP_LIMITS,
    answerMs: SCRAPE_MS,
    log,
    async answer(request, response) {
      if (pathOf(request) !== "/metrics") {
        throw new HttpRefusal(404, "There is nothing here; the figures are at /metrics");
      }
      response.writeHead(200, { "content-type": METRICS_TYPE }).end(metrics.text());
    },
  });
}

/**
 * Serves until the process is told to end; then answers what is in flight and exits with 0.
 * @throws Error where an address cannot be had
 */
export async function serveHttp(options: HttpProcessOptions): Promise<void> {
  const { parts, config, hosting, schemes, secrets, write, log } = options;
  const { listen, allowedHosts, allowedOrigins, trustProxy } = hosting;
  const metrics = createMetrics();
  let warm = false;
  parts.startDemo();

  const service = await serveOverHttp(metrics.meter(parts.registry), {
    listen,
    guard: createGuard({ host: listen.host, allowedHosts, allowedOrigins, trustProxy }),
    // The demo has one key for everybody; a real one would only be refused by it.
    schemes: config.demo ? [] : schemes,
    callMs: config.timeoutMs + 1_000,
    limits: HTTP_LIMITS,
    secrets,
    ready: () => warm,
    onAnswer: metrics.countAnswer,
    log,
  });
  const figures = hosting.metrics && (await listenMetrics(hosting.metrics, metrics, log));
  endOnSignal({
    drain: async () => {
      await service.drain();
      await figures?.drain();
    },
    cleanUp: parts.cleanUp,
    log,
  });
  write(
    `${JSON.stringify({ url: service.url, ...(figures && { metrics: `${figures.url}/metrics` }) })}\n`,
  );
  await parts.warmUp().catch((error: unknown) => log.debug("warming up failed", { error }));
  warm = true;
}
