import { defineConfig } from "vitest/config";

const project = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout,
    hookTimeout: 120_000,
  },
});

export default defineConfig({
  test: {
    projects: [
      project("codegen", 30_000),
      project("runtime", 30_000),
      project("contract", 30_000),
      project("e2e", 120_000),
      // Minutes of load: asked for by name, `npm run test:long`.
      ...(process.env.VITRINE_LONG === undefined ? [] : [project("long", 600_000)]),
    ],
  },
});
