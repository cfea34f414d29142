/** What `--help` and `--print-config` show. */
import { credentialVariables } from "./config.ts";
import type { ServerDescriptor } from "./contract.ts";
import { OPTIONS, SWITCHES } from "./options.ts";

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

/** The page that `--help` shows. */
export function helpText(server: ServerDescriptor, hasDemo: boolean): string {
  const { program, title, variables } = server;
  const credentials = credentialVariables(server);
  const options = [
    ...SWITCHES.filter(({ name }) => name !== "demo" || hasDemo).map(
      ({ name, text }): [string, string] => [`--${name}`, text],
    ),
    ...OPTIONS.map((option): [string, string] => [
      `--${option.name} ${option.value}`,
      "standard" in option && option.standard !== ""
        ? `${option.text} (${option.standard})`
        : option.text,
    ]),
  ];
  const key =
    credentials.length === 0
      ? ""
      : `
The key belongs into the "env" of this server's entry in the host's configuration:
  {"mcpServers": {"${program}": {"command": "${program}", "env": {"${credentials[0]}": "…"}}}}
Without it the server starts, and its tools say which variable is missing.
`;
  return `${program}: ${title}, as a Model Context Protocol server on stdin and stdout

Usage: ${program} [options]

${columns(options)}

Variables:
${columns(variables.map(({ name, description }): [string, string] => [name, description]))}
${key}
A flag wins over the environment, the environment over the configuration file
($XDG_CONFIG_HOME/vitrine/${program}.json unless --config names one). Options have variables too: VITRINE_TIMEOUT_MS and so on.
`;
}

/** The table that `--print-config` shows. */
export function settingsText(
  settings: readonly { readonly name: string; readonly shown: string; readonly origin: string }[],
): string {
  const [name, shown] = [
    Math.max(...settings.map((setting) => setting.name.length)),
    Math.max(...settings.map((setting) => setting.shown.length)),
  ];
  return settings
    .map((row) => `${row.name.padEnd(name)}  ${row.shown.padEnd(shown)}  ${row.origin}\n`)
    .join("");
}
