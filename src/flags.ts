/** The command line as names and values. */
import { parseArgs } from "node:util";
import { nearest } from "./nearest.ts";
import { OPTIONS, SWITCHES } from "./options.ts";

/**
 * Values of flags by name, `"true"` for switches; the last one wins.
 * @param problems receives a sentence for each argument that is wrong
 */
export function readFlags(args: readonly string[], problems: string[]): Map<string, string> {
  const flags = new Map<string, string>();
  const options = Object.fromEntries([
    ...SWITCHES.map(({ name }) => [name, { type: "boolean" as const }]),
    ...OPTIONS.map(({ name }) => [name, { type: "string" as const }]),
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  let unknownAt = Number.NaN;
  for (const token of tokens) {
    if (token.kind === "positional") {
      // What follows an unknown option is its value: one problem, not two.
      if (token.index !== unknownAt + 1) {
        problems.push(`unknown argument "${token.value}"; --help shows what there is`);
      }
      continue;
    }
    if (token.kind !== "option") {
      continue;
    }
    const known = options[token.name];
    if (known === undefined || !token.rawName.startsWith("--")) {
      unknownAt = token.index;
      const near = nearest(token.name, Object.keys(options));
      const remedy = near === undefined ? "--help shows what there is" : `did you mean --${near}?`;
      problems.push(`unknown argument "${token.rawName}"; ${remedy}`);
    } else if (known.type === "boolean" && token.value !== undefined) {
      problems.push(`--${token.name} takes no value`);
    } else if (known.type === "string" && (token.value === undefined || token.value === "")) {
      problems.push(`--${token.name} needs a value`);
    } else {
      flags.set(token.name, token.value ?? "true");
    }
  }
  return flags;
}
