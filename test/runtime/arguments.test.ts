import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkArguments } from "../../src/arguments.ts";
import type { ToolDescriptor } from "../../src/contract.ts";
import { ToolError } from "../../src/errors.ts";

const schema = z.strictObject({
  measurement_id: z.string().min(1),
  columns: z.array(z.string()).optional(),
  limit: z.int().min(1).optional(),
  layout: z.enum(["records", "columns", "csv"]).optional(),
  where: z
    .array(z.strictObject({ column: z.string(), op: z.string() }))
    .max(2)
    .optional(),
});
const properties = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, {}]));
const tool = {
  name: "get_measurement_time_series",
  inputSchema: { type: "object", properties },
  arguments: () => schema,
} as unknown as ToolDescriptor;

function refusal(args: unknown): ToolError {
  try {
    checkArguments(tool, args);
  } catch (error) {
    return error as ToolError;
  }
  throw new Error("nothing was refused");
}

describe("checkArguments", () => {
  test("hands checked arguments on as they came", () => {
    const args = { measurement_id: "m", limit: 3 };
    expect(checkArguments(tool, args)).toEqual(args);
  });

  const cases: [unknown, string][] = [
    [undefined, "measurement_id is required (string)"],
    [{ measurement_id: 7 }, "measurement_id must be string, not number"],
    [{ measurement_id: null }, "measurement_id must be string, not null"],
    [{ measurement_id: "" }, "measurement_id must be at least 1"],
    [{ measurement_id: "m", limit: "2" }, "limit must be number, not string"],
    [{ measurement_id: "m", limit: 0 }, "limit must be at least 1"],
    [{ measurement_id: "m", limit: 1.5 }, "limit must be a whole number, not 1.5"],
    [{ measurement_id: "m", layout: "table" }, 'layout must be one of "records", "columns", "csv"'],
    [{ measurement_id: "m", colums: [] }, 'unknown argument "colums", did you mean "columns"?'],
    [{ measurement_id: "m", zzz: 1 }, 'unknown argument "zzz"'],
    [{ measurement_id: "m", columns: ["a", 2] }, "columns[1] must be string, not number"],
    [
      { measurement_id: "m", where: [{ column: "a", op: "=", valu: 1 }] },
      'unknown argument "valu" in where[0]',
    ],
    [
      { measurement_id: "m", where: [1, 2, 3].map(() => ({ column: "a", op: "=" })) },
      "where must be at most 2 long",
    ],
    [[], "arguments must be object, not a list"],
    ["text", "arguments must be object, not string"],
  ];
  for (const [args, want] of cases) {
    test(`says of ${JSON.stringify(args)}: ${want}`, () => {
      const error = refusal(args);
      expect(error).toBeInstanceOf(ToolError);
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.message).toBe(`get_measurement_time_series: ${want}`);
      expect(error.hint).toBe(
        "The arguments of get_measurement_time_series are: measurement_id, columns, limit, layout, where",
      );
    });
  }

  test("tells several problems at once", () => {
    expect(refusal({ limit: -1, foo: 1 }).message).toBe(
      'get_measurement_time_series: measurement_id is required (string); limit must be at least 1; unknown argument "foo"',
    );
  });
});
