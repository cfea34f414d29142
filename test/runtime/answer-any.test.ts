import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import type { ResultPlan } from "../../src/contract.ts";
import { call, failure, far, result, useAnswers } from "../helpers/answers-under-test.ts";
import { fault } from "../helpers/fault-server.ts";

useAnswers();

const any: ResultPlan = { kind: "any" };
const text: ResultPlan = { kind: "text" };
const file: ResultPlan = { kind: "file" };

const serve = (type: string, body: string | Uint8Array) => {
  far.routes = { "/data": fault.answer(200, type === "" ? {} : { "content-type": type }, body) };
};

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) {
    c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  }
  return c >>> 0;
});
const crc = (bytes: Uint8Array) =>
  (bytes.reduce((c, byte) => (crcTable[(c ^ byte) & 255] as number) ^ (c >>> 8), 0xffffffff) ^
    0xffffffff) >>>
  0;

/** A real PNG, grey, `side` pixels wide and high. */
function png(side: number, noise = false): Uint8Array {
  const chunk = (name: string, content: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), content]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(content.length, 0);
    ends.writeUInt32BE(crc(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(side * (side + 1));
  for (let at = 0; noise && at < rows.length; at += 1) {
    rows[at] = at % (side + 1) === 0 ? 0 : (Math.imul(at, 2654435761) >>> 13) & 255;
  }
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 0 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const folder = mkdtempSync(join(tmpdir(), "vitrine-saved-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("text answers", () => {
  test.each([
    ["text/plain", "line 1\nline 2"],
    ["text/csv", "a,b\n1,2\n"],
    ["application/xml", "<a>1</a>"],
    ["application/yaml", "a: 1\n"],
    ["", "just words"],
    ["application/octet-stream", "words under a vague name"],
    ["image/svg+xml", "<svg/>"],
  ])("come as they are: %s", async (type, body) => {
    serve(type, body);
    expect(await result(call(any))).toEqual({
      text: body,
      media_type: type,
      offset: 0,
      count: body.length,
      total: body.length,
      has_more: false,
    });
  });

  test("come without controls and hidden characters", async () => {
    serve("text/plain", "a\u001b[31mb\u200bc\r\nd\te");
    expect((await result(call(text))).text).toBe("a[31mbc\nd\te");
  });

  for (const [budget, limit] of [
    [1000, undefined],
    [5000, 700],
    [40_960, undefined],
  ] as const) {
    test(`following next_offset gives all of 200,000 characters once, ${limit ?? "what fits"} in ${budget} bytes`, async () => {
      const body = Array.from(
        { length: 7000 },
        (_, n) => `${n} "quoted" ä😀 ${"z".repeat(n % 40)}`,
      ).join("\n");
      serve("text/plain; charset=utf-8", body.slice(0, 200_000));
      const pieces: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const args = { offset, ...(limit === undefined ? {} : { limit }) };
        const got = await result(call(text, args, { maxResultBytes: budget }));
        expect(Buffer.byteLength(JSON.stringify(got))).toBeLessThanOrEqual(budget);
        pieces.push(got.text as string);
        offset = got.next_offset as number | undefined;
      }
      expect(pieces.join("")).toBe(body.slice(0, 200_000).toWellFormed());
    });
  }

  test("end with a line where one ends nearby", async () => {
    serve("text/plain", "0123456789\n".repeat(500));
    const got = await result(call(text, {}, { maxResultBytes: 1000 }));
    expect((got.text as string).endsWith("\n")).toBe(true);
  });

  test("say that an offset is past the end", async () => {
    serve("text/plain", "short");
    const got = await result(call(text, { offset: 9 }));
    expect(got).toMatchObject({ text: "", has_more: false });
    expect(got.note).toBe("offset 9 is past the end: there are 5 characters.");
  });

  test("of another charset are read in it, without a name as windows-1252 with a note", async () => {
    serve("text/plain; charset=iso-8859-1", Buffer.from("50 \u00b5m", "latin1"));
    expect((await result(call(text))).text).toBe("50 µm");
    serve("text/plain", Buffer.from("50 \u00b5m", "latin1"));
    const got = await result(call(text));
    expect(got.text).toBe("50 µm");
    expect(got.note).toContain("windows-1252");
  });

  test("of 20 MB come in the budget", async () => {
    serve("text/plain", "x".repeat(20 * 1024 * 1024));
    const got = await result(call(text));
    expect(got.total).toBe(20 * 1024 * 1024);
    expect(Buffer.byteLength(JSON.stringify(got))).toBeLessThanOrEqual(40_960);
  });

  test("are JSON as it is written where text was promised", async () => {
    serve("application/json", '{"a": 1}');
    expect((await result(call(text))).text).toBe('{"a": 1}');
  });
});

describe("JSON answers of any kind", () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ["[1,2]", { value: [1, 2], offset: 0, of: 2 }],
    ["3", { value: 3 }],
    ['"t"', { value: "t", offset: 0, of: 1 }],
    ["null", { value: null }],
    ["9007199254740993", { value: "9007199254740993", offset: 0, of: 16 }],
  ])("%s", async (body, wanted) => {
    serve("application/json", body);
    expect(await result(call(any))).toEqual(wanted);
  });

  test("follow path, offset and limit", async () => {
    serve("application/json", JSON.stringify({ list: Array.from({ length: 90 }, (_, n) => n) }));
    expect(await result(call(any, { path: "/list", offset: 10, limit: 3 }))).toMatchObject({
      value: [10, 11, 12],
      next_offset: 13,
      of: 90,
    });
  });

  test("that break off are UNREADABLE_ANSWER", async () => {
    serve("application/json", '{"a":');
    expect((await failure(call(any))).code).toBe("UNREADABLE_ANSWER");
  });
});

describe("images", () => {
  test.each([["image/png"], ["application/octet-stream"], [""]])(
    "come as image content, byte for byte: %s",
    async (type) => {
      const bytes = png(16);
      serve(type, bytes);
      const outcome = await call(file);
      expect(outcome.structuredContent).toEqual({
        media_type: "image/png",
        size_bytes: bytes.length,
      });
      const [, image] = outcome.content;
      expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
      expect(Buffer.from(image?.data ?? "", "base64").equals(bytes)).toBe(true);
    },
  );

  test.each([
    [
      "image/gif",
      "GIF89a\u0001\0\u0001\0\u0080\0\0\0\0\0\0\0\0,\0\0\0\0\u0001\0\u0001\0\0\u0002\u0002D\u0001\0;",
    ],
    ["image/jpeg", "\xff\xd8\xff\xe0\0\u0010JFIF\0\xff\xd9"],
    ["image/webp", "RIFF\u0008\0\0\0WEBPVP8 "],
  ])("of %s are known by their bytes", async (type, body) => {
    serve(type, Buffer.from(body, "latin1"));
    expect((await call(any)).content[1]).toMatchObject({ mimeType: type });
  });

  test("that break off, or are none, are UNREADABLE_ANSWER", async () => {
    serve("image/png", png(64).subarray(0, 500));
    expect((await failure(call(file))).message).toContain("breaks off after 500 bytes");
    serve("image/png", "no image");
    expect((await failure(call(file))).message).toContain("said to be image/png, but is none");
  });

  test("beyond 1 MB are refused with size and type, or saved", async () => {
    const bytes = png(1000, true);
    serve("image/png", bytes);
    expect((await failure(call(file))).message).toContain(`image/png of ${bytes.length} bytes`);
    const saved = await result(call(file, {}, { saveFolder: folder }));
    expect(readFileSync(saved.saved_to as string).equals(bytes)).toBe(true);
  });
});

describe("other bytes", () => {
  const zip = Buffer.from("PK\u0003\u0004\0\xff\xfe binary", "latin1");

  test.each([
    ["application/zip", "application/zip"],
    ["application/pdf", "application/pdf"],
    ["application/vnd.apache.parquet", "application/vnd.apache.parquet"],
    ["", "application/octet-stream"],
    ["application/octet-stream", "application/octet-stream"],
  ])("of %j are refused with size and type", async (type, named) => {
    serve(type, zip);
    for (const plan of [any, text, file]) {
      const error = await failure(call(plan));
      expect(error).toMatchObject({
        code: "UNREADABLE_ANSWER",
        message: `The answer to GET /data is ${named} of ${zip.length} bytes, which cannot be shown`,
      });
      expect(error.hint).toContain("save-folder");
    }
  });

  test("are saved byte for byte where a folder is set, the same bytes once", async () => {
    const place = join(folder, "deep", "er");
    serve("application/zip", zip);
    for (let round = 0; round < 2; round += 1) {
      const saved = await result(call(file, {}, { saveFolder: place }));
      expect(saved).toMatchObject({ media_type: "application/zip", size_bytes: zip.length });
      expect(saved.saved_to).toMatch(/get_data-[0-9a-f]{16}\.zip$/);
      expect(readFileSync(saved.saved_to as string).equals(zip)).toBe(true);
    }
    expect(readdirSync(place)).toHaveLength(1);
  });

  test("never leave the folder through a link of the same name, nor by what the upstream says", async () => {
    const place = mkdtempSync(join(folder, "linked-"));
    const outside = join(folder, "outside");
    writeFileSync(outside, "mine");
    far.routes = {
      "/data": fault.answer(
        200,
        {
          "content-type": "application/x-../../../evil",
          "content-disposition": 'attachment; filename="../../evil"',
        },
        zip,
      ),
    };
    const first = await result(call(file, {}, { saveFolder: place }));
    const name = first.saved_to as string;
    rmSync(name);
    symlinkSync(outside, name);
    await result(call(file, {}, { saveFolder: place }));
    expect(readFileSync(outside, "utf8")).toBe("mine");
    expect(readdirSync(place)).toEqual([name.slice(place.length + 1)]);
  });

  test("tell no path where the folder cannot be written", async () => {
    const blocked = join(folder, "file-in-the-way");
    writeFileSync(blocked, "");
    serve("application/zip", zip);
    const error = await failure(call(file, {}, { saveFolder: join(blocked, "x") }));
    expect(error.code).toBe("INTERNAL");
    expect(JSON.stringify(error)).not.toContain(folder);
  });
});

describe("answers without content", () => {
  test.each([[any], [text], [file]])("are said in words: %o", async (plan) => {
    far.routes = { "/data": fault.empty(204) };
    expect(await result(call(plan))).toEqual({
      status: 204,
      note: "GET /data was answered with 204: done, and there is no content.",
    });
  });

  test("are no error with 200 where no JSON was promised", async () => {
    serve("text/plain", "");
    expect(await result(call(text))).toMatchObject({ status: 200 });
  });
});

test("HTML where none was promised is UNREADABLE_ANSWER, promised HTML is text", async () => {
  far.routes = { "/data": fault.html("Sign in") };
  expect((await failure(call(any, {}, { accept: ["text/plain"] }))).code).toBe("UNREADABLE_ANSWER");
  const page = await result(call(any, {}, { accept: ["text/html"] }));
  expect(page.text).toContain("<title>Sign in</title>");
});
