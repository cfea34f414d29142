import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Demo, startDemo } from "../helpers/ionworks-demo.ts";

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.close());

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const names = (items: Record<string, unknown>[]) => items.map(({ name }) => name as string);

describe("credentials", () => {
  test("answers 401 in two shapes: none given, wrong one given", async () => {
    const none = await fetch(`${demo.url}/materials`);
    expect([none.status, await none.json()]).toEqual([401, { detail: "Not authenticated" }]);
    const wrong = await demo.get("/materials", "iwk_wrong");
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual({
      error_code: "UNAUTHORIZED",
      message: "Invalid or expired API key",
      detail: null,
    });
    expect(wrong.headers.get("x-correlation-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("takes the key as a bearer token, which wins over the header", async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${demo.url}/cell_specifications`, { headers }).then(({ status }) => status);
    expect(await ask({ authorization: `Bearer ${demo.key}` })).toBe(200);
    expect(await ask({ authorization: "Bearer no", "x-api-key": demo.key })).toBe(401);
  });

  test("shows each key the cells of its organization only", async () => {
    const own = await demo.get("/cell_specifications");
    const partner = await demo.get("/cell_specifications", demo.partnerKey);
    expect([own.body.total, partner.body.total]).toEqual([6, 1]);
    const [{ id }] = partner.body.items;
    expect((await demo.get(`/cell_specifications/${id}`)).status).toBe(404);
    expect((await demo.get(`/cell_specifications/${id}`, demo.partnerKey)).status).toBe(200);
  });

  test("answers health without a key", async () => {
    expect((await fetch(`${demo.url}/healthz`)).status).toBe(200);
  });
});

describe("lists", () => {
  test("count the page and total everything, also beyond the end", async () => {
    const page = await demo.get("/cell_specifications?limit=2&offset=5");
    expect([page.body.items.length, page.body.count, page.body.total]).toEqual([1, 1, 6]);
    const beyond = await demo.get("/cell_specifications?offset=50");
    expect(beyond.body).toEqual({ items: [], count: 0, total: 6 });
  });

  test("give every item once when paged, in the order of the whole list", async () => {
    const whole = names(await demo.all("/cell_specifications?order_by=name&order=asc"));
    const paged: string[] = [];
    for (let offset = 0; offset < whole.length; offset += 1) {
      const query = `limit=1&offset=${offset}&order_by=name&order=asc`;
      paged.push(...names(await demo.all(`/cell_specifications?${query}`)));
    }
    expect(paged).toEqual(whole);
    expect(whole).toEqual([...whole].sort());
  });

  test("are newest first by default, materials by name", async () => {
    const times = (await demo.all("/cell_specifications")).map((s) => s.created_at as string);
    expect(times).toEqual([...times].sort().reverse());
    const [{ project_id }] = (await demo.all("/cell_specifications")) as [{ project_id: string }];
    const materials = names(await demo.all(`/materials?project_id=${project_id}`));
    expect(materials).toEqual([...materials].sort());
    expect(materials.length).toBe(12);
  });

  test.each([
    ["name=ilike.%25nmc622%25", 2],
    ["name=ilike.%25NMC_22%25", 2],
    ["name=ilike.%25NMC\\_22%25", 0],
    ["name=NMC622", 0],
    ["name=eq.LFP/Graphite%20prismatic%2050%20Ah", 1],
    ["form_factor=eq.R2032", 2],
    ["form_factor=in.(18650,21700)", 2],
    ["created_at_gt=2999-01-01", 0],
    ["created_at_lt=2999-01-01", 6],
    ["created_at_gt=2026-03-16T08:00:00Z", 1],
    ["created_at_gt=2026-03-16T08:00:01Z", 0],
    ["created_at_gt=2026-03-16T08:00:00Z&created_at_lt=2026-03-16T08:00:00Z", 1],
    ["created_by_email=ilike.%25@vitrine.example", 6],
  ])("filter specifications by %s: %i", async (query, total) => {
    expect((await demo.get(`/cell_specifications?${query}`)).body.total).toBe(total);
  });

  test("nest components and materials with full only", async () => {
    const [flat] = await demo.all("/cell_specifications?limit=1");
    const [full] = (await demo.all("/cell_specifications?limit=1&full=true")) as [
      { anode: { id: string; material: { name: string } }; anode_id: string },
    ];
    expect(flat).not.toHaveProperty("anode");
    expect(full.anode.id).toBe(full.anode_id);
    expect(full.anode.material.name).toBe("Graphite");
  });

  test("find specifications by material: any slot, one slot, several slots", async () => {
    const [spec] = (await demo.all("/cell_specifications?name=ilike.%25LCO%25&full=true")) as [
      { cathode: { material_id: string }; anode: { material_id: string } },
    ];
    const [lco, graphite] = [spec.cathode.material_id, spec.anode.material_id];
    const total = async (query: string) =>
      (await demo.get(`/cell_specifications?${query}`)).body.total;
    expect(await total(`material_id=${lco}`)).toBe(1);
    expect(await total(`anode_material_id=${lco}`)).toBe(0);
    expect(await total(`material_ids=${lco}&material_ids=${graphite}`)).toBe(5);
    expect(await total(`cathode_material_id=${lco}&anode_material_id=${graphite}`)).toBe(4);
  });

  test("filter cells by batch and measurements by type and tags, whatever their case", async () => {
    const [spec] = (await demo.all("/cell_specifications?name=ilike.%2521700%25")) as [
      { id: string },
    ];
    const cells = (await demo.all(`/cell_specifications/${spec.id}/cell_instances`)) as {
      id: string;
      name: string;
      batch_id: string;
    }[];
    expect(cells.length).toBe(4);
    const batch = cells[0]?.batch_id;
    const inBatch = `/cell_specifications/${spec.id}/cell_instances?batch_id=${batch}`;
    expect((await demo.get(inBatch)).body.total).toBe(2);
    const cell = cells.find(({ name }) => name.endsWith("A01"))?.id;
    const total = async (query: string) =>
      (await demo.get(`/cell_instances/${cell}/cell_measurements?${query}`)).body.total;
    expect(await total("")).toBe(9);
    expect(await total("measurement_type=file")).toBe(1);
    expect(await total("tags_all=CHARACTERISATION&tags_all=ocv")).toBe(1);
    expect(await total("tags_any=imaging&tags_any=Ageing")).toBe(2);
    expect(await total("tags_any=nothing")).toBe(0);
    expect(await total("start_time_gt=2026-08-01&order_by=start_time")).toBe(1);
  });

  test("cap pages where the test says so, with the true total", async () => {
    demo.faults.pageCap = 4;
    const page = await demo.get("/cell_specifications?limit=100");
    demo.faults.pageCap = Number.POSITIVE_INFINITY;
    expect([page.body.count, page.body.total]).toEqual([4, 6]);
  });
});

describe("refusals", () => {
  test("list all bad parameters in the framework's shape", async () => {
    const { status, body } = await demo.get(
      "/cell_specifications?limit=0&offset=x&order=up&full=maybe&created_at_gt=soon",
    );
    expect(status).toBe(422);
    expect(body.detail).toHaveLength(5);
    expect(body.detail).toContainEqual({
      type: "greater_than_equal",
      loc: ["query", "limit"],
      msg: "Input should be greater than or equal to 1",
      input: "0",
      ctx: { ge: 1 },
    });
    expect(body.detail).toContainEqual({
      type: "literal_error",
      loc: ["query", "order"],
      msg: "Input should be 'asc' or 'desc'",
      input: "up",
      ctx: { expected: "'asc' or 'desc'" },
    });
  });

  test.each([
    ["/cell_specifications?limit=1001", 422],
    ["/cell_specifications?limit=1000", 200],
    ["/materials", 422],
    [`/materials?project_id=${UNKNOWN}&limit=101`, 422],
    [`/materials?project_id=${UNKNOWN}`, 200],
    ["/material_property_datasets", 422],
    ["/cell_specifications/not-a-uuid", 400],
    ["/cell_specifications?project_id=x", 400],
    [`/cell_specifications/${UNKNOWN}`, 404],
    [`/cell_specifications/${UNKNOWN}/cell_instances`, 404],
    [`/cell_instances/${UNKNOWN}/cell_measurements`, 404],
    [`/cell_measurements/${UNKNOWN}/time_series/download`, 404],
    [`/material_property_datasets/${UNKNOWN}/data`, 404],
    ["/no_such_route", 404],
    ["//cell_specifications", 404],
    ["/cell_specifications/", 404],
    [`/cell_specifications/${UNKNOWN}%2Fcell_instances`, 404],
  ])("%s: %i", async (path, status) => {
    expect((await demo.get(path)).status).toBe(status);
  });

  test("word malformed ids as the database does and unmatched routes as the framework does", async () => {
    expect((await demo.get("/materials/7")).body).toEqual({
      error_code: "BAD_REQUEST",
      message: 'invalid input syntax for type uuid: "7"',
      detail: null,
    });
    expect((await demo.get("/nothing")).body).toEqual({ detail: "Not Found" });
    expect((await demo.get(`/materials/${UNKNOWN}`)).body).toEqual({
      error_code: "NOT_FOUND",
      message: "Material not found",
      detail: null,
    });
  });

  test("answer writes with 405", async () => {
    const response = await fetch(`${demo.url}/cell_specifications`, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  });

  test("send exactly application/json, on errors as well", async () => {
    for (const path of ["/cell_specifications", "/nothing", "/discovery/capabilities"]) {
      expect((await demo.get(path)).headers.get("content-type")).toBe("application/json");
    }
  });
});

describe("measurements without tables", () => {
  test.each([
    ["NMC-217-A02", "Cycle ageing 0.5C/1C 45 degC", "running", 409, "CONFLICT"],
    ["NMC622-GR-003", "Rate capability to 10C (new upload)", "pending", 409, "CONFLICT"],
    ["NCA-186-03", "HPPC begin of life", "failed", 404, "NOT_FOUND"],
    ["NMC-217-A01", "CT scan", "ready", 404, "NOT_FOUND"],
    ["NMC-217-A01", "Incoming inspection", "ready", 404, "NOT_FOUND"],
  ])("%s, %s is %s: %i", async (cell, name, state, status, code) => {
    const id = await demo.measurement(cell, name);
    const { body: record } = await demo.get(`/cell_measurements/${id}`);
    expect(record.processing_status).toBe(state);
    expect(record.end_time === null).toBe(state === "running");
    expect(record.processing_error === null).toBe(state !== "failed");
    for (const route of ["time_series/download", "steps/download", "cycles"]) {
      const reply = await demo.get(`/cell_measurements/${id}/${route}`);
      expect([reply.status, reply.body.error_code]).toEqual([status, code]);
    }
  });
});

describe("materials", () => {
  test("give values without units in the names, real numbers with a point, gaps as null", async () => {
    const [{ project_id }] = (await demo.all("/cell_specifications")) as [{ project_id: string }];
    const [material] = (await demo.all(
      `/materials?project_id=${project_id}&name=ilike.lp57%25`,
    )) as [{ id: string; property_count: number }];
    const sets = (await demo.all(`/material_property_datasets?material_id=${material.id}`)) as {
      id: string;
      name: string;
      columns: { name: string; unit: string }[];
      nan_counts: Record<string, number>;
    }[];
    expect(sets.length).toBe(material.property_count);
    const transport = sets.find(({ name }) => name.includes("transport"));
    const { body, text } = await demo.get(`/material_property_datasets/${transport?.id}/data`);
    expect(Object.keys(body)).toEqual(transport?.columns.map(({ name }) => name));
    expect(text).toContain('"Electrolyte concentration":[0.0,100.0,');
    const at = body["Electrolyte concentration"].indexOf(1000);
    expect(body["Electrolyte conductivity"][at]).toBeCloseTo(0.9355, 4);
    expect(body["Transference number"].at(-1)).toBeNull();
    expect(transport?.nan_counts).toEqual({ "Transference number": 1 });
    expect(transport?.columns.map(({ unit }) => unit).slice(0, 2)).toEqual(["mol.m-3", "S.m-1"]);
  });
});

describe("labels", () => {
  test("say that everything is synthetic", async () => {
    const marked = (record: unknown) => expect(JSON.stringify(record)).toMatch(/synthetic/i);
    marked((await demo.get("/discovery/capabilities")).body);
    for (const spec of (await demo.all("/cell_specifications")) as { id: string }[]) {
      marked(spec);
      for (const cell of await demo.all(`/cell_specifications/${spec.id}/cell_instances`)) {
        marked(cell);
        const tests = await demo.all(`/cell_instances/${cell.id}/cell_measurements`);
        expect(tests.length).toBeGreaterThan(0);
        tests.forEach(marked);
      }
    }
  });
});

describe("faults", () => {
  test("fail the next requests with the status asked for, then go on", async () => {
    demo.faults.failNext({ side: "api", times: 2, status: 503, headers: { "retry-after": "1" } });
    const replies = [];
    for (let i = 0; i < 3; i += 1) {
      replies.push(await demo.get("/projects"));
    }
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(replies[0]?.headers.get("retry-after")).toBe("1");
    demo.faults.failNext({ side: "api", times: 1, status: 0 });
    await expect(demo.get("/projects")).rejects.toThrow();
  });
});
