import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { server } from "../../generated/ionworks/server.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { createMetrics } from "../../src/metrics.ts";

const read = (name: string) =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");

const containerfile = read("Containerfile");
const documents = parseAllDocuments(read("kubernetes.yaml"));
// biome-ignore lint/suspicious/noExplicitAny: manifests of many shapes
const manifests = documents.map((document) => document.toJS() as any);
// biome-ignore lint/suspicious/noExplicitAny: manifests of many shapes
const ofKind = (kind: string): any => manifests.find((manifest) => manifest.kind === kind);
const pod = ofKind("Deployment").spec.template;
const [container] = pod.spec.containers;

/** Settings that a program would have with these arguments. @throws ConfigError for any it does not know */
function configOf(args: readonly string[]): Config {
  const request = readConfig(server, { args, env: {}, readFile: () => undefined });
  if (!("config" in request)) {
    throw new Error("these arguments start no server");
  }
  return request.config;
}

describe("kubernetes.yaml", () => {
  test("is 4 manifests without a YAML error", () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(manifests.map(({ kind }) => kind)).toEqual([
      "Deployment",
      "Service",
      "PodDisruptionBudget",
      "HorizontalPodAutoscaler",
    ]);
  });

  test("starts the program with arguments that it knows, at the ports it names", () => {
    const { hosting } = configOf(container.args);
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [
        name,
        containerPort,
      ]),
    );
    expect(hosting).toMatchObject({
      listen: { host: "0.0.0.0", port: ports.http },
      metrics: { host: "0.0.0.0", port: ports.metrics },
      trustProxy: true,
      shareOperatorKey: false,
    });
    expect(pod.metadata.annotations["prometheus.io/port"]).toBe(String(ports.metrics));
  });

  test("asks /healthz whether it lives and /readyz whether it serves", () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: "/healthz", port: "http" });
    expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "http" });
  });

  test("runs as nobody special, with a root file system that cannot be written", () => {
    expect(pod.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod.spec.automountServiceAccountToken).toBe(false);
  });

  test("has limits, and time to answer the longest call before the end", () => {
    expect(Object.keys(container.resources.limits)).toEqual(["cpu", "memory", "ephemeral-storage"]);
    const waitS = Number(container.lifecycle.preStop.exec.command[1]);
    const longestS = waitS + configOf(container.args).timeoutMs / 1000;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(longestS);
  });

  test("selects its own pods everywhere", () => {
    const { labels } = pod.metadata;
    expect(ofKind("Deployment").spec.selector.matchLabels).toEqual(labels);
    expect(ofKind("Service").spec.selector).toEqual(labels);
    expect(ofKind("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
  });

  test("scales on a figure that the program shows", () => {
    const { scaleTargetRef, metrics } = ofKind("HorizontalPodAutoscaler").spec;
    expect(scaleTargetRef.name).toBe(ofKind("Deployment").metadata.name);
    expect(ofKind("Deployment").spec).not.toHaveProperty("replicas");
    const { name } = metrics[0].pods.metric;
    expect(createMetrics().text()).toContain(`# TYPE ${name} gauge`);
  });
});

describe("Containerfile", () => {
  const instructions = containerfile.replaceAll("\\\n", " ").split("\n");
  const listOf = (name: string): string[] =>
    JSON.parse(
      instructions.findLast((line) => line.startsWith(`${name} `))?.slice(name.length) ?? "",
    );

  test("has a first stage that builds and a last that holds what was built, as another user", () => {
    expect(instructions.filter((line) => line.startsWith("FROM "))).toHaveLength(2);
    expect(instructions).toContain("USER 1000:1000");
    const last = containerfile.slice(containerfile.lastIndexOf("FROM "));
    expect(last).not.toMatch(/^RUN /m);
    expect(last).toMatch(/^COPY --from=build /m);
  });

  test("starts the program with arguments that it knows", () => {
    expect(listOf("ENTRYPOINT").at(-1)).toBe("/app/ionworks-mcp.js");
    expect(configOf(listOf("CMD")).hosting?.listen).toEqual({ host: "0.0.0.0", port: 8080 });
  });
});
