/**
 * `client.ts`: one typed openapi-fetch binding per operation, for hand-written code. It imports types only, so there is one
 * way to the network: the client it is handed. What a tool sends and the document no longer takes is a compile error here.
 */
import type { ParameterPlace } from "../../src/contract.ts";
import type { OperationPlan, ServerPlan } from "../plan.ts";
import { constantText, emitSource, literal } from "./source.ts";

interface ClientBinding {
  readonly name: string;
  readonly operation: OperationPlan;
  readonly tools: readonly string[];
  /** Names on the wire, by place. */
  readonly parameters: ReadonlyMap<ParameterPlace, ReadonlySet<string>>;
}

/** Words that cannot name a constant. Tool names are three characters or longer. */
const RESERVED = new Set(
  "await break case catch class const continue debugger default delete else enum export extends false finally for function implements import instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield".split(
    " ",
  ),
);

function constantName(tool: string, suffix: string, taken: ReadonlySet<string>): string {
  const camel = `${tool}${suffix}`.replace(/_+([a-z0-9])/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
  let name = RESERVED.has(camel) ? `${camel}_` : camel;
  while (taken.has(name)) {
    name = `${name}_`;
  }
  return name;
}

/** One binding per operation, named after the first tool whose own it is. */
function bindingsOf(plan: ServerPlan): ClientBinding[] {
  const uses = plan.tools.flatMap((tool) =>
    tool.operations.map((operation) => ({ operation, tool: tool.descriptor.name })),
  );
  const own = uses.filter(({ operation }) => operation.role === "own");
  const second = uses.filter(({ operation }) => operation.role !== "own");
  const bindings = new Map<string, ClientBinding>();
  const taken = new Set<string>();
  for (const { operation, tool } of [...own, ...second]) {
    const known = bindings.get(operation.pointer);
    const suffix = operation.role === "own" ? "" : `_${operation.role}`;
    const name = known?.name ?? constantName(tool, suffix, taken);
    taken.add(name);
    const parameters = new Map<ParameterPlace, Set<string>>();
    for (const [place, names] of known?.parameters ?? []) {
      parameters.set(place, new Set(names));
    }
    for (const parameter of operation.binding.parameters) {
      const names = parameters.get(parameter.in) ?? new Set();
      parameters.set(parameter.in, names.add(parameter.name));
    }
    const tools = [...new Set([...(known?.tools ?? []), tool])];
    bindings.set(operation.pointer, {
      name,
      operation: known?.operation ?? operation,
      tools,
      parameters,
    });
  }
  return [...bindings.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Members of the second argument: by place, the parameters that the tools send. */
function parameterType(binding: ClientBinding, route: string): string {
  const { operation, parameters } = binding;
  const method = operation.binding.method.toLowerCase();
  const members = [...parameters].map(([place, names]) => {
    const isRequired = operation.binding.parameters.some(
      (parameter) => parameter.in === place && parameter.required,
    );
    const keys = [...names].map((name) => literal(name)).join(" | ");
    return `    readonly ${place}${isRequired ? "" : "?"}: Sent<${route}, "${method}", "${place}", ${keys}>;\n`;
  });
  return `{\n${members.join("")}  }`;
}

/** The parameters of an operation that are sent: a name that the document no longer has is a compile error. */
const SENT = `type Sent<
  Route extends keyof paths,
  Method extends "get" | "head",
  Place extends string,
  Name extends keyof Placed<Route, Method, Place>,
> = Pick<Placed<Route, Method, Place>, Name>;

type Placed<
  Route extends keyof paths,
  Method extends "get" | "head",
  Place extends string,
> = paths[Route][Method] extends { parameters: { [place in Place]?: infer Parameters } }
  ? NonNullable<Parameters>
  : never;`;

/** The text of `client.ts`. */
export function emitClient(plan: ServerPlan): Promise<string> {
  return emitSource((file) => {
    file.addImportDeclaration({
      isTypeOnly: true,
      moduleSpecifier: "openapi-fetch",
      namedImports: ["Client"],
    });
    file.addImportDeclaration({
      isTypeOnly: true,
      moduleSpecifier: "./types.ts",
      namedImports: ["paths"],
    });
    file.addStatements(`\n${SENT}`);
    // All at once: each change of the file parses it anew.
    const constants = bindingsOf(plan).map((binding) => {
      const { operation, parameters, name, tools } = binding;
      const route = literal(operation.binding.path);
      const options = [
        ...(parameters.size === 0 ? [] : ["params: parameters"]),
        ...(operation.reads === "file" ? ['parseAs: "stream"'] : []),
      ];
      const second =
        parameters.size === 0 ? "" : `  parameters: ${parameterType(binding, route)},\n`;
      const init = options.length === 0 ? "" : `, { ${options.join(", ")} }`;
      const call = `client.${operation.binding.method}(${route}${init})`;
      return constantText(name, undefined, `(\n  client: Client<paths>,\n${second}) => ${call}`, {
        exported: true,
        doc: `Sent by ${tools.join(", ")}.`,
      });
    });
    file.addStatements(constants);
  });
}
