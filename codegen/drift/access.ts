/** How a tool reaches its operation: security schemes, places of credentials, server addresses. */
import type { Json, JsonObject } from "../../src/contract.ts";
import type { Change } from "./finding.ts";
import type { Operation } from "./operations.ts";
import { isObject, memberOf, type Place, placeOf, pointerTo } from "./place.ts";
import { list } from "./words.ts";

function schemeOf(document: JsonObject, name: string): Place | undefined {
  const components = placeOf(document, document.components, "/components");
  const schemes = memberOf(components, "securitySchemes");
  return schemes === undefined ? undefined : memberOf(schemes, name);
}

/** How a scheme's credential travels: `header X-API-Key`, `http bearer`. */
function carriage(scheme: Place): string {
  const { type, in: where, name, scheme: http } = scheme.value;
  const words: (Json | undefined)[] = type === "apiKey" ? [where, name] : [type, http];
  return words
    .filter((word) => typeof word === "string")
    .map((word, index) => (type === "http" && index === 1 ? word.toLowerCase() : word))
    .join(" ");
}

/** Alternatives of scheme names that an operation accepts; an empty alternative needs no credential. */
function alternatives(operation: Operation): string[][] {
  const own = operation.operation.value.security ?? operation.item.document.security;
  if (!Array.isArray(own)) {
    return [[]];
  }
  return own.length === 0 ? [[]] : own.map((entry) => (isObject(entry) ? Object.keys(entry) : []));
}

/** Name of the scheme of another document that carries its credential in the same way. */
function sameCarriage(document: JsonObject, scheme: Place): string | undefined {
  const components = placeOf(document, document.components, "/components");
  const schemes = memberOf(components, "securitySchemes");
  return Object.keys(schemes?.value ?? {}).find((name) => {
    const other = schemeOf(document, name);
    return other !== undefined && carriage(other) === carriage(scheme);
  });
}

/** Changes of the credentials that a server sends with an operation. */
export function securityChanges(
  was: Operation,
  is: Operation,
  credentials: readonly string[],
): Change[] {
  const [before, after] = [alternatives(was), alternatives(is)];
  const pointer = Array.isArray(is.operation.value.security)
    ? pointerTo(is.operation.pointer, "security")
    : "/security";
  const usable = (sets: readonly string[][]) =>
    credentials.filter((name) => sets.some((set) => set.includes(name)));
  const open = (sets: readonly string[][]) => sets.some((set) => set.length === 0);
  const changes: Change[] = [];
  let renamed = 0;
  for (const name of usable(before)) {
    const scheme = schemeOf(was.item.document, name);
    const now = schemeOf(is.item.document, name);
    if (scheme === undefined) {
      continue;
    }
    if (now !== undefined && carriage(now) !== carriage(scheme)) {
      const message = `credential ${name} moved from ${carriage(scheme)} to ${carriage(now)}; generate anew`;
      changes.push({ level: "breaking", pointer: now.pointer, message });
    } else if (now === undefined || !usable(after).includes(name)) {
      const heir = now === undefined ? sameCarriage(is.item.document, scheme) : undefined;
      if (heir !== undefined && after.flat().includes(heir)) {
        const message = `security scheme renamed from ${name} to ${heir}; write the new name under the server's credentials`;
        changes.push({ level: "breaking", pointer, message });
        renamed += 1;
      } else if (!open(after)) {
        const message = `credential ${name} (${carriage(scheme)}) no longer accepted; accepted now: ${sayAlternatives(after)}; edit the server's credentials`;
        changes.push({ level: "breaking", pointer, message });
      } else {
        changes.push({ level: "note", pointer, message: `credential ${name} no longer needed` });
      }
    }
  }
  const satisfied = (sets: readonly string[][]) =>
    sets.some((set) => set.every((name) => credentials.includes(name)));
  if (satisfied(before) && !satisfied(after) && renamed === 0 && changes.length === 0) {
    const message = `credentials newly needed: ${sayAlternatives(after)}; edit the server's credentials`;
    changes.push({ level: "breaking", pointer, message });
  }
  const added = after
    .flat()
    .filter(
      (name) => !before.flat().includes(name) && schemeOf(was.item.document, name) === undefined,
    );
  if (changes.length === 0 && added.length > 0) {
    changes.push({
      level: "additive",
      pointer,
      message: `new credential accepted: ${list(added)}`,
    });
  }
  return changes;
}

const sayAlternatives = (sets: readonly string[][]): string =>
  list(sets.map((set) => (set.length === 0 ? "none" : set.join(" with "))));

function addresses(operation: Operation): string[] {
  const levels = [operation.operation.value, operation.item.value, operation.item.document];
  const servers = levels.map((level) => level.servers).find((found) => Array.isArray(found));
  return (Array.isArray(servers) ? servers : [])
    .map((server) => (isObject(server) ? server.url : undefined))
    .filter((url) => typeof url === "string")
    .map((url) => url.replace(/\/$/, ""));
}

/** Changes of the address at which an operation is served. A document that names none says nothing. */
export function addressChanges(was: Operation, is: Operation, baseUrl: string): Change[] {
  const base = baseUrl.replace(/\/$/, "");
  const [before, after] = [addresses(was), addresses(is)];
  const absolute = after.filter((url) => /^https?:/i.test(url));
  if (!before.includes(base) || after.includes(base) || absolute.length === 0) {
    return [];
  }
  const message = `server address changed from ${base} to ${list(absolute)}; edit the server's base URL`;
  return [{ level: "breaking", pointer: "/servers", message }];
}
