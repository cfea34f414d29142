/** The files of a new package beside manifest and document: what makes it run, and what watches the service's next document. */
import { VERSION } from "../generate.ts";

/** What the files are about. */
export interface PackageFacts {
  readonly name: string;
  readonly program: string;
  readonly title: string;
  /** The document's address, or undefined where it came from a file. */
  readonly address: string | undefined;
  /** Variables of the server with what they hold. */
  readonly variables: readonly (readonly [string, string])[];
}

const packageJson = ({ program, title }: PackageFacts) =>
  `${JSON.stringify(
    {
      name: program,
      version: "0.1.0",
      private: true,
      description: `MCP server for ${title}`,
      type: "module",
      scripts: {
        start: "vitrine serve",
        generate: "vitrine generate",
        inspect: "vitrine inspect",
        check: "vitrine check",
        build: "vitrine build",
      },
      dependencies: { vitrine: `^${VERSION}` },
    },
    null,
    2,
  )}\n`;

const readme = ({ program, title, variables, address }: PackageFacts) => `# ${program}

An MCP server for ${title}, made by Vitrine from the service's OpenAPI document. \`tools.manifest.yaml\` is the only file to read and edit:
it says which operations are tools, under which names and words.

\`\`\`sh
npm install
npx vitrine inspect    # what an assistant will see, and what it costs
npx vitrine generate   # after every edit of the manifest
npx vitrine serve      # runs the server on stdin and stdout; --http 8080 for many users
npx vitrine build      # one file, ${program}.mjs, that needs nothing but Node
\`\`\`

In a host: \`{"mcpServers": {"${program}": {"command": "node", "args": ["/path/to/${program}.mjs"]}}}\`

| variable | holds |
|---|---|
${variables.map(([name, words]) => `| \`${name}\` | ${words.replaceAll("|", "\\|")} |`).join("\n")}

A new version of the service's document: \`npx vitrine check --against ${address ?? "NEW_DOCUMENT"}\` tells what it breaks.
`;

const drift = ({
  address,
}: PackageFacts) => `# Every week: are the generated files current, and does the service's document still fit the tools?
name: drift
on:
  schedule:
    - cron: "17 5 * * 1"
  pull_request:
  workflow_dispatch:
permissions:
  contents: read
jobs:
  drift:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm install
      - run: npx vitrine check --format github
${
  address === undefined
    ? "      # The document came from a file. Where the service publishes it:\n      # - run: npx vitrine check --against https://… --format github\n"
    : `      - run: npx vitrine check --against ${JSON.stringify(address)} --format github\n`
}`;

/** Text of the files by path. */
export function packageFiles(facts: PackageFacts): Map<string, string> {
  return new Map([
    ["package.json", packageJson(facts)],
    ["README.md", readme(facts)],
    [".gitignore", "node_modules/\n"],
    [".github/workflows/drift.yml", drift(facts)],
  ]);
}
