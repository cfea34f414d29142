/** What the machine does to a server: no room for files, a clock that jumps, a signal in the middle of a call. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fault } from "../helpers/fault-server.ts";
import { argsOf, expectRefusal, FaultyServer, KINDS, RECORD } from "../helpers/faulty-server.ts";
import { FIXTURE_ROWS, fixture } from "../helpers/fixture-table.ts";

/** More than a server keeps in memory of a store without ranges [bytes]. */
const TOO_MUCH = 17 * 1024 * 1024;

const small = () => fault.file(fixture("polars-zstd"), { etag: '"small"' });
const large = () => fault.file(new Uint8Array(TOO_MUCH), { etag: '"large"', range: "ignore" });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "vitrine-kill-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("the temporary folder", () => {
  test("that is deleted while the server runs costs a large file its place, and nothing else", async () => {
    const path = folder();
    const under = await FaultyServer.start({ TMPDIR: path });
    expectRefusal(await under.window(under.offer(large()), 0), "UNREADABLE_ANSWER");
    rmSync(path, { recursive: true });
    const outcome = await under.window(under.offer(large()), 0);
    expectRefusal(outcome, "TOO_LARGE");
    expect(outcome.value.error.hint).toContain("TMPDIR");
    expect((await under.window(under.offer(small()), 0)).value.total_rows).toBe(FIXTURE_ROWS);
    await under.stop();
  });

  test.each(["/proc", "/dev/null"])(
    "%s takes no file: TOO_LARGE, and the next call works",
    async (path) => {
      const under = await FaultyServer.start({ TMPDIR: path });
      expectRefusal(await under.window(under.offer(large()), 0), "TOO_LARGE");
      expect((await under.window(under.offer(small()), 0)).value.total_rows).toBe(FIXTURE_ROWS);
      await under.stop();
    },
  );
});

describe("a clock that jumps by 10 days and back", () => {
  test("changes no answer, and no call waits for it: 4 result kinds, 3 times", async () => {
    const clock = join(folder(), "clock.cjs");
    writeFileSync(
      clock,
      `const real = Date.now; let day = 0;
       setInterval(() => { day = day === 0 ? 10 : day === 10 ? -10 : 0; }, 40).unref();
       Date.now = () => real() + day * 86_400_000;`,
    );
    const under = await FaultyServer.start({ NODE_OPTIONS: `--require=${clock}` });
    for (let round = 0; round < 3; round++) {
      const id = under.offer(small());
      expect((await under.window(id, 100)).value.total_rows).toBe(FIXTURE_ROWS);
      for (const { kind, tool, path, body } of KINDS.slice(0, 3)) {
        under.api.routes = {
          [path]: [fault.rateLimit(), fault.json(body)],
          "*": fault.json(RECORD),
        };
        expect((await under.call(tool, argsOf(kind))).isError).toBeUndefined();
      }
    }
    await under.stop();
  });
});

describe("SIGTERM in the middle of a call", () => {
  test("ends the process with 0, the request upstream, and no line in its middle", async () => {
    const under = await FaultyServer.start();
    const { api, server, store } = under;
    const [{ tool, path, kind }] = KINDS;
    api.routes = { [path]: fault.drip(JSON.stringify(RECORD).padEnd(5_000), 20) };
    server.ask("tools/call", { name: tool, arguments: argsOf(kind) });
    await api.until(() => api.count(path) === 1);
    server.child.kill("SIGTERM");
    expect(await server.exit).toEqual({ code: 0, signal: null });
    await api.until(() => api.log[0]?.aborted === true);
    expect(server.lines.every(({ json }) => json !== undefined)).toBe(true);
    await Promise.all([api.close(), store.close()]);
  });
});
