/** How a server's service is reached: base URL, credentials by security scheme, headers, variables. */
import type { CredentialScheme, ServerDescriptor } from "../../src/contract.ts";
import { nearest } from "../../src/nearest.ts";
import { memberOf, type Place, placeOf, textOf } from "../drift/place.ts";
import type { ServerSection } from "../manifest-schema.ts";
import { type Planning, suggest, within } from "./context.ts";

/** The document's first server, its variables at their defaults; relative addresses start from the document's URL. */
function documentedUrl({ document }: Planning): string | undefined {
  const [first] = Array.isArray(document.json.servers) ? document.json.servers : [];
  const place = placeOf(document.json, first, "/servers/0");
  const variables = memberOf(place, "variables");
  const url = textOf(place, "url")?.replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const variable = variables === undefined ? undefined : memberOf(variables, name);
    return variable === undefined ? whole : (textOf(variable, "default") ?? whole);
  });
  if (url === undefined || /^https?:\/\//i.test(url)) {
    return url;
  }
  return /^https?:/i.test(document.source) ? new URL(url, document.source).href : undefined;
}

function carriage(scheme: Place): Omit<CredentialScheme, "name" | "variable"> | undefined {
  const type = textOf(scheme, "type");
  const where = textOf(scheme, "in");
  const parameter = textOf(scheme, "name");
  if (type === "apiKey" && parameter !== undefined) {
    return where === "header" || where === "query" || where === "cookie"
      ? { in: where, parameter }
      : undefined;
  }
  const http = textOf(scheme, "scheme")?.toLowerCase();
  const isBearer =
    type === "oauth2" || type === "openIdConnect" || (type === "http" && http === "bearer");
  return isBearer ? { in: "header", parameter: "Authorization", prefix: "Bearer " } : undefined;
}

function planCredentials(planning: Planning, section: ServerSection): CredentialScheme[] {
  const { document } = planning;
  const components = placeOf(document.json, document.json.components, "/components");
  const schemes = memberOf(components, "securitySchemes");
  const known = Object.keys(schemes?.value ?? {});
  return (section.upstream.credentials ?? []).flatMap((entry, index) => {
    const { scheme, variable, request_headers: requestHeaders } = entry;
    const place = schemes === undefined ? undefined : memberOf(schemes, scheme);
    const at = ["credentials", index, "scheme"];
    if (place === undefined) {
      const message = `security scheme "${scheme}" does not exist in ${document.source}`;
      planning.report(at, message, suggest(nearest(scheme, known), known));
      return [];
    }
    const carried = carriage(place);
    if (carried === undefined) {
      const what = [textOf(place, "type"), textOf(place, "scheme")].filter(Boolean).join(" ");
      planning.report(
        at,
        `security scheme "${scheme}" (${what}) is not supported`,
        "apiKey and bearer tokens are",
      );
      return [];
    }
    return [{ name: scheme, variable, ...carried, ...(requestHeaders && { requestHeaders }) }];
  });
}

function checkVariables(planning: Planning, section: ServerSection): void {
  const { upstream } = section;
  const named: [(string | number)[], string][] = [
    [["url_variable"], upstream.url_variable],
    ...(upstream.credentials ?? []).map(({ variable }, index): [(string | number)[], string] => [
      ["credentials", index, "variable"],
      variable,
    ]),
    ...Object.entries(upstream.headers ?? {}).map(([header, variable]): [string[], string] => [
      ["headers", header],
      variable,
    ]),
  ];
  for (const [at, variable] of named) {
    if (!planning.variables.includes(variable)) {
      const near = suggest(nearest(variable, planning.variables), planning.variables);
      planning.report(at, `variable ${variable} is not described under variables`, near);
    }
  }
  for (const { variable } of upstream.credentials ?? []) {
    if (section.variables[variable]?.secret === false) {
      planning.report([], `variable ${variable} holds a credential and must be secret`);
    }
  }
}

/** Everything of a server's descriptor but its tools. */
export function planDescriptor(
  planning: Planning,
  name: string,
  section: ServerSection,
): Omit<ServerDescriptor, "tools"> {
  const { upstream } = section;
  const here = within(planning, ["upstream"]);
  const credentials = planCredentials(here, section);
  checkVariables(here, section);
  const url = upstream.url ?? documentedUrl(planning);
  if (url === undefined) {
    here.report([], `${planning.document.source} names no absolute server address`, "add url");
  }
  const secrets = (upstream.credentials ?? []).map(({ variable }) => variable);
  return {
    name,
    program: section.program,
    title: section.title,
    instructions: section.instructions.trim(),
    upstream: {
      baseUrl: (url ?? "").replace(/\/+$/, ""),
      baseUrlVariable: upstream.url_variable,
      credentials,
      headers: Object.entries(upstream.headers ?? {}).map(([header, variable]) => ({
        name: header,
        variable,
      })),
      ...(upstream.redirect_hosts === undefined ? {} : { redirectHosts: upstream.redirect_hosts }),
    },
    variables: Object.entries(section.variables).map(([variable, { description, secret }]) => ({
      name: variable,
      description,
      secret: secret ?? secrets.includes(variable),
    })),
  };
}
