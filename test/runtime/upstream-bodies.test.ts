import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fault } from "../helpers/fault-server.ts";
import { ANSWER, call, send, server, start } from "../helpers/one-server.ts";

describe("bodies", () => {
  test("counts a gzip body as it travelled and gives it unpacked", async () => {
    const list = Array.from({ length: 1000 }, () => "same");
    await start({ "/cells": fault.gzip(list) });
    const answer = await send();
    expect(JSON.parse(new TextDecoder().decode(answer.bytes))).toEqual(list);
    expect(call.cost.bytes).toBeLessThan(200);
  });

  test("ends a gzip bomb of 256 MiB at a cap of 4 MiB, before half of its bytes came", async () => {
    await start({ "/cells": fault.gzipBomb(256) }, { maxBodyBytes: 4 * 1024 * 1024 });
    await expect(send()).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(call.cost.bytes).toBeLessThan(128 * 1024);
    expect(server.count()).toBe(1);
  });

  test("does not begin to read a 20 MB answer that says it is over the cap", async () => {
    await start({ "/cells": fault.huge(20) }, { maxBodyBytes: 1024 * 1024 });
    await expect(send()).rejects.toMatchObject({
      code: "TOO_LARGE",
      message: expect.stringContaining("1048576 bytes"),
    });
    expect(call.cost.bytes).toBe(0);
    await server.until(() => server.log[0]?.aborted === true);
  });

  test("reads a 20 MB answer under the default cap", async () => {
    await start({ "/cells": fault.huge(20) });
    expect((await send()).bytes.length).toBeGreaterThan(20e6);
  });

  test("asks again when a gzip body breaks off", async () => {
    const half = gzipSync(JSON.stringify(ANSWER)).subarray(0, 15);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    await start({ "/cells": [fault.answer(200, headers, half), fault.json(ANSWER)] });
    await send();
    expect(server.count()).toBe(2);
  });

  test.each([
    ["gzip", "this is no gzip at all"],
    ["br", "this is no brotli at all"],
    ["zstd", "never asked for"],
  ])("says UNREADABLE_ANSWER for a broken %s body, without another try", async (encoding, body) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    await start({ "/cells": fault.answer(200, headers, body) });
    await expect(send()).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
    expect(server.count()).toBe(1);
  });

  test("says UNREADABLE_ANSWER for 200 without a body", async () => {
    await start({ "/cells": fault.empty(200) });
    await expect(send()).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: "GET /cells was answered with 200 and no body",
    });
  });

  test.each([[204], [205]])("hands on that %i has no body", async (status) => {
    await start({ "/cells": fault.empty(status) });
    expect(await send()).toMatchObject({ status, bytes: new Uint8Array(0) });
  });

  test("says UNREADABLE_ANSWER with the title for HTML where JSON was asked", async () => {
    await start({ "/cells": fault.html("Sign in") });
    await expect(send()).rejects.toMatchObject({
      code: "UNREADABLE_ANSWER",
      message: 'GET /cells was answered with an HTML page titled "Sign in" instead of data',
    });
  });

  test("hands a wrong media type on for the caller to judge", async () => {
    await start({ "/cells": fault.wrongType(ANSWER, "text/plain; charset=latin1") });
    expect(await send()).toMatchObject({ mediaType: "text/plain" });
  });

  test.each([
    ["latin1", Buffer.from('"50 \u00b5m"', "latin1")],
    ["utf-16le", Buffer.from('"50 \u00b5m"', "utf16le")],
    ["UTF-8", Buffer.from('"50 \u00b5m"')],
  ])("gives text in %s as UTF-8", async (charset, body) => {
    const type = `application/json; charset=${charset}`;
    await start({ "/cells": fault.answer(200, { "content-type": type }, body) });
    expect(new TextDecoder().decode((await send()).bytes)).toBe('"50 \u00b5m"');
  });

  test.each([["klingon"], ["utf-16be"]])(
    "says UNREADABLE_ANSWER for what is not text in %s",
    async (charset) => {
      const type = `application/json; charset=${charset}`;
      await start({ "/cells": fault.answer(200, { "content-type": type }, "odd") });
      await expect(send()).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
    },
  );

  test("says UNREADABLE_ANSWER for what is not HTTP", async () => {
    await start({ "/cells": (request) => void request.socket.end("SSH-2.0-server\r\n") });
    await expect(send()).rejects.toMatchObject({ code: "UNREADABLE_ANSWER" });
    expect(server.count()).toBe(1);
  });
});
