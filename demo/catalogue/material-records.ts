/** Records of materials and of the tables of their properties. */
import { RealColumn, type Wire, type WireRecord } from "../wire.ts";
import {
  creatorOf,
  idOf,
  MAKER,
  organizationOf,
  PROJECTS,
  type ProjectKey,
  stamps,
} from "./ids.ts";
import { type Dataset, MATERIALS, type Material } from "./materials.ts";

export const materialId = (key: string, project: ProjectKey) => idOf(`material:${project}:${key}`);

const MATERIALS_DAY = "2026-01-05";

function materialRecord(material: Material, project: ProjectKey, index: number): WireRecord {
  return {
    id: materialId(material.key, project),
    name: material.name,
    organization_id: organizationOf(project),
    project_id: PROJECTS[project].id,
    ...stamps(MATERIALS_DAY, index * 420),
    definition: { ...material.definition, synthetic: true },
    manufacturer: MAKER,
    product_id: material.product,
    property_count: material.datasets.length,
  };
}

function datasetRecord(
  { key }: Material,
  project: ProjectKey,
  { name, columns, rows }: Dataset,
  index: number,
): WireRecord {
  const id = idOf(`dataset:${project}:${key}:${name}`);
  const gaps = columns
    .map((column, c) => [column.name, rows.filter((row) => Number.isNaN(row[c])).length] as const)
    .filter(([, count]) => count > 0);
  return {
    id,
    material_id: materialId(key, project),
    project_id: PROJECTS[project].id,
    organization_id: organizationOf(project),
    name,
    columns: columns.map((column, c) => ({ ...column, source_column_index: c })),
    storage_path: `material-properties/${id}/data.parquet`,
    original_path: null,
    data_version: 1,
    nan_counts: gaps.length === 0 ? null : Object.fromEntries(gaps),
    no_header: false,
    ...stamps("2026-01-06", index * 300),
    created_by: creatorOf(name).created_by,
    source_pipeline_id: null,
    source_simple_pipeline_id: null,
    source_analysis_id: null,
    source_label: "Vitrine demo (synthetic)",
  };
}

export interface MaterialRecords {
  readonly materials: readonly WireRecord[];
  readonly datasets: readonly WireRecord[];
  /** Columns of values by the id of the dataset. */
  readonly values: ReadonlyMap<string, WireRecord>;
}

/** All materials of all projects, each project with its own copies. */
export function materialRecords(): MaterialRecords {
  const owned = MATERIALS.flatMap((m) => m.projects.map((project) => [m, project] as const));
  const datasets: WireRecord[] = [];
  const values = new Map<string, WireRecord>();
  for (const [material, project] of owned) {
    for (const dataset of material.datasets) {
      const record = datasetRecord(material, project, dataset, datasets.length);
      datasets.push(record);
      const table = dataset.columns.map(({ name }, c): [string, Wire] => [
        name,
        new RealColumn(dataset.rows.map((row) => row[c] as number)),
      ]);
      values.set(record.id as string, Object.fromEntries(table));
    }
  }
  const materials = owned.map(([m, project], i) => materialRecord(m, project, i));
  return { materials, datasets, values };
}
