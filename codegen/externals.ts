/** References to other files: those that are allowed are taken into the document, the rest stays and is refused later. */
import type { Json, JsonObject } from "../src/contract.ts";
import { isObject, pointerTo } from "./drift/place.ts";

/** Member of the document that holds other files, by name. */
const EMBEDDED = "x-external";

const splitReference = (reference: string): [string, string] => {
  const hash = reference.indexOf("#");
  return hash < 0 ? [reference, ""] : [reference.slice(0, hash), reference.slice(hash + 1)];
};

/** Every `$ref` rewritten by `rewrite`. */
function mapReferences(value: Json, rewrite: (reference: string) => string): Json {
  if (Array.isArray(value)) {
    return value.map((entry) => mapReferences(entry, rewrite));
  }
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "$ref" && typeof member === "string"
        ? rewrite(member)
        : mapReferences(member, rewrite),
    ]),
  );
}

/**
 * Takes allowed files into the document, so that every reference to them is local.
 * @param allowed files or URLs as references write them, without fragment
 * @param read the parsed contents of such a file
 */
export async function embedExternals(
  document: JsonObject,
  allowed: readonly string[],
  read: (file: string) => Promise<Json>,
): Promise<JsonObject> {
  if (allowed.length === 0) {
    return document;
  }
  const home = (file: string) => pointerTo(`/${EMBEDDED}`, file);
  const inDocument = (reference: string): string => {
    const [file, fragment] = splitReference(reference);
    return allowed.includes(file) ? `#${home(file)}${fragment}` : reference;
  };
  const embedded: JsonObject = {};
  for (const file of allowed) {
    const inFile = (reference: string): string =>
      reference.startsWith("#") ? `#${home(file)}${reference.slice(1)}` : inDocument(reference);
    embedded[file] = mapReferences(await read(file), inFile);
  }
  return { ...(mapReferences(document, inDocument) as JsonObject), [EMBEDDED]: embedded };
}
