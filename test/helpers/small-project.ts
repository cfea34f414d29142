/** A folder with a manifest of four tools over the Ionworks document, as a project of somebody else would have it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LooseDocument } from "./ionworks-plan.ts";

const UNITS = "{operation: get_material_property_dataset, at: /columns, name: name, unit: unit}";

const MANIFEST = `servers:
  cells:
    document: document.json
    program: cells-mcp
    title: Cells
    instructions: Read cells, then their cycles.
    guard: {x-hidden: false}
    upstream:
      url: https://api.ionworks.com
      url_variable: CELLS_URL
      credentials:
        - {scheme: ApiKeyAuth, variable: CELLS_KEY}
    variables:
      CELLS_URL: {description: Address of the API}
      CELLS_KEY: {description: Key of the API, secret: true}
    tools:
      list_materials:
        operation: list_materials
        title: Materials
        description: Lists the materials of one project; read one with get_material.
        arguments:
          project_id: {}
        result: {kind: page, items: /items, total: /total}
      get_material:
        operation: GET /materials/{material_id}
        title: One material
        description: Reads the record of one material, found with list_materials before.
        arguments:
          material_id: {}
      get_cycles:
        operation: get_cycles
        title: Cycles
        description: Reads one row for each cycle of a measurement, with units in the names.
        arguments:
          measurement_id: {}
        result: {kind: table, format: json-columns, at: /cycles, units: column-names}
      get_property_data:
        operation: get_material_property_data
        title: Property data
        description: Reads the values of a material property dataset as a table with units.
        arguments:
          property_id: {}
        result: {kind: table, format: json-columns, units: ${UNITS}}
`;

/** A project on disk. */
export interface SmallProject {
  readonly root: string;
  readonly manifest: string;
  /** Writes a document beside the manifest and returns its path. */
  write(name: string, document: LooseDocument | string): Promise<string>;
  remove(): Promise<void>;
}

/** Makes the project with `committed` as its document. */
export async function makeSmallProject(committed: LooseDocument): Promise<SmallProject> {
  const root = await mkdtemp(join(tmpdir(), "vitrine-check-"));
  const manifest = join(root, "tools.manifest.yaml");
  const write = async (name: string, document: LooseDocument | string): Promise<string> => {
    const path = join(root, name);
    await writeFile(path, typeof document === "string" ? document : JSON.stringify(document));
    return path;
  };
  await writeFile(manifest, MANIFEST);
  await write("document.json", committed);
  return { root, manifest, write, remove: () => rm(root, { recursive: true, force: true }) };
}
