/** A manifest and its document in a temporary folder, small enough that tests state every line of what is wrong with it. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { planProject, type Project } from "../../codegen/generate.ts";
import { CodegenError } from "../../codegen/problems.ts";

/** Cells with one hidden operation, one write, and two operations with one id. */
export const CELLS = `openapi: 3.1.0
info: { title: Cells, version: "1" }
servers: [{ url: https://cells.example.org/v1/ }]
paths:
  /cells:
    get:
      operationId: list_cells
      x-hidden: false
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 200 } }
        - { name: offset, in: query, schema: { type: integer } }
        - { name: name, in: query, description: Name of the cell, schema: { type: string }, example: eq.A1 }
        - { name: project_id, in: query, required: true, schema: { type: string } }
        - { name: shape, in: query, schema: { type: string, enum: [pouch, coin], default: coin } }
        - { name: near, in: query, schema: { type: [string, integer] } }
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/CellPage" } } } } }
    post:
      operationId: create_cell
      x-hidden: false
      responses: { "200": { description: ok } }
  /cells/{cell_id}:
    parameters:
      - { name: cell_id, in: path, required: true, schema: { type: string } }
    get:
      operationId: get_cell
      x-hidden: false
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Cell" } } } } }
  /cells/{cell_id}/secret:
    parameters:
      - { name: cell_id, in: path, required: true, schema: { type: string } }
    get:
      operationId: get_secret
      x-hidden: true
      responses: { "200": { description: ok, content: { application/json: { schema: {} } } } }
  /twice/a:
    get: { operationId: twice, x-hidden: false, responses: {} }
  /twice/b:
    get: { operationId: twice, x-hidden: false, responses: {} }
components:
  securitySchemes:
    Key: { type: apiKey, in: header, name: X-Key }
    Login: { type: http, scheme: basic }
  schemas:
    Cell:
      type: object
      properties: { id: { type: string }, state: { type: string }, parent: { $ref: "#/components/schemas/Cell" } }
    CellPage:
      type: object
      properties: { items: { type: array, items: { $ref: "#/components/schemas/Cell" } }, total: { type: integer } }
`;

/** A manifest for it, without tools; 16 lines, so that the first tool stands in line 17. */
const HEAD = `servers:
  cells:
    document: cells.yaml
    program: cells-mcp
    title: Cells
    instructions: Ask for cells.
    guard: { x-hidden: false }
    upstream:
      url_variable: CELLS_URL
      credentials:
        - { scheme: Key, variable: CELLS_KEY }
    variables:
      CELLS_URL: { description: Address. }
      CELLS_KEY: { description: Key. }
      CELLS_PROJECT: { description: Project. }
    tools:
`;

/** The text of a manifest with these tools, written from column 1. */
export function manifestWith(tools: string): string {
  const lines = tools.split("\n").map((line) => (line === "" ? "" : `      ${line}`));
  return HEAD + lines.join("\n");
}

/** Words of a tool that pass. */
export const WORDS =
  "title: A tool, description: Forty characters are the least that a tool says of itself";

export interface ManifestProject {
  readonly folder: string;
  readonly manifest: string;
}

/** Writes files into a folder that is removed after the test. */
export async function makeProject(
  files: Readonly<Record<string, string>>,
): Promise<ManifestProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "vitrine-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
  }
  return { folder, manifest: join(folder, "tools.manifest.yaml") };
}

/** Plans a manifest over `CELLS`, or another document. */
export async function planManifest(manifest: string, document = CELLS): Promise<Project> {
  const made = await makeProject({ "tools.manifest.yaml": manifest, "cells.yaml": document });
  return planProject(made.manifest);
}

/** What a project is refused for, its folder left out; "" when it is not. */
async function problemsOf(made: ManifestProject): Promise<string> {
  const prefix = `${relative(process.cwd(), made.folder)}/`;
  try {
    await planProject(made.manifest);
    return "";
  } catch (error) {
    if (error instanceof CodegenError) {
      return error.message.replaceAll(prefix, "");
    }
    throw error;
  }
}

/** What a manifest over `CELLS`, or another document, is refused for. */
export async function problemsOfManifest(manifest: string, document = CELLS): Promise<string> {
  return problemsOf(await makeProject({ "tools.manifest.yaml": manifest, "cells.yaml": document }));
}
