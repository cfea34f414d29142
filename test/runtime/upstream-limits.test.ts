import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { freshCall } from "../helpers/call-context.ts";
import { fault } from "../helpers/fault-server.ts";
import { ANSWER, call, cancelWith, send, server, start, under } from "../helpers/one-server.ts";
import { operation } from "../helpers/upstream-under-test.ts";

describe("time", () => {
  test("gives up a try that stalls and says TIMED_OUT after 4 of them", async () => {
    await start({ "/cells": fault.stall() }, { tryMs: 200 });
    await expect(send()).rejects.toMatchObject({
      code: "TIMED_OUT",
      message: "GET /cells got no answer for 0.2 s (tried 4 times)",
    });
    expect(server.count()).toBe(4);
    await server.until(() => server.log.every(({ aborted }) => aborted));
  });

  test("gives up a try whose body stalls and succeeds with the next", async () => {
    await start({ "/cells": [fault.stallMidBody(), fault.json(ANSWER)] }, { tryMs: 200 });
    await send();
    expect(server.count()).toBe(2);
  });

  test("lets a body drip for longer than one try may stay silent", async () => {
    const text = JSON.stringify(ANSWER);
    await start({ "/cells": fault.drip(text, 30) }, { tryMs: 400 });
    expect((await send()).bytes).toHaveLength(text.length);
    expect(server.count()).toBe(1);
  });

  test("ends a drip at the deadline with TIMED_OUT and what was being done", async () => {
    await start({ "/cells": fault.drip("x".repeat(1000), 10) }, { totalMs: 300 });
    await expect(send()).rejects.toMatchObject({
      code: "TIMED_OUT",
      message:
        "The 0.3 s that one call may take were over while waiting for the answer to GET /cells",
    });
    expect(server.count()).toBe(1);
  });

  test("counts the deadline from a call's first request, not from each", async () => {
    await start({ "/cells": fault.json(ANSWER) }, { totalMs: 400 });
    await send();
    await new Promise((done) => setTimeout(done, 420));
    await expect(send()).rejects.toMatchObject({ code: "TIMED_OUT" });
    expect(server.count()).toBe(1);
  });

  test("gives up before a backoff that would end after the deadline", async () => {
    await start({ "/cells": fault.status(503) }, { totalMs: 300, random: () => 1 });
    await expect(send()).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
    expect(server.count()).toBe(1);
  });
});

describe("cancel", () => {
  test("aborts the request at the upstream and says CANCELLED", async () => {
    await start({ "/cells": fault.stall() });
    const controller = new AbortController();
    cancelWith(controller);
    const answer = send();
    await server.until(() => server.count() === 1);
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: "CANCELLED" });
    await server.until(() => server.log[0]?.aborted === true);
    expect(server.count()).toBe(1);
  });

  test("ends a wait between tries", async () => {
    const controller = new AbortController();
    await start(
      { "/cells": fault.status(503) },
      {
        sleep: () => {
          controller.abort();
          return () => undefined;
        },
      },
    );
    cancelWith(controller);
    await expect(send()).rejects.toMatchObject({ code: "CANCELLED" });
    expect(server.count()).toBe(1);
  });

  test("leaves no listener on the call's signal behind", async () => {
    await start({ "/cells": [fault.status(503), fault.json(ANSWER)] });
    await Promise.all(Array.from({ length: 8 }, () => send()));
    expect(getEventListeners(call.signal, "abort")).toHaveLength(0);
  });

  test("listens once, however many requests are under way", async () => {
    await start({ "/cells": fault.drip("[1,2]", 2) });
    const all = Array.from({ length: 20 }, () => send());
    await server.until(() => server.count() >= 4);
    expect(getEventListeners(call.signal, "abort")).toHaveLength(1);
    await Promise.all(all);
  });

  test("sends nothing for a call that is cancelled already", async () => {
    await start({ "/cells": fault.json(ANSWER) });
    const controller = new AbortController();
    controller.abort();
    cancelWith(controller);
    await expect(send()).rejects.toMatchObject({ code: "CANCELLED" });
    expect(server.count()).toBe(0);
  });
});

describe("concurrency", () => {
  test("keeps 4 of 20 requests in flight", async () => {
    await start({ "/cells": fault.drip("[1,2]", 2) });
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect([server.count(), server.peak]).toEqual([20, 4]);
  });

  test("serves a second call before the rest of a first that asks for 8", async () => {
    await start({ "*": fault.drip("[1,2]", 2) }, { concurrency: 1 });
    const first = Array.from({ length: 8 }, () => send());
    const second = under.upstream.send(operation("/other"), {}, freshCall());
    await Promise.all([...first, second]);
    expect(server.log.map(({ path }) => path).indexOf("/other")).toBe(2);
  });

  test("lets a call that waits for its turn be cancelled, and serves those behind it", async () => {
    await start({ "*": fault.drip("[1,2]", 5) }, { concurrency: 1 });
    const controller = new AbortController();
    const running = send();
    const waiting = under.upstream.send(operation("/never"), {}, freshCall(controller));
    const behind = under.upstream.send(operation("/behind"), {}, freshCall());
    controller.abort();
    await expect(waiting).rejects.toMatchObject({
      code: "CANCELLED",
      message: "The call was cancelled while waiting for GET /never behind 1 other requests",
    });
    await Promise.all([running, behind]);
    expect(server.log.map(({ path }) => path)).toEqual(["/cells", "/behind"]);
  });
});
