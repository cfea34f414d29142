import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Archive, haveSamples, openArchive, sample } from "../helpers/edi-demo.ts";

let archive: Archive;
beforeAll(async () => {
  archive = await openArchive({ now: () => Date.UTC(2026, 11, 1, 12) });
});
afterAll(() => archive.close());

describe("cite", () => {
  const cite = (id: string, query = "", accept?: string) =>
    fetch(`${archive.citeUrl}/cite/${id}${query}`, {
      redirect: "manual",
      headers: accept === undefined ? {} : { accept },
    });
  const HBR = "knb-lter-hbr.9014.4";

  test.skipIf(!haveSamples).each([
    ["", "text/plain", "cite/esip.txt"],
    ["?style=esip", "text/plain", "cite/esip.txt"],
    ["", "application/json", "cite/esip.json"],
    ["?style=RAW", "application/json", "cite/raw.json"],
    ["?style=BIBTEX", "text/plain", "cite/bibtex.txt"],
  ])("gives the documented citation for %j as %s", async (query, accept, name) => {
    const answer = await cite(HBR, query, accept);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, accept]);
    expect((await answer.text()).trim()).toBe(sample(name).trim());
  });

  test("adds the day of access and drops the last stop", async () => {
    const accessed = await (await cite(HBR, "?access")).text();
    expect(accessed).toMatch(/23a3\. Accessed 2026-12-01\.$/);
    expect(await (await cite(HBR, "?no_dot")).text()).toMatch(/23a3$/);
    expect(await (await cite(HBR, "?style=BIBTEX-ONLINE")).text()).toMatch(/^@online\{/);
    expect(await (await cite(HBR, "?style=DRYAD")).text()).toMatch(
      /^Lindqvist MJ, Achterberg T, .*\(2024\)/,
    );
    expect(await (await cite(HBR, "?env=staging")).text()).toContain(
      "https://doi.org/DOI_PLACE_HOLDER.",
    );
  });

  test("takes the first type that it knows and does not understand quality values", async () => {
    const first = await cite(HBR, "", "image/png, text/html, text/plain");
    expect(first.headers.get("content-type")).toBe("text/html");
    const known = await cite(HBR, "", "text/html;q=0.9, */*");
    expect(known.headers.get("content-type")).toBe("text/plain");
    expect(await (await cite(HBR, "?style=bibtex", "application/json")).json()).toMatch(/^@misc/);
  });

  test.each([
    ["knb-lter-hbr.9014.3", "", "*/*"],
    ["knb-lter-hbr.9013.1", "", "*/*"],
    [HBR, "?style=APA", "*/*"],
    [HBR, "?env=moon", "*/*"],
    [HBR, "?ignore=individuals,organizations,positions", "*/*"],
    [HBR, "", "image/png"],
  ])("answers %s%s accepting %s with 400 and a page", async (id, query, accept) => {
    const answer = await cite(id, query, accept);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "text/html"]);
  });

  test("sends a visitor to its help page", async () => {
    const answer = await fetch(`${archive.citeUrl}/cite`, { redirect: "manual" });
    expect(answer.status).toBe(301);
  });
});

describe("demo/edi/main.ts", () => {
  test("prints one line of addresses and ends with its input", async () => {
    const child = spawn("npx", ["tsx", "demo/edi/main.ts", "--rows", "100"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const told = JSON.parse(line);
    expect(Object.keys(told)).toEqual([
      "pasta_url",
      "auth_url",
      "cite_url",
      "cn_url",
      "mn_url",
      "storage_url",
      "key",
    ]);
    const answer = await fetch(`${told.pasta_url}/package/eml?key=${told.key}`);
    expect(answer.status).toBe(200);
    await answer.text();
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test.each([["--port", "x"], ["--rows", "0"], ["--what"]])("exits 2 on %s", async (...args) => {
    const child = spawn("npx", ["tsx", "demo/edi/main.ts", ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const lines: string[] = [];
    createInterface(child.stderr).on("line", (text) => lines.push(text));
    expect(await once(child, "close")).toEqual([2, null]);
    expect(lines).toHaveLength(1);
  });
});
