/** `types.ts`: openapi-typescript over the part of the document that the tools reach. */
import type { JsonObject } from "../../src/contract.ts";
import { HEADER } from "./source.ts";

/** The types of a pruned document, as text. */
export async function emitTypes(pruned: JsonObject): Promise<string> {
  const { astToString, resolveRef, scanDiscriminators, transformSchema } = await import(
    "openapi-typescript"
  );
  type Context = Parameters<typeof transformSchema>[1];
  type Schema = Parameters<typeof transformSchema>[0];
  const schema = pruned as unknown as Schema;
  const options = { silent: true };
  // Its own entry function lints and bundles first; the document is checked and pruned already.
  const context: Context = {
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    conditionalEnums: false,
    dedupeEnums: false,
    defaultNonNullable: true,
    discriminators: scanDiscriminators(schema, options),
    emptyObjectsUnknown: true,
    enum: false,
    enumValues: false,
    excludeDeprecated: false,
    exportType: false,
    generatePathParams: false,
    immutable: true,
    injectFooter: [],
    makePathsEnum: false,
    pathParamsAsTypes: false,
    postTransform: undefined,
    propertiesRequiredByDefault: false,
    readWriteMarkers: false,
    redoc: undefined as unknown as Context["redoc"],
    resolve: <T>(reference: string) => resolveRef<T>(schema, reference, options),
    rootTypes: false,
    rootTypesKeepCasing: false,
    rootTypesNoSchemaPrefix: false,
    silent: true,
    transform: undefined,
    transformProperty: undefined,
  };
  const text = astToString(transformSchema(schema, context)).trimEnd();
  return `${HEADER}${text}\n`;
}
