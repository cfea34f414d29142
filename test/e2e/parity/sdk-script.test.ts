import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startDemo } from "../../helpers/ionworks-demo.ts";
import { PARITY, sdkPython } from "./python-environment.ts";

const SCRIPT = join(import.meta.dirname, "../../../../shared/ionworks/sdk-parity.py");

describe.runIf(PARITY)(
  "the embedded API under the official Python SDK 0.38.0, unchanged (with VITRINE_PARITY=1 or CI)",
  () => {
    test.runIf(existsSync(SCRIPT))(
      "passes 82 of 82 checks of ../shared/ionworks/sdk-parity.py",
      { timeout: 600_000 },
      async () => {
        const python = await sdkPython();
        const demo = await startDemo({ rows: 150_000 });
        const { PATH, HOME } = process.env;
        const child = spawn(python, [SCRIPT, "--assumed"], {
          env: { PATH, HOME, IONWORKS_API_URL: demo.url, IONWORKS_API_KEY: demo.key },
        });
        let output = "";
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (chunk) => {
            output += chunk;
          });
        }
        const status = await new Promise((resolve) => child.on("close", resolve));
        await demo.close();
        const lines = output.trim().split("\n");
        expect(lines.filter((line) => line.includes('"ok": false'))).toEqual([]);
        expect([lines.at(-1), status]).toEqual(["82 passed, 0 failed", 0]);
      },
    );
  },
);
