/**
 * Builds `dist/`: each program one file, minified, with nothing to install beside it.
 *
 * A server's start is most of what a host waits for, and half of that is V8 compiling the bundle. So a server is a CommonJS
 * bundle (no module loader) with V8's code cache beside it, and a launcher of a few lines that hands both over. Another
 * version of Node refuses the cache and compiles; nothing but time depends on it.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

/** Programs that are servers: name and export of `src/servers.ts`. */
const SERVERS = [{ program: "ionworks-mcp", server: "ionworks" }];

/** Everything else. `.mjs` where the program awaits at its top; the package's `bin` names a `.js`. */
const PROGRAMS = [
  { file: "vitrine.mjs", entry: "codegen/cli.ts" },
  { file: "demo.mjs", entry: "demo/main.ts" },
  { file: "demo-maker.js", entry: "demo/files/maker.ts" },
  { file: "table-worker.js", entry: "src/tables/worker.ts" },
  { file: "redis-store.js", entry: "src/redis-store.ts" },
];

const SHIMS = { "@modelcontextprotocol/server/_shims": "./scripts/sdk-shims.ts" };

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  logLevel: "warning",
} satisfies BuildOptions;

/** All is in the bundle or in Node, so that nothing is imported while it runs; a module's address is that of its file. */
const COMMONJS = {
  ...COMMON,
  format: "cjs",
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "__url", "import.meta.dirname": "__dirname" },
  banner: { js: 'const __url=require("node:url").pathToFileURL(__filename).href;' },
} satisfies BuildOptions;

/** A client that few servers use, and as large as a server: a file of its own, loaded where it is asked for. */
const APART: Plugin = {
  name: "apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/redis-store\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./redis-store.js", external: true },
    ),
};

/** Packages in CommonJS, bundled into a module, still ask for `require`, `__filename` and `__dirname`. */
const MODULE = {
  ...COMMON,
  format: "esm",
  banner: {
    js: 'import{createRequire as __make}from"node:module";import{fileURLToPath as __toPath}from"node:url";const require=__make(import.meta.url),__filename=__toPath(import.meta.url),__dirname=__toPath(new URL(".",import.meta.url));',
  },
} satisfies BuildOptions;

/** The cache keeps the name under which it was compiled, for stack traces: one that says nothing of this machine. */
const launcher = (stem: string) => `#!/usr/bin/env node
"use strict";
const { existsSync, readFileSync } = require("node:fs");
const { Script } = require("node:vm");
const bundle = __dirname + "/${stem}.js";
const cache = __dirname + "/${stem}.cache";
const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
const script = new Script(readFileSync(bundle, "latin1"), { filename: "${stem}.js", cachedData });
script.runInThisContext()(require, bundle, __dirname);
`;

/** Runs a bundle as its launcher does, and keeps what V8 compiled for it. */
const KEEP_COMPILED = `
const { readFileSync, writeFileSync } = require("node:fs");
const { Script } = require("node:vm");
const [node, bundle, filename, cache, folder] = process.argv;
process.argv = [node, bundle];
const script = new Script(readFileSync(bundle, "latin1"), { filename });
process.on("exit", () => writeFileSync(cache, script.createCachedData()));
script.runInThisContext()(require, bundle, folder);
`;

/** What a host says first, in both eras: the code that answers it is what the cache must hold. */
const OPENING = [
  {
    id: 1,
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
  {
    id: 2,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "build", version: "1" },
    },
  },
  { method: "notifications/initialized" },
  { id: 3, method: "tools/list", params: {} },
];

function keepCompiled(folder: string, stem: string): void {
  const bundle = join(folder, `${stem}.js`);
  const cache = join(folder, `${stem}.cache`);
  const input = OPENING.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const run = spawnSync(
    process.execPath,
    ["-e", KEEP_COMPILED, bundle, `${stem}.js`, cache, DIST],
    {
      input: input.join(""),
      env: {},
      encoding: "utf8",
    },
  );
  const answers = run.stdout.trim().split("\n").length;
  if (run.status !== 0 || answers !== 3) {
    throw new Error(`${bundle} does not start: ${answers} answers, ${run.stdout}${run.stderr}`);
  }
}

async function buildServer(folder: string, program: string, server: string): Promise<void> {
  const { outputFiles } = await build({
    ...COMMONJS,
    stdin: {
      contents: `import { main } from "./src/main.ts"; import { ${server} } from "./src/servers.ts"; main(${server});`,
      resolveDir: ROOT,
      loader: "ts",
    },
    alias: SHIMS,
    plugins: [APART],
    banner: { js: `(function(require,__filename,__dirname){${COMMONJS.banner.js}` },
    footer: { js: "})" },
    write: false,
  });
  const text = outputFiles[0]?.text ?? "";
  const stem = `${program}.${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
  await writeFile(join(folder, `${stem}.js`), text);
  keepCompiled(folder, stem);
  await writeFile(join(folder, `${program}.js`), launcher(stem));
  await chmod(join(folder, `${program}.js`), 0o755);
}

/** What `vitrine build` puts a server's generated part behind: a module's text that names itself `vitrine`. */
async function buildSingleFile(folder: string): Promise<void> {
  await build({
    ...COMMONJS,
    format: "iife",
    globalName: "vitrine",
    entryPoints: ["src/single-file.ts"],
    alias: SHIMS,
    banner: {
      js: '#!/usr/bin/env node\nimport{createRequire as __make}from"node:module";const require=__make(import.meta.url),__url=import.meta.url,__dirname=import.meta.dirname;',
    },
    outfile: join(folder, "single-file.js"),
  });
}

async function buildProgram(folder: string, file: string, entry: string): Promise<void> {
  const outfile = join(folder, file);
  await build({
    ...(file.endsWith(".mjs") ? MODULE : COMMONJS),
    entryPoints: [entry],
    alias: SHIMS,
    outfile,
  });
}

/** Commands that the package names; whoever runs one needs no file ending in `.mjs`. */
async function writeCommand(folder: string, program: string): Promise<void> {
  const file = join(folder, `${program}.js`);
  await writeFile(file, `#!/usr/bin/env node\nimport("./${program}.mjs");\n`);
  await chmod(file, 0o755);
}

/** Puts the new files in place of the old ones; launchers last, so that what they name is there. */
async function replaceDist(folder: string): Promise<void> {
  await mkdir(DIST, { recursive: true });
  const fresh = await readdir(folder);
  const launchers = SERVERS.map(({ program }) => `${program}.js`);
  for (const name of fresh.sort((a, b) => +launchers.includes(a) - +launchers.includes(b))) {
    await rename(join(folder, name), join(DIST, name));
  }
  for (const name of await readdir(DIST)) {
    if (!fresh.includes(name)) {
      await rm(join(DIST, name), { recursive: true });
    }
  }
}

const staging = join(ROOT, ".cache", `dist-${process.pid}`);
await mkdir(staging, { recursive: true });
try {
  // The programs are CommonJS, whatever the package says.
  await writeFile(join(staging, "package.json"), '{"type":"commonjs"}\n');
  await Promise.all([
    ...SERVERS.map(({ program, server }) => buildServer(staging, program, server)),
    ...PROGRAMS.map(({ file, entry }) => buildProgram(staging, file, entry)),
    writeCommand(staging, "vitrine"),
    buildSingleFile(staging),
  ]);
  await replaceDist(staging);
} finally {
  await rm(staging, { recursive: true, force: true });
}
