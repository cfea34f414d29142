/** Type-checks generated files as they stand in memory, against the real contract, zod and openapi-fetch. */
import { dirname, join } from "node:path";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "..", "..");

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
};

/** Files of the disk, parsed: libraries are most of the work. */
const parsed = new Map<string, ts.SourceFile>();

/**
 * Errors of files that need not be on disk, `file:line message`.
 * @param files text by path relative to the repository
 */
export function typeErrors(files: ReadonlyMap<string, string>): string[] {
  const texts = new Map([...files].map(([file, text]) => [join(ROOT, file), text]));
  const folders = new Set([...texts.keys()].map((file) => dirname(file)));
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, directoryExists } = host;
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.directoryExists = (folder) => folders.has(folder) || directoryExists?.(folder) === true;
  host.getSourceFile = (file, options) => {
    const own = texts.get(file);
    if (own !== undefined) {
      return ts.createSourceFile(file, own, options);
    }
    const text = parsed.has(file) ? undefined : host.readFile(file);
    if (text !== undefined) {
      parsed.set(file, ts.createSourceFile(file, text, options));
    }
    return parsed.get(file);
  };
  const names = [...texts.keys()].filter((file) => file.endsWith(".ts"));
  const program = ts.createProgram(names, OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    const name = file?.fileName.slice(ROOT.length + 1) ?? "";
    return `${name}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}
