/** The routes: path → answer. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CAPABILITIES } from "./catalogue/capabilities.ts";
import { ORGANIZATIONS, type OrganizationKey } from "./catalogue/ids.ts";
import type { Records, Specification } from "./catalogue/records.ts";
import { ApiError } from "./failures.ts";
import type { Faults } from "./faults.ts";
import { FILES } from "./files/make.ts";
import type { FileStore } from "./files/store.ts";
import type { Links } from "./links.ts";
import { LIST_RULES, type ListRules, pageOf, readListRequest } from "./lists.ts";
import { checkedId, type Query } from "./query.ts";
import { objectName, type StoredFile, signedPath } from "./storage.ts";
import type { WireRecord } from "./wire.ts";

/** What the routes work on. */
export interface World {
  readonly records: Records;
  readonly store: FileStore;
  readonly links: Links;
  readonly faults: Faults;
  /** Origin of the object store. */
  readonly storageUrl: () => string;
}

/** One request, matched. */
export interface Call {
  readonly world: World;
  readonly caller: OrganizationKey;
  /** The path's variables in their order. */
  readonly ids: readonly string[];
  readonly query: Query;
}

/** An answer: a value, JSON text that is ready, or a redirect. */
export type Answer = { value: WireRecord } | { text: string } | { location: string };

type Route = (call: Call) => Answer | Promise<Answer>;

const seen = (call: Call, record: WireRecord) =>
  record.organization_id === ORGANIZATIONS[call.caller].id;

/** The record with the id in the path. @throws ApiError 404 where it does not exist or belongs to somebody else */
function find(call: Call, records: Iterable<WireRecord>, what: string): WireRecord {
  const id = checkedId(call.ids[0] ?? "");
  for (const record of records) {
    if (record.id === id && seen(call, record)) {
      return record;
    }
  }
  throw ApiError.notFound(what);
}

function page(
  call: Call,
  rules: ListRules,
  records: readonly WireRecord[],
  more: (record: WireRecord) => boolean = () => true,
): Answer {
  const request = readListRequest(call.query, rules);
  call.query.finish();
  const visible = records.filter((record) => seen(call, record) && more(record));
  return { value: pageOf(visible, request, call.world.faults.pageCap) };
}

const SLOTS = ["anode", "cathode", "electrolyte", "separator", "case"] as const;

/** Whether a specification uses the materials that are asked for; several slots are alternatives. */
function usesMaterials(query: Query): (specification: Specification) => boolean {
  const any = [...query.list("material_ids"), ...query.list("material_id")].map(checkedId);
  const slots = SLOTS.map((slot) => [slot, query.id(`${slot}_material_id`)] as const).filter(
    ([, id]) => id !== undefined,
  );
  return ({ materials }) =>
    (any.length === 0 || any.some((id) => Object.values(materials).includes(id))) &&
    (slots.length === 0 || slots.some(([slot, id]) => materials[slot] === id));
}

function listSpecifications(call: Call): Answer {
  const { query } = call;
  const full = query.boolean("full");
  const [project, excluded] = [query.id("project_id"), query.id("exclude_cell_spec_id")];
  const uses = usesMaterials(query);
  return page(
    call,
    LIST_RULES.specifications,
    call.world.records.specifications
      .filter(uses)
      .map(({ flat, nested }) => (full ? nested : flat)),
    (record) => (project === undefined || record.project_id === project) && record.id !== excluded,
  );
}

function specification(call: Call): WireRecord {
  const nested = call.world.records.specifications.map((each) => each.nested);
  return find(call, nested, "Cell specification");
}

const cell = (call: Call) => find(call, call.world.records.cells, "Cell instance");
const measurement = (call: Call) => find(call, call.world.records.measurements, "Cell measurement");

function listCells(call: Call): Answer {
  const { id } = specification(call);
  const batch = call.query.id("batch_id");
  return page(
    call,
    LIST_RULES.cells,
    call.world.records.cells,
    (record) =>
      record.cell_specification_id === id && (batch === undefined || record.batch_id === batch),
  );
}

function listMeasurements(call: Call): Answer {
  const { id } = cell(call);
  const lower = (tags: readonly string[]) => tags.map((tag) => tag.toLowerCase());
  const all = lower(call.query.list("tags_all"));
  const any = lower(call.query.list("tags_any"));
  const type = call.query.choice("measurement_type", ["time_series", "file", "properties"]);
  return page(call, LIST_RULES.measurements, call.world.records.measurements, (record) => {
    const tags = lower(record.tags as string[]);
    return (
      record.cell_instance_id === id &&
      (type === undefined || record.measurement_type === type) &&
      all.every((tag) => tags.includes(tag)) &&
      (any.length === 0 || any.some((tag) => tags.includes(tag)))
    );
  });
}

/** The id of a measurement that has data. @throws ApiError 409 while it is processed, 404 where there are none */
function withData(call: Call, what: string): string {
  const record = measurement(call);
  const status = record.processing_status as string;
  if (status === "pending" || status === "running") {
    throw ApiError.conflict(`Measurement is still being processed (processing_status: ${status})`, {
      processing_status: status,
    });
  }
  const id = record.id as string;
  if (call.world.records.tests.get(id)?.recipe === undefined) {
    throw ApiError.notFound(what);
  }
  return id;
}

function download(file: StoredFile, what: string): Route {
  return (call) => {
    const { links, faults, storageUrl } = call.world;
    const object = objectName(withData(call, what), file);
    const token = links.sign(object, faults.linkLifetimeMs);
    return { location: `${storageUrl()}${signedPath(object, token)}` };
  };
}

function table(file: "cycles" | "stepsAndCycles", what: string): Route {
  return async (call) => {
    const { records, store } = call.world;
    const test = records.tests.get(withData(call, what));
    if (test === undefined) {
      throw ApiError.notFound(what);
    }
    return { text: await readFile(join(await store.folderOf(test), FILES[file]), "utf8") };
  };
}

function listMaterials(call: Call): Answer {
  const project = call.query.required("project_id");
  call.query.finish();
  const id = checkedId(project);
  return page(call, LIST_RULES.materials, call.world.records.materials, (record) => {
    return record.project_id === id;
  });
}

function listDatasets(call: Call): Answer {
  const text = call.query.required("material_id");
  call.query.finish();
  const [material, project] = [checkedId(text), call.query.id("project_id")];
  return page(
    call,
    LIST_RULES.datasets,
    call.world.records.datasets,
    (record) =>
      record.material_id === material && (project === undefined || record.project_id === project),
  );
}

const dataset = (call: Call) =>
  find(call, call.world.records.datasets, "Material property dataset");

const listed = (rules: ListRules, of: (records: Records) => readonly WireRecord[]): Route => {
  return (call) => page(call, rules, of(call.world.records));
};

/** All routes; `{}` stands for an id. Needs a credential: all but health. */
export const ROUTES: Readonly<Record<string, Route>> = {
  "/healthz": () => ({ value: { status: "ok" } }),
  "/discovery/capabilities": () => ({ value: CAPABILITIES }),
  "/projects": listed(LIST_RULES.plain, ({ projects }) => projects),
  "/projects/{}": (call) => ({ value: find(call, call.world.records.projects, "Project") }),
  "/cell_specifications": listSpecifications,
  "/cell_specifications/{}": (call) => ({ value: specification(call) }),
  "/cell_specifications/{}/cell_instances": listCells,
  "/cell_specifications/{}/cell_batches": (call) => {
    const { id } = specification(call);
    return page(call, LIST_RULES.plain, call.world.records.batches, (record) => {
      return record.cell_specification_id === id;
    });
  },
  "/cell_batches/{}": (call) => ({ value: find(call, call.world.records.batches, "Cell batch") }),
  "/cell_instances/{}": (call) => ({ value: cell(call) }),
  "/cell_instances/{}/cell_measurements": listMeasurements,
  "/cell_measurements/{}": (call) => ({ value: measurement(call) }),
  "/cell_measurements/{}/time_series/download": download("series", "Time series"),
  "/cell_measurements/{}/steps/download": download("steps", "Steps"),
  "/cell_measurements/{}/cycles": table("cycles", "Cycles"),
  "/cell_measurements/{}/steps_and_cycles": table("stepsAndCycles", "Steps"),
  "/materials": listMaterials,
  "/materials/{}": (call) => ({ value: find(call, call.world.records.materials, "Material") }),
  "/material_property_datasets": listDatasets,
  "/material_property_datasets/{}": (call) => ({ value: dataset(call) }),
  "/material_property_datasets/{}/data": (call) => ({
    value: call.world.records.values.get(dataset(call).id as string) as WireRecord,
  }),
};
