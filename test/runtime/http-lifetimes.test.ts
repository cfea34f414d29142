import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { HTTP_LIMITS } from "../../src/transport/http-listener.ts";
import { type HttpFixture, startFixture } from "../helpers/http-fixture.ts";
import { ask, askMcp, type Era, messageOf, messagesOf } from "../helpers/http-request.ts";

const ERAS: Era[] = ["2025-11-25", "2026-07-28"];
const QUICK = { ...HTTP_LIMITS, headersMs: 200, requestMs: 400, checkMs: 50, keepAliveMs: 300 };

/** A connection of which every byte is ours. */
function rawConnection({ base }: HttpFixture): { socket: Socket; over: Promise<string> } {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  return { socket, over: once(socket, "close").then(() => text) };
}

/** Begins a request and gives a way to leave it. */
function begin(url: string, era: Era, params: Record<string, unknown>) {
  const message = messageOf(era, "tools/call", params);
  const sent = request(url, { method: "POST", headers: message.headers, agent: false });
  sent.on("error", () => undefined);
  sent.end(message.body);
  return { leave: () => sent.destroy() };
}

describe("slow connections", () => {
  test("are closed with 408 when the headers do not end", async () => {
    const fixture = await startFixture({ limits: QUICK });
    const { socket, over } = rawConnection(fixture);
    socket.write("POST /mcp HTTP/1.1\r\nhost: localhost\r\n");
    expect(await over).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("are closed with 408 when the body drips, and the next request is served", async () => {
    const fixture = await startFixture({ limits: QUICK });
    const { socket, over } = rawConnection(fixture);
    socket.write(
      "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n",
    );
    const drip = setInterval(() => socket.write(" "), 20);
    expect(await over).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
    expect(fixture.calls).toHaveLength(0);
    expect((await ask(`${fixture.base}/healthz`)).status).toBe(200);
  });

  test("are closed when nothing is asked on them any more", async () => {
    const fixture = await startFixture({ limits: QUICK });
    const { socket, over } = rawConnection(fixture);
    socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(await over).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("that send what is no HTTP are closed with 400", async () => {
    const fixture = await startFixture();
    const { socket, over } = rawConnection(fixture);
    socket.write("\u0016\u0003\u0001 hello\r\n\r\n");
    expect(await over).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("are not more than 3 where 3 are allowed", async () => {
    const fixture = await startFixture({ limits: { ...HTTP_LIMITS, connections: 3 } });
    const held = Array.from({ length: 3 }, () => rawConnection(fixture));
    await Promise.all(held.map(({ socket }) => once(socket, "connect")));
    const { over } = rawConnection(fixture);
    expect(await over).toBe("");
    held[0]?.socket.destroy();
    await once(held[0]?.socket as Socket, "close");
    await expect
      .poll(() =>
        ask(`${fixture.base}/healthz`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  test("do not hold up 20 calls of others", async () => {
    const fixture = await startFixture();
    for (let count = 0; count < 50; count += 1) {
      rawConnection(fixture).socket.write("POST /mcp HTTP/1.1\r\nhost: localhost\r\n");
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        askMcp(fixture.url, "2026-07-28", "tools/call", { name: "echo" }),
      ),
    );
    expect(answers.filter(({ result }) => result.structuredContent.said === "whole")).toHaveLength(
      20,
    );
  });
});

describe.each(ERAS)("a call of revision %s", (era) => {
  test("is cancelled when its client goes away, and no other is", async () => {
    const fixture = await startFixture();
    const leaver = begin(fixture.url, era, { name: "wait" });
    begin(fixture.url, era, { name: "wait" });
    await fixture.until(2);
    leaver.leave();
    const aborted = () => fixture.calls.filter(({ options }) => options.signal.aborted).length;
    await expect.poll(aborted).toBe(1);
    expect(fixture.statuses).toHaveLength(1);
  });

  test("is cancelled when its client goes away in the middle of its progress", async () => {
    const fixture = await startFixture();
    const params = { name: "wait", _meta: { progressToken: 1 } };
    const leaver = begin(fixture.url, era, params);
    await fixture.until(1);
    const [call] = fixture.calls;
    call?.options.progress?.(1, 10, "bytes read");
    leaver.leave();
    await expect.poll(() => call?.options.signal.aborted).toBe(true);
  });

  test("tells 2 steps of progress before its answer, under its token", async () => {
    const fixture = await startFixture();
    const params = { name: "wait", _meta: { progressToken: "p" } };
    const message = messageOf(era, "tools/call", params);
    const answer = ask(fixture.url, { method: "POST", ...message });
    await fixture.until(1);
    const [call] = fixture.calls;
    call?.options.progress?.(1, 2, "bytes read");
    call?.options.progress?.(2, 2, "bytes read");
    call?.end();
    const received = await answer;
    expect(received.headers["content-type"]).toBe("text/event-stream");
    const [first, second, last] = messagesOf(received);
    expect(first).toMatchObject({
      method: "notifications/progress",
      params: { progressToken: "p", progress: 1, total: 2 },
    });
    expect(second.params.progress).toBe(2);
    expect(last.result.structuredContent.said).toBe("whole");
  });

  test("without a token is told no progress", async () => {
    const fixture = await startFixture();
    const answer = askMcp(fixture.url, era, "tools/call", { name: "echo" });
    await answer;
    expect(fixture.calls[0]?.options.progress).toBeUndefined();
  });

  test("in flight is answered while the server drains, and its connection closed", async () => {
    const fixture = await startFixture();
    const agent = new Agent({ keepAlive: true });
    const message = messageOf(era, "tools/call", { name: "wait" });
    const sent = request(fixture.url, { method: "POST", headers: message.headers, agent });
    sent.end(message.body);
    const answered = once(sent, "response");
    await fixture.until(1);
    let drained = false;
    const draining = fixture.drain().then(() => {
      drained = true;
    });
    await expect(ask(`${fixture.base}/healthz`)).rejects.toThrow("ECONNREFUSED");
    expect(drained).toBe(false);
    fixture.calls[0]?.end();
    const [response] = await answered;
    let text = "";
    for await (const chunk of response) {
      text += chunk;
    }
    expect(text).toContain("whole");
    await draining;
    agent.destroy();
  });
});

describe("drain", () => {
  test("ends calls that outlast their time", async () => {
    const fixture = await startFixture({ callMs: 200 });
    begin(fixture.url, "2026-07-28", { name: "wait" });
    await fixture.until(1);
    await fixture.drain();
    await expect.poll(() => fixture.calls[0]?.options.signal.aborted).toBe(true);
  });

  test("does not wait for a subscription, which ends in good order", async () => {
    const fixture = await startFixture();
    const message = messageOf("2026-07-28", "subscriptions/listen", { notifications: {} });
    const sent = request(fixture.url, { method: "POST", headers: message.headers, agent: false });
    sent.end(message.body);
    const [response] = await once(sent, "response");
    expect(response.statusCode).toBe(200);
    await fixture.drain();
    response.resume();
    await once(response, "end");
  });

  test("does not wait for a connection that never asked, nor for one that began to", async () => {
    const fixture = await startFixture();
    const [silent, begun] = [rawConnection(fixture), rawConnection(fixture)];
    begun.socket.write("POST /mcp HTTP/1.1\r\nhost: localhost\r\n");
    await Promise.all([silent, begun].map(({ socket }) => once(socket, "connect")));
    await ask(`${fixture.base}/healthz`);
    await fixture.drain();
    expect(await Promise.all([silent.over, begun.over])).toEqual(["", ""]);
  });

  test("does not wait for connections on which nothing is asked", async () => {
    const fixture = await startFixture();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const sent = request(`${fixture.base}/healthz`, { agent }).end();
    const [response] = await once(sent, "response");
    response.resume();
    await once(response, "end");
    await fixture.drain();
  });
});
