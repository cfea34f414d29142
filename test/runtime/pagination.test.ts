import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { Pagination, ResultPlan } from "../../src/contract.ts";
import { nextLink } from "../../src/pagination/next-place.ts";
import { call, failure, far, result, useAnswers } from "../helpers/answers-under-test.ts";
import { fault } from "../helpers/fault-server.ts";

useAnswers();

type Page = Extract<ResultPlan, { kind: "page" }>;

const page = (pagination: Pagination, more: Partial<Page> = {}): Page => ({
  kind: "page",
  items: "/items",
  pagination,
  defaultLimit: 10,
  maximumLimit: 1000,
  ...more,
});

const SCHEMES = {
  "offset-limit": { scheme: "offset-limit", offset: "offset", limit: "limit", maximum: 10 },
  page: { scheme: "page", page: "page", first: 1, size: "limit", maximum: 10 },
  "page from 0 without size": { scheme: "page", page: "page", first: 0, maximum: 7 },
  cursor: {
    scheme: "cursor",
    cursor: "cursor",
    next: { in: "body", at: "/next" },
    size: "limit",
    maximum: 10,
  },
  "cursor in a header": {
    scheme: "cursor",
    cursor: "cursor",
    next: { in: "header", name: "X-Next" },
    maximum: 10,
  },
  "last item": {
    scheme: "cursor",
    cursor: "cursor",
    next: { in: "last-item", at: "/id", more: "/has_more" },
    maximum: 10,
  },
  "next-url": { scheme: "next-url", next: { in: "body", at: "/links/next" }, maximum: 10 },
  link: { scheme: "link", size: "limit", maximum: 10 },
  none: { scheme: "none" },
} as const satisfies Record<string, Pagination>;

type SchemeName = keyof typeof SCHEMES;

/** An upstream of `count` items that pages by a scheme, `sizes` items a page where it decides itself. */
const upstreamOf =
  (name: SchemeName, count: number, counts = true) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const query = new URL(request.url ?? "", "http://x").searchParams;
    const number = (key: string, standard: number) => Number(query.get(key) ?? standard);
    const size = Math.min(number("limit", 7), 10);
    const start = {
      "offset-limit": () => number("offset", 0),
      page: () => (number("page", 1) - 1) * size,
      "page from 0 without size": () => number("page", 0) * 7,
      cursor: () => Number((query.get("cursor") ?? "c0").slice(1)),
      "cursor in a header": () => Number((query.get("cursor") ?? "c0").slice(1)),
      "last item": () => number("cursor", -1) + 1,
      "next-url": () => number("at", 0),
      link: () => number("at", 0),
      none: () => 0,
    }[name]();
    const length = name === "none" ? count : Math.max(0, Math.min(size, count - start));
    const items = Array.from({ length }, (_, index) => ({ id: start + index }));
    const end = start + length;
    const more = end < count;
    const next = `${far.url}/data?at=${end}&limit=${size}`;
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (more && name === "cursor in a header") {
      headers["x-next"] = `c${end}`;
    }
    if (name === "link") {
      headers.link = `<${far.url}/data?at=0>; rel="first"${more ? `, <${next}>; rel="next"` : ""}`;
      headers["x-total-count"] = String(count);
    }
    response.writeHead(200, headers);
    response.end(
      JSON.stringify({
        items,
        ...(counts ? { total: count } : {}),
        has_more: more,
        next: more ? `c${end}` : null,
        links: { next: more ? `/data?at=${end}` : null },
      }),
    );
  };

const idsOf = (page: Record<string, unknown>) =>
  (page.items as { id: number }[]).map(({ id }) => id);
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("pages of every scheme", () => {
  for (const name of Object.keys(SCHEMES) as SchemeName[]) {
    const plan = page(SCHEMES[name]);

    test(`${name}: gives items 23 to 57 of 95 at once`, async () => {
      far.routes = { "/data": upstreamOf(name, 95, false) };
      const got = await result(call(plan, { offset: 23, limit: 34, q: name }));
      expect(idsOf(got)).toEqual(range(23, 57));
      expect(got).toMatchObject({ offset: 23, count: 34, has_more: true, next_offset: 57 });
    });

    for (const [limit, budget] of [
      [10, 40_960],
      [33, 400],
      [1000, 900],
    ] as const) {
      test(`${name}: following next_offset gives each of 95 once, ${limit} in ${budget} bytes`, async () => {
        far.routes = { "/data": upstreamOf(name, 95) };
        const seen: number[] = [];
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const args = { offset, limit, q: `${name} ${limit}` };
          const got = await result(call(plan, args, { maxResultBytes: budget }));
          seen.push(...idsOf(got));
          offset = got.next_offset as number | undefined;
        }
        expect(seen).toEqual(range(0, 95));
      });
    }

    test(`${name}: says that an offset is past the end`, async () => {
      far.routes = { "/data": upstreamOf(name, 20, false) };
      const got = await result(call(plan, { offset: 40, q: `${name} end` }));
      expect(got).toMatchObject({ items: [], count: 0, has_more: false });
      expect(got.note).toContain("offset 40 is past the end");
    });

    test(`${name}: says of a 204 and of null that there are none`, async () => {
      for (const behaviour of [fault.empty(204), fault.json({ items: null })]) {
        far.routes = { "/data": behaviour };
        const got = await result(call(plan, { q: `${name} empty` }));
        expect(got).toMatchObject({ items: [], count: 0, has_more: false });
      }
    });
  }

  test("asks for as many pages as the items need and no more", async () => {
    const wanted: [SchemeName, number][] = [
      ["offset-limit", 3],
      ["page", 3],
      ["page from 0 without size", 4],
      ["cursor", 3],
      ["cursor in a header", 4],
      ["last item", 4],
      ["next-url", 4],
      ["link", 3],
      ["none", 1],
    ];
    for (const [name, requests] of wanted) {
      far.routes = { "/data": upstreamOf(name, 1000) };
      const before = far.count();
      await result(call(page(SCHEMES[name]), { limit: 25, q: `count ${name}` }));
      expect([name, far.count() - before]).toEqual([name, requests]);
    }
  });

  test("sends only the paging parameters of its scheme", async () => {
    far.routes = { "/data": upstreamOf("page", 95) };
    await result(call(page(SCHEMES.page), { offset: 20, limit: 10 }));
    expect(far.log.at(-1)?.query).toBe("?limit=10&page=3");
    far.routes = { "/data": upstreamOf("cursor", 95) };
    await result(call(page(SCHEMES.cursor), { offset: 0, limit: 12, q: "a b" }));
    expect(far.log.slice(-2).map(({ query }) => query)).toEqual([
      "?limit=10&q=a%20b",
      "?limit=2&cursor=c10&q=a%20b",
    ]);
  });

  test("goes on from where a walk ended: 1 request for the next page, not 9", async () => {
    far.routes = { "/data": upstreamOf("cursor", 1000) };
    const first = await result(call(page(SCHEMES.cursor), { limit: 80, q: "walk" }));
    const before = far.count();
    const next = await result(
      call(page(SCHEMES.cursor), { offset: first.next_offset, limit: 10, q: "walk" }),
    );
    expect(idsOf(next)).toEqual(range(80, 90));
    expect(far.count() - before).toBe(1);
  });

  test("walks from the start where the upstream no longer knows a cursor", async () => {
    far.routes = { "/data": upstreamOf("cursor", 1000) };
    await result(call(page(SCHEMES.cursor), { limit: 30, q: "stale" }));
    const honest = upstreamOf("cursor", 1000);
    let refused = 0;
    far.routes = {
      "/data": (request, response, hit) => {
        if (refused === 0 && request.url?.includes("cursor=")) {
          refused += 1;
          return fault.status(400, "cursor expired")(request, response, hit);
        }
        return honest(request, response);
      },
    };
    const got = await result(call(page(SCHEMES.cursor), { offset: 30, limit: 10, q: "stale" }));
    expect(idsOf(got)).toEqual(range(30, 40));
    expect(refused).toBe(1);
  });

  test("stops after 100 requests, says how far it came, and gets there in the end", async () => {
    far.routes = { "/data": upstreamOf("cursor", 5000) };
    const far2000 = { offset: 2000, limit: 10, q: "far" };
    const error = await failure(call(page(SCHEMES.cursor), far2000));
    expect(error).toMatchObject({
      code: "TOO_LARGE",
      message: expect.stringContaining("100 requests led to item 1000"),
      hint: expect.stringContaining("offset=1000"),
    });
    expect((await failure(call(page(SCHEMES.cursor), far2000))).hint).toContain("offset=2000");
    const got = await result(call(page(SCHEMES.cursor), far2000));
    expect(idsOf(got)).toEqual(range(2000, 2010));
  });

  test("takes the upstream's own page size where it differs from the asked one", async () => {
    far.routes = {
      "/data": (request, response) => {
        const query = new URL(request.url ?? "", "http://x").searchParams;
        const start = (Number(query.get("page")) - 1) * 4;
        response.writeHead(200, { "content-type": "application/json" });
        const length = Math.max(0, Math.min(4, 50 - start));
        const items = Array.from({ length }, (_, index) => ({ id: start + index }));
        response.end(JSON.stringify({ items, total: 50 }));
      },
    };
    const plan = page(SCHEMES.page, { total: "/total" });
    expect(idsOf(await result(call(plan, { offset: 20, limit: 10 })))).toEqual(range(20, 30));
    expect(idsOf(await result(call(plan, { offset: 0, limit: 10 })))).toEqual(range(0, 10));
  });

  test("takes the total from a header", async () => {
    far.routes = { "/data": upstreamOf("link", 95) };
    const plan = page(SCHEMES.link, { totalHeader: "X-Total-Count" });
    expect(await result(call(plan, { limit: 5 }))).toMatchObject({ total: 95, has_more: true });
  });
});

describe("next pages that lead elsewhere", () => {
  const plan = page(SCHEMES["next-url"]);
  const leading = (next: unknown) => fault.json({ items: [{ id: 1 }], links: { next } });

  test.each([
    ["another origin", "https://evil.example/data?at=2"],
    ["another port", "http://127.0.0.1:1/data?at=2"],
    ["another operation", "/admin?at=2"],
    ["a path above", "/data/../admin?at=2"],
    ["a user name", "http://user@127.0.0.1/data"],
    ["another scheme", "file:///etc/passwd"],
    ["no URL", "http://[bad"],
  ])("are NOT_ALLOWED: %s", async (what, next) => {
    far.routes = { "/data": leading(next) };
    const before = far.count();
    const error = await failure(call(plan, { limit: 5, q: what }));
    expect(error.code).toBe("NOT_ALLOWED");
    expect(far.count() - before).toBe(1);
  });

  test("are not asked for where the window has enough", async () => {
    far.routes = { "/data": leading("https://evil.example/data") };
    expect(await result(call(plan, { limit: 1, q: "enough" }))).toMatchObject({ has_more: true });
  });

  test.each([
    ["itself", "/data?at=0"],
    ["what was read", "/data?at=1"],
  ])("end the list where they lead back to %s", async (what, next) => {
    far.routes = { "/data": leading(next) };
    const got = await result(call(plan, { limit: 50, q: what }));
    expect(got.has_more).toBe(false);
    expect(idsOf(got).length).toBeLessThanOrEqual(2);
    expect(got.note).toMatch(/same page again|leads back/);
  });

  test("may be objects with href, and absolute", async () => {
    far.routes = {
      "/data": [
        leading({ href: `${far.url}/data?at=1` }),
        fault.json({ items: [{ id: 2 }], links: {} }),
      ],
    };
    expect(idsOf(await result(call(plan, { q: "href" })))).toEqual([1, 2]);
    expect(far.log.at(-1)?.query).toBe("?at=1");
  });
});

describe("tables over pages", () => {
  const table = (name: SchemeName): ResultPlan => ({
    kind: "table",
    format: "json-rows",
    at: "/items",
    units: { from: "none" },
    pagination: SCHEMES[name],
  });
  const rowIds = (window: Record<string, unknown>) =>
    (window.rows as { id: number }[]).map(({ id }) => id);

  for (const name of Object.keys(SCHEMES) as SchemeName[]) {
    test(`${name}: following next_offset gives each of 64 rows once`, async () => {
      far.routes = { "/data": upstreamOf(name, 64, false) };
      const seen: number[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const args = { offset, limit: 12, q: `table ${name}` };
        const window = await result(call(table(name), args));
        seen.push(...rowIds(window));
        offset = window.next_offset as number | undefined;
      }
      expect(seen).toEqual(range(0, 64));
    });

    test(`${name}: filters, counts and samples over all 64 rows`, async () => {
      far.routes = { "/data": upstreamOf(name, 64, false) };
      const where = [{ column: "id", op: ">", value: 60 }];
      const args = { where, stats: true, q: `where ${name}` };
      const window = await result(call(table(name), args));
      expect(rowIds(window)).toEqual([61, 62, 63]);
      expect(window).toMatchObject({ matched_rows: 3, total_rows: 64, truncated: false });
      const sample = await result(call(table(name), { sample: 2, q: `sample ${name}` }));
      expect(sample).toMatchObject({ row_numbers: [0, 63], total_rows: 64 });
    });
  }

  test("filters the first 100 pages of a longer list and says so", async () => {
    far.routes = { "/data": upstreamOf("cursor", 5000, false) };
    const where = [{ column: "id", op: ">=", value: 990 }];
    const window = await result(call(table("cursor"), { where, q: "part" }));
    expect(window).toMatchObject({ matched_rows: 10, total_rows: null });
    expect(window.note).toContain("where, sample and stats are of the first 1000 rows.");
  });

  test("says null for a total that nobody tells, and reads 2 pages for 12 rows", async () => {
    far.routes = { "/data": upstreamOf("cursor", 64, false) };
    const before = far.count();
    const window = await result(call(table("cursor"), { limit: 12, q: "null total" }));
    expect(window).toMatchObject({ total_rows: null, row_count: 12, next_offset: 12 });
    expect(window.note).toContain("at least 13 rows");
    expect(far.count() - before).toBe(2);
  });
});

describe("nextLink", () => {
  test.each([
    [undefined, undefined],
    ["", undefined],
    ['<https://x/a?p=2>; rel="next"', "https://x/a?p=2"],
    ['<https://x/a?p=1>; rel="prev", <https://x/a?p=3>; rel="next last"', "https://x/a?p=3"],
    ['</a?b=1,2;3>; title="a, b; rel=next"; rel=next', "/a?b=1,2;3"],
    ['<a>; rel="last"; title="next"', undefined],
    ["<?p=2>;REL=Next", "?p=2"],
  ])("of %j is %j", (header, wanted) => {
    expect(nextLink(header)).toBe(wanted);
  });
});
