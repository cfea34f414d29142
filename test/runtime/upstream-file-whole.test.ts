import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, test, vi } from "vitest";
import { FileChanged } from "../../src/byte-source.ts";
import { fault } from "../helpers/fault-server.ts";
import {
  age,
  api,
  asked,
  call,
  check,
  fileOf,
  LARGE,
  MEBIBYTE,
  open,
  ranges,
  read,
  serve,
  start,
  store,
  TAIL,
  under,
} from "../helpers/file-store.ts";

describe("a store without ranges", () => {
  test.each([[false], [true]])("is read once into memory, chunked %s", async (chunked) => {
    await start(serve(LARGE, { range: "ignore", chunked }));
    const source = await open();
    await check(source, LARGE, ranges([0, LARGE.length], [7, 9]));
    expect(source.tailStart).toBe(0);
    expect(call.cost).toEqual({ requests: 2, bytes: LARGE.length });
  });

  test("over 16 MiB goes to a temporary file without a name, read by 1 request", async () => {
    const file = fileOf(20 * MEBIBYTE);
    await start(serve(file, { range: "ignore", chunked: true }));
    const source = await open();
    expect(source.tail.length).toBe(TAIL);
    await check(
      source,
      file,
      ranges([0, 10], [17 * MEBIBYTE, 18 * MEBIBYTE], [file.length - 200_000, file.length]),
    );
    expect([source.size, call.cost.requests]).toEqual([file.length, 2]);
    expect(
      (await readdir(tmpdir())).filter((name) => /^vitrine-[0-9a-f-]{36}$/.test(name)),
    ).toEqual([]);
    await under.upstream.close();
    await expect(read(source, ranges([0, 10]))).rejects.toBeInstanceOf(FileChanged);
  });

  test.each([[false], [true]])("over the cap is TOO_LARGE, chunked %s", async (chunked) => {
    await start(serve(LARGE, { range: "ignore", chunked }), { maxFileBytes: MEBIBYTE });
    await expect(open()).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(call.cost.bytes).toBeLessThanOrEqual(MEBIBYTE + 128 * 1024);
    expect(store.count()).toBe(1);
  });

  test("is noticed half way: the file is read whole, by 1 request for 3 ranges", async () => {
    await start([serve(LARGE), serve(LARGE, { range: "ignore" })]);
    const source = await open();
    await check(source, LARGE, ranges([0, 10], [1e6, 1e6 + 10], [2e6, 2e6 + 10]));
    expect(asked().filter((range) => range === undefined)).toHaveLength(1);
    await check(source, LARGE, ranges([5e5, 6e5]));
    expect(store.count()).toBe(5);
  });

  test("is noticed by two holders of one version at once, and both read right", async () => {
    const lastModified = "Thu, 01 Jan 2026 00:00:00 GMT";
    await start(fault.file(LARGE, { lastModified }), { totalMs: 200_000 });
    const first = await open();
    age();
    const second = await open();
    expect([second.version, store.count()]).toEqual([first.version, 2]);
    store.routes = { "/f": fault.file(LARGE, { lastModified, range: "ignore" }) };
    await Promise.all([
      check(first, LARGE, ranges([0, 10])),
      check(second, LARGE, ranges([1e6, 1e6 + 10])),
    ]);
  });

  test("gives disk space back when another file needs it, and can be opened anew", async () => {
    const file = fileOf(17 * MEBIBYTE);
    await start(serve(file, { range: "ignore" }), { maxFileBytes: 30 * MEBIBYTE });
    const source = await open();
    await open(call, "f-2");
    await expect(read(source, ranges([0, 10]))).rejects.toBeInstanceOf(FileChanged);
    await check(await open(), file, ranges([0, 10]));
    expect(call.cost.requests).toBe(6);
  });

  test("is TOO_LARGE where there is no temporary folder", async () => {
    vi.stubEnv("TMPDIR", "/no/such/folder");
    await start(serve(fileOf(17 * MEBIBYTE), { range: "ignore" }));
    await expect(open()).rejects.toMatchObject({
      code: "TOO_LARGE",
      message:
        "The file is too large for memory, and the temporary folder does not take it (ENOENT)",
    });
    vi.unstubAllEnvs();
  });

  test("may be the API itself, answering without a redirect", async () => {
    await start(serve(LARGE));
    api.routes = { "*": serve(LARGE) };
    const source = await open();
    await check(source, LARGE, ranges([0, LARGE.length]));
    expect([call.cost.requests, store.count()]).toEqual([1, 0]);
  });
});
