/** The large table: a lake buoy, one row a minute. Made once (a few seconds for a million rows), then kept in the user's cache folder. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Random } from "../simulator/random.ts";

/** A file made on first use: where it is and what its record in PASTA says. */
export interface BigTable {
  readonly path: string;
  readonly rows: number;
  readonly sizeBytes: number;
  readonly sha1: string;
  readonly md5: string;
}

/** Change it with the generator, so that an old file is not taken for a new one. */
const VERSION = "buoy-1";
const BATCH_ROWS = 20_000;
const FIRST_MINUTE = Date.UTC(2018, 4, 1) / 60_000;

const BIG_TABLE_HEADER = "datetime,depth_m,water_temp_c,oxygen_mg_l,par_umol_m2_s,flag";

/** Folder of generated files: `$XDG_CACHE_HOME` or `~/.cache`, then `vitrine/demo-edi`. */
export function defaultCacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "vitrine", "demo-edi");
}

/**
 * The table of `rows` rows from the cache, made where it is not there yet.
 * Two processes may make it at once: each writes a folder of its own, the first rename wins.
 */
export async function bigTable(rows: number, cacheFolder: string): Promise<BigTable> {
  const hash = createHash("sha256").update(`${VERSION} ${rows}`).digest("hex").slice(0, 16);
  const folder = join(cacheFolder, hash);
  if (!existsSync(join(folder, "facts.json"))) {
    await makeFolder(folder, rows);
  }
  const facts = JSON.parse(await readFile(join(folder, "facts.json"), "utf8"));
  return { ...facts, path: join(folder, "buoy.csv") };
}

async function makeFolder(folder: string, rows: number): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const made = await mkdtemp(`${folder}.part-`);
  try {
    const facts = await writeTable(join(made, "buoy.csv"), rows);
    await writeFile(join(made, "facts.json"), JSON.stringify(facts));
    await rename(made, folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (!existsSync(join(folder, "facts.json"))) {
      throw error;
    }
  }
}

async function writeTable(path: string, rows: number): Promise<Omit<BigTable, "path">> {
  const sha1 = createHash("sha1");
  const md5 = createHash("md5");
  let sizeBytes = 0;
  const file = await open(path, "w");
  try {
    for (const text of batches(rows)) {
      const bytes = Buffer.from(text);
      sha1.update(bytes);
      md5.update(bytes);
      sizeBytes += bytes.length;
      await file.write(bytes);
    }
  } finally {
    await file.close();
  }
  return { rows, sizeBytes, sha1: sha1.digest("hex"), md5: md5.digest("hex") };
}

function* batches(rows: number): Generator<string> {
  yield `${BIG_TABLE_HEADER}\n`;
  const random = new Random(VERSION);
  for (let start = 0; start < rows; start += BATCH_ROWS) {
    let text = "";
    for (let row = start; row < Math.min(rows, start + BATCH_ROWS); row += 1) {
      text += `${buoyRow(row, random)}\n`;
    }
    yield text;
  }
}

/** Seasons, days and a thermocline; one sensor gap of -9999 in about 500 rows. */
function buoyRow(row: number, random: Random): string {
  const minute = FIRST_MINUTE + row;
  const depth = (row % 5) * 2;
  const year = (2 * Math.PI * (minute - FIRST_MINUTE)) / 525_960;
  const day = (2 * Math.PI * (minute % 1440)) / 1440;
  const surface = 14 + 9 * Math.sin(year) + 0.8 * Math.sin(day - 2.4);
  const below = surface > 6 ? 6 + (surface - 6) * Math.exp(-((depth / 7) ** 2)) : surface;
  const noise = random.uniform() - 0.5;
  const temperature = Math.max(0, below + 0.2 * noise);
  const oxygen = 14.6 - 0.3 * temperature - 0.12 * depth + 0.3 * noise;
  const light = Math.max(0, 1800 * -Math.cos(day) * Math.exp(-0.4 * depth) * (0.8 + 0.4 * noise));
  const gap = random.uniform() < 0.002;
  const time = new Date(minute * 60_000).toISOString().slice(0, 16).replace("T", " ");
  return `${time},${depth},${gap ? "-9999" : fixed(temperature, 100)},${fixed(oxygen, 100)},${fixed(light, 10)},${gap ? "M" : ""}`;
}

/** Rounded to 1/`scale`, shortest digits. */
function fixed(value: number, scale: number): string {
  return String(Math.round(value * scale) / scale);
}
