import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ResultPlan } from "../../src/contract.ts";
import { call, failure, far, result, useAnswers } from "../helpers/answers-under-test.ts";
import { fault } from "../helpers/fault-server.ts";

useAnswers();

const FOLDER = join(import.meta.dirname, "../fixtures/arrow");
const bytesOf = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)));
const FILE = "application/vnd.apache.arrow.file";

const plan = (format: "arrow-ipc" | "auto" = "arrow-ipc"): ResultPlan => ({
  kind: "table",
  format,
  units: { from: "none" },
});

const serve = (bytes: Uint8Array, type = FILE) => {
  far.routes = { "/data": fault.answer(200, { "content-type": type }, bytes) };
};

const TYPES = {
  i: ["int32", 1, null, 3],
  b: ["int64", "1152921504606846976", "1", null],
  f: ["float32", 1.5, null, null],
  s: ["string", "a", "ä€", null],
  d: ["string", "x", "y", "x"],
  t: ["datetime64[us, UTC]", "2024-01-02T03:04:05.678901Z", null, "1969-12-31T00:00:00Z"],
  day: ["date", "2024-02-29", null, "1900-01-01"],
  ms: ["date", "2024-02-29", null, "1900-01-01"],
  l: ["string", "[1,null]", "[]", null],
  m: ["decimal(9, 2)", "1.50", null, "-0.01"],
  o: ["bool", true, null, false],
  n: ["object", null, null, null],
  h: ["float16", 1.5, null, 0.25],
  ls: ["string", "p", null, "q"],
  fb: ["binary", "YWI=", null, "Y2Q="],
  st: ["string", '{"x":1}', null, '{"x":null}'],
};

describe("arrow-ipc", () => {
  for (const [file, copies] of [
    ["types.arrow", 1],
    ["types.arrows", 2],
  ] as const) {
    test(`reads the 16 types of ${file}, ${copies} times 3 rows`, async () => {
      serve(bytesOf(file));
      const window = await result(call(plan(), { layout: "columns" }));
      const names = Object.keys(TYPES);
      expect(window.columns).toEqual(names);
      for (const [name, [dtype, ...values]] of Object.entries(TYPES)) {
        const column = (window.data as Record<string, unknown[]>)[name];
        expect([name, (window.dtypes as Record<string, string>)[name]]).toEqual([name, dtype]);
        expect(column).toEqual(Array.from({ length: copies }, () => values).flat());
      }
    });
  }

  test.each([["repeated-lz4.arrow"], ["repeated-zstd.arrow"]])(
    "reads rows 118 to 122 of %s across its batches",
    async (file) => {
      serve(bytesOf(file), "application/octet-stream");
      const window = await result(call(plan("auto"), { offset: 118, limit: 4 }));
      expect(window).toMatchObject({
        total_rows: 300,
        rows: [118, 119, 120, 121].map((k) => ({ k, s: `row ${k % 7} of many` })),
      });
    },
  );

  test("says UNREADABLE_ANSWER of a file cut anywhere", async () => {
    const bytes = bytesOf("types.arrow");
    for (let at = 1; at < bytes.length; at += 397) {
      serve(bytes.slice(0, at));
      expect((await failure(call(plan()))).code).toBe("UNREADABLE_ANSWER");
    }
  });

  test("gives rows or a closed code for 60 files with one byte flipped", async () => {
    const bytes = bytesOf("repeated-lz4.arrow");
    const codes = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      const damaged = bytes.slice();
      const at = (round * 7919) % damaged.length;
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      serve(damaged);
      const { content, isError } = await call(plan(), { limit: 5 });
      codes.add(isError === true ? JSON.parse(content[0].text).error.code : "rows");
    }
    expect([...codes].sort()).toEqual(["UNREADABLE_ANSWER", "rows"]);
  });
});
