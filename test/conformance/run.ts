/**
 * `npm run test:conformance`: the official suite against the fixture, both requirement sets, over HTTP and over stdio. Prints
 * the figures of each run and exits 1 where a check fails that no entry of `expected-failures-*.yml` names, or passes that one does.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { startBridge } from "./stdio-bridge.ts";

const VERSION = "0.2.0-alpha.12";
const SUITE = "@modelcontextprotocol/conformance";
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
const TRANSPORTS = ["http", "stdio"] as const;

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const folder = join(cache, "vitrine", `conformance-${VERSION}`);
const modules = join(folder, "node_modules");
/** The suite needs a newer Node than the product does. */
const node = join(modules, "node", "bin", "node");

function install(): void {
  if (!existsSync(node) || !existsSync(join(modules, SUITE))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "package.json"),
      '{"private": true, "allowScripts": {"node": true}}\n',
    );
    const packages = ["node@22", `${SUITE}@${VERSION}`];
    execFileSync("npm", ["i", "--no-audit", "--no-fund", ...packages], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
}

/** The fixture as one file, since it is started once a session. */
async function bundle(): Promise<string> {
  const outfile = join(folder, "fixture-server.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "fixture-server.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    banner: {
      js: 'import{createRequire as __make}from"node:module";const require=__make(import.meta.url);',
    },
    logLevel: "warning",
  });
  return outfile;
}

async function startServer(
  program: string,
  transport: string,
): Promise<{ url: string; close(): void }> {
  if (transport === "stdio") {
    return startBridge([process.execPath, program, "stdio"]);
  }
  const child = spawn(process.execPath, [program, "http"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return { url, close: () => void child.kill("SIGTERM") };
}

/** Runs one requirement set; prints its figures. @returns whether everything is as expected */
async function run(program: string, revision: string, transport: string): Promise<boolean> {
  const server = await startServer(program, transport);
  const expected = join(import.meta.dirname, `expected-failures-${revision}-${transport}.yml`);
  const out = join(folder, `results-${revision}-${transport}`);
  const suite = join(modules, SUITE, "dist", "index.js");
  const args = ["server", "--url", server.url, "--requirements", revision, "-o", out];
  const child = spawn(node, [suite, ...args, "--expected-failures", expected], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += String(chunk);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  server.close();
  writeFileSync(join(folder, `${revision}-${transport}.log`), output);
  const [, passed = "?", failed = "?"] = /Total: (\d+) passed, (\d+) failed/i.exec(output) ?? [];
  console.log(JSON.stringify({ revision, transport, passed: +passed, failed: +failed, code }));
  if (code !== 0) {
    console.log(output.slice(-8_000));
  }
  return code === 0;
}

install();
const program = await bundle();
const only = process.argv.slice(2);
let isGood = true;
for (const revision of REVISIONS) {
  for (const transport of TRANSPORTS) {
    if (only.length === 0 || only.includes(`${revision}-${transport}`)) {
      isGood = (await run(program, revision, transport)) && isGood;
    }
  }
}
process.exitCode = isGood ? 0 : 1;
