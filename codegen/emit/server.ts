/** `server.ts`: how the service is reached, and its tools. */
import type { ServerPlan } from "../plan.ts";
import { addConstant, Code, emitSource, type Literal, literal } from "./source.ts";

/** The text of `server.ts`. */
export function emitServer(plan: ServerPlan): Promise<string> {
  const descriptor: Literal = {
    ...(plan.descriptor as unknown as Record<string, Literal>),
    tools: new Code("tools"),
  };
  return emitSource((file) => {
    file.addImportDeclaration({
      isTypeOnly: true,
      moduleSpecifier: "vitrine/contract",
      namedImports: ["ServerDescriptor"],
    });
    file.addImportDeclaration({ moduleSpecifier: "./tools.ts", namedImports: ["tools"] });
    addConstant(file, "server", "ServerDescriptor", literal(descriptor), { exported: true });
  });
}
