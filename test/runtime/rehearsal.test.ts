import { Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ionworks } from "../../src/servers.ts";
import { createTableReader } from "../../src/tables/reader.ts";
import { rehearse } from "../../src/rehearsal.ts";

afterEach(() => vi.restoreAllMocks());

describe("rehearse", () => {
  test("answers 15 calls, all well, and opens no connection", async () => {
    const connect = vi.spyOn(Socket.prototype, "connect");
    const tables = createTableReader();
    const { tools } = ionworks.descriptor;
    expect(await rehearse(tables, tools, () => false)).toEqual({ calls: 15, failed: 0 });
    expect(connect).not.toHaveBeenCalled();
    await tables.close();
  }, 60_000);

  test("stops before the next call once there is a real one", async () => {
    const tables = createTableReader();
    let asked = 0;
    const isOver = () => {
      asked += 1;
      return asked > 5;
    };
    const { calls, failed } = await rehearse(tables, [], isOver);
    expect(failed).toBe(0);
    expect(calls).toBeLessThan(5);
    await tables.close();
  }, 60_000);

  test("compiles the argument schemas of the tools it is given", async () => {
    const tables = createTableReader();
    const made: string[] = [];
    const tools = ionworks.descriptor.tools.map((tool) => ({
      ...tool,
      arguments: () => {
        made.push(tool.name);
        return tool.arguments();
      },
    }));
    await rehearse(tables, tools, () => false);
    expect(made).toEqual(tools.map(({ name }) => name));
    await tables.close();
  }, 60_000);
});
