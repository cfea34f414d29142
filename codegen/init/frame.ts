/** A section of the manifest without its tools: how the service is reached, and what it is. */
import { entriesOf, isObject, placeOf, textOf } from "../drift/place.ts";
import { type Operation, operationsOf } from "../drift/operations.ts";
import type { LoadedDocument } from "../load.ts";
import type { LoadedManifest } from "../manifest.ts";
import type { ManifestPath } from "../manifest-findings.ts";
import { type ServerSection, serverSchema } from "../manifest-schema.ts";
import { planServer } from "../planning/server.ts";
import { isWrite } from "./drafts.ts";
import { serverName, snakeCase, variablePrefix } from "./names.ts";
import { securitySchemes } from "./propose.ts";
import { shorten, titleOf } from "./words.ts";

export type Frame = Omit<ServerSection, "tools">;

/** A proposed section. */
export interface ProposedFrame {
  readonly name: string;
  readonly frame: Frame;
  /** What the person must still do, one line each. */
  readonly todo: readonly string[];
}

const NOWHERE = "http://localhost";

/** The document's first server, as an absolute address where it has one. */
function addressOf(document: LoadedDocument): { url: string; known: boolean } {
  const [server] = entriesOf(placeOf(document.json, document.json, ""), "servers");
  const variables = isObject(server?.value.variables) ? server.value.variables : {};
  const written = (server === undefined ? "" : (textOf(server, "url") ?? "")).replace(
    /\{([^}]*)\}/g,
    (whole, name: string) => {
      const variable = variables[name];
      return isObject(variable) && typeof variable.default === "string" ? variable.default : whole;
    },
  );
  const base = /^https?:/i.test(document.source) ? document.source : undefined;
  if (/^https?:\/\//i.test(written) && URL.canParse(written)) {
    return { url: written, known: true };
  }
  if (base !== undefined && URL.canParse(written, base)) {
    return { url: new URL(written || "/", base).href, known: true };
  }
  const path = /^\/[\w./~-]*$/.test(written) ? written : "";
  return { url: `${NOWHERE}${path}`, known: false };
}

/** Names of the schemes that an operation demands; empty where it can do without. */
function demanded({ json }: LoadedDocument, { operation }: Operation): string[] {
  const security = operation.value.security ?? json.security;
  const choices = Array.isArray(security) ? security.filter(isObject) : [];
  return choices.some((choice) => Object.keys(choice).length === 0)
    ? []
    : choices.flatMap((choice) => Object.keys(choice));
}

interface Credential {
  readonly scheme: string;
  readonly variable: string;
}

/** Credentials where most reads demand one: without its variable a server with credentials answers nothing. */
function proposeCredentials(document: LoadedDocument, prefix: string): Credential[] {
  const reads = operationsOf(document.json).filter((operation) => !isWrite(operation));
  const used = reads.map((operation) => demanded(document, operation));
  const secured = used.filter((schemes) => schemes.length > 0);
  if (secured.length === 0 || secured.length * 2 < reads.length) {
    return [];
  }
  const names = new Set(used.flat());
  const taken = new Set<string>();
  return securitySchemes(document).flatMap(([scheme, place]): Credential[] => {
    // Every request says who sends it anyway.
    if (!names.has(scheme) || textOf(place, "name")?.toLowerCase() === "user-agent") {
      return [];
    }
    const plain = textOf(place, "type") === "apiKey" ? "API_KEY" : "TOKEN";
    const bare = `${prefix}_${plain}`;
    const variable = taken.has(bare) ? `${prefix}_${snakeCase(scheme).toUpperCase()}` : bare;
    const isNew = !taken.has(variable);
    taken.add(variable);
    return isNew ? [{ scheme, variable }] : [];
  });
}

/** Credentials that the planner takes, and why it does not take the others. */
function supported(document: LoadedDocument, frame: Frame): { kept: Frame; refused: string[] } {
  const { credentials = [] } = frame.upstream;
  const paths: ManifestPath[] = [];
  const manifest: LoadedManifest = {
    file: "",
    servers: {},
    problems: [],
    locate: (path) => ({ line: paths.push(path), column: 1 }),
  };
  const { problems } = planServer(manifest, document, "draft", { ...frame, tools: {} });
  const bad = problems.flatMap(({ line, message }) => {
    const [, , , member, index] = paths[line - 1] ?? [];
    return member === "credentials" ? [{ index, message }] : [];
  });
  const kept = credentials.filter((_, index) => !bad.some((one) => one.index === index));
  const dropped = credentials.filter((one) => !kept.includes(one)).map(({ variable }) => variable);
  const { credentials: _, ...upstream } = frame.upstream;
  return {
    kept: {
      ...frame,
      upstream: kept.length === 0 ? upstream : { ...upstream, credentials: kept },
      variables: Object.fromEntries(
        Object.entries(frame.variables).filter(([name]) => !dropped.includes(name)),
      ),
    },
    refused: bad.map(({ message }) => message),
  };
}

export interface FrameOptions {
  readonly name?: string;
  readonly baseUrl?: string;
  /** Path of the document beside the manifest, by the server's name. */
  readonly documentPath: (name: string) => string;
}

/** Proposes a section; its instructions are those of a server whose tools are not known yet. */
export function proposeFrame(document: LoadedDocument, options: FrameOptions): ProposedFrame {
  const info = placeOf(document.json, document.json.info, "/info");
  const title = titleOf(info) || "API";
  const name = options.name ?? serverName(title);
  const prefix = variablePrefix(name);
  const { url, known } =
    options.baseUrl === undefined ? addressOf(document) : { url: options.baseUrl, known: true };
  const credentials = proposeCredentials(document, prefix);
  const description = shorten(textOf(info, "description") ?? "", 600);
  const urlVariable = `${prefix}_URL`;
  const frame: Frame = serverSchema.omit({ tools: true }).parse({
    document: options.documentPath(name),
    program: `${name}-mcp`,
    title,
    instructions: description === "" || description === title ? title : `${title}. ${description}`,
    upstream: {
      url: url.replace(/\/+$/, ""),
      url_variable: urlVariable,
      ...(credentials.length === 0 ? {} : { credentials }),
    },
    variables: {
      ...Object.fromEntries(
        credentials.map(({ scheme, variable }) => [
          variable,
          { description: `Credential of ${title} (${scheme}).`, secret: true },
        ]),
      ),
      [urlVariable]: { description: `Address of ${title}.` },
    },
  });
  const { kept, refused } = supported(document, frame);
  const address = `the document names no address of the service: write it at upstream.url, or set ${urlVariable}`;
  return {
    name,
    frame: kept,
    todo: [...(known ? [] : [address]), ...refused.map((why) => `credentials: ${why}`)],
  };
}
