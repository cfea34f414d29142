/** Answer of the discovery route. */
import type { WireRecord } from "../wire.ts";
import { PROJECTS, SYNTHETIC } from "./ids.ts";

export const CAPABILITIES: WireRecord = {
  domain_context: {
    synthetic: true,
    note: `This is Vitrine's embedded demo. ${SYNTHETIC}`,
    hierarchy: [
      "organization",
      "project",
      "cell_specification",
      "cell_instance",
      "cell_measurement",
    ],
    key_concepts: {
      cell_specification: "Blueprint of a cell type: ratings, form factor, components, materials.",
      cell_instance: "One physical cell built to a specification; carries what was measured on it.",
      cell_measurement:
        "One test on one cell. Type time_series has a time series, steps and cycles; type properties has values in its record; type file has files.",
      material: "A substance used in components; belongs to a project and has property datasets.",
      current_sign: "Positive current is discharge, negative current is charge.",
      units: "Units stand in the column names in brackets, e.g. Voltage [V].",
    },
    projects: Object.values(PROJECTS)
      .filter(({ organization }) => organization === "own")
      .map(({ id, name }) => ({ id, name })),
  },
  authentication: { type: "api_key", header: "X-API-Key" },
  schemas: {},
  openapi_spec: "openapi/ionworks.yaml in Vitrine's repository",
};
