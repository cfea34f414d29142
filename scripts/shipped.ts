/**
 * What ships: packages inside the bundled programs, and those that `npm install` brings along. `npm run sbom` prints them as a
 * CycloneDX document, `npm run audit` asks the registry for advisories against them and exits 1 where there is one.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

/** Programs, as `build.ts` has them. */
const ENTRIES = ["src/main.ts", "src/tables/worker.ts", "codegen/cli.ts", "demo/main.ts"];

/** An entry of the lock file. */
export interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** Packages of the lock file by their place, e.g. `node_modules/zod`. */
export function lockedPackages(): Map<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  return new Map(Object.entries(lock.packages).filter(([place]) => place !== ""));
}

/** Place of the package that a file belongs to. */
function placeOf(file: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/** Places of all packages that ship, sorted. */
export async function shippedPackages(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    bundle: true,
    platform: "node",
    format: "esm",
    metafile: true,
    write: false,
    outdir: "unwritten",
    logLevel: "silent",
  });
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).flatMap((file) => placeOf(file) ?? []),
  );
  const installed = [...lockedPackages()].flatMap(([place, { dev, devOptional }]) =>
    dev === true || devOptional === true ? [] : [place],
  );
  return [...new Set([...bundled, ...installed])].sort();
}

const nameOf = (place: string): string => place.slice(place.lastIndexOf("node_modules/") + 13);

async function sbom(): Promise<void> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const text = execFileSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const document = JSON.parse(text) as {
    components: { name: string; version: string; "bom-ref": string }[];
    dependencies: { ref: string; dependsOn?: string[] }[];
  };
  const locked = lockedPackages();
  const shipped = new Set(
    (await shippedPackages()).map((place) => `${nameOf(place)}@${locked.get(place)?.version}`),
  );
  const components = document.components.filter(({ name, version }) =>
    shipped.has(`${name}@${version}`),
  );
  const known = new Set(components.map((component) => component["bom-ref"]));
  const dependencies = document.dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => known.has(one)),
    }));
  console.log(JSON.stringify({ ...document, components, dependencies }, null, 2));
}

interface Advisory {
  readonly severity: string;
  readonly nodes: readonly string[];
}

async function audit(): Promise<void> {
  const { stdout } = spawnSync("npm", ["audit", "--json"], { cwd: ROOT, encoding: "utf8" });
  const { vulnerabilities } = JSON.parse(stdout) as {
    vulnerabilities?: Record<string, Advisory>;
  };
  if (vulnerabilities === undefined) {
    throw new Error(`npm audit gave no report: ${stdout.slice(0, 500)}`);
  }
  const shipped = await shippedPackages();
  const found = Object.entries(vulnerabilities).filter(([, { nodes }]) =>
    nodes.some((node) => shipped.includes(node)),
  );
  for (const [name, { severity }] of found) {
    console.log(`${name}: ${severity}`);
  }
  console.log(`${shipped.length} packages ship, ${found.length} with an advisory`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

const [command] = process.argv[1] === import.meta.filename ? process.argv.slice(2) : [];
if (command === "sbom") {
  await sbom();
} else if (command === "audit") {
  await audit();
}
