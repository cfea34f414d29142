import { describe, expect, test } from "vitest";
import { fault } from "../helpers/fault-server.ts";
import { ANSWER, call, cells, send, server, start, under } from "../helpers/one-server.ts";
import { upstreamAt } from "../helpers/upstream-under-test.ts";

describe("tries", () => {
  test.each([[500], [502], [503], [504], [429]])(
    "answers after one %i with 2 requests",
    async (status) => {
      await start({ "/cells": [fault.status(status), fault.json(ANSWER)] });
      await send();
      expect([server.count(), call.cost.requests, under.waits]).toEqual([2, 2, [150]]);
    },
  );

  test("waits 150, 300, 600 ms where half is drawn, and gives up after 4 tries", async () => {
    await start({ "/cells": fault.status(503, "maintenance") });
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message:
        'GET /cells was answered with 503; the upstream says: "FAULT: maintenance" (tried 4 times)',
    });
    expect([server.count(), under.waits]).toEqual([4, [150, 300, 600]]);
  });

  test.each([[400], [404], [501], [409]])("does not try again after %i", async (status) => {
    await start({ "/cells": fault.status(status) });
    await expect(send()).rejects.toBeInstanceOf(Error);
    expect(server.count()).toBe(1);
  });

  test("waits as long as Retry-After says in seconds", async () => {
    await start({ "/cells": [fault.rateLimit(7), fault.json(ANSWER)] });
    await send();
    expect(under.waits).toEqual([7000]);
  });

  test("waits as long as Retry-After says as a date", async () => {
    await start({ "/cells": [fault.rateLimit(new Date(Date.now() + 9000)), fault.json(ANSWER)] });
    await send();
    expect(under.waits).toHaveLength(1);
    expect(under.waits[0]).toBeGreaterThan(5000);
    expect(under.waits[0]).toBeLessThanOrEqual(9000);
  });

  test("falls back on its own wait where Retry-After makes no sense", async () => {
    await start({ "/cells": [fault.rateLimit("soon"), fault.json(ANSWER)] });
    await send();
    expect(under.waits).toEqual([150]);
  });

  test("gives up at once on 503 too, and says how long to wait", async () => {
    await start({ "/cells": fault.status(503, "maintenance", { "retry-after": "300" }) });
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      hint: "Wait 300 s before the next call",
    });
    expect(server.count()).toBe(1);
  });

  test("gives up at once with RATE_LIMITED when Retry-After is beyond the deadline", async () => {
    await start({ "/cells": fault.rateLimit(120) });
    await expect(send()).rejects.toMatchObject({
      code: "RATE_LIMITED",
      hint: "Wait 120 s before the next call",
    });
    expect([server.count(), under.waits]).toEqual([1, []]);
  });

  test.each([
    ["before the answer's head", fault.dropBeforeHeaders()],
    ["in the middle of the body", fault.dropMidBody()],
    ["in good order after half the body", fault.truncated(JSON.stringify(ANSWER))],
  ])("asks again when the connection is dropped %s", async (_, drop) => {
    await start({ "/cells": [drop, fault.json(ANSWER)] });
    await send();
    expect([server.count(), call.cost.requests]).toEqual([2, 2]);
  });

  test("says UPSTREAM_UNAVAILABLE after 4 dropped connections", async () => {
    await start({ "/cells": fault.dropBeforeHeaders() });
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringMatching(/^GET \/cells got no answer: .* dropped .*\(tried 4 times\)$/),
    });
    expect(server.count()).toBe(4);
  });

  test("asks again at once, without a wait, when a kept connection had gone stale", async () => {
    await start({ "/cells": [fault.json(ANSWER), fault.dropBeforeHeaders(), fault.json(ANSWER)] });
    await send();
    await send();
    expect([server.count(), under.waits]).toEqual([3, []]);
  });

  test("counts 0 requests where connections are refused, and tries 4 times", async () => {
    await start({});
    await server.close();
    await expect(send()).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringContaining("refuses connections (tried 4 times)"),
    });
    expect([call.cost.requests, under.waits.length]).toEqual([0, 3]);
  });

  test("says UPSTREAM_UNAVAILABLE for a name without an address", async () => {
    await start({});
    const { upstream } = upstreamAt("http://no-such-host.invalid");
    await expect(upstream.send(cells, {}, call)).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringContaining("no-such-host.invalid"),
    });
    await upstream.close();
  });

  test("says that TLS failed, without another try", async () => {
    await start({});
    const { upstream, waits } = upstreamAt(server.url.replace("http:", "https:"));
    await expect(upstream.send(cells, {}, call)).rejects.toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      message: expect.stringContaining("TLS"),
    });
    expect([server.count(), waits]).toEqual([0, []]);
    await upstream.close();
  });
});
