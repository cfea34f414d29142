/** `types.ts`: openapi-typescript over the part of the document that the tools reach. */
import type { JsonObject } from "../../src/contract.ts";
import { HEADER } from "./source.ts";

/** The types of a pruned document, as text. */
export async function emitTypes(pruned: JsonObject): Promise<string> {
  // The package's main module brings a linter and a bundler along, which take longer to load than everything here takes to
  // run; the document is checked and pruned already.
  const { default: transformSchema } = await import("openapi-typescript/dist/transform/index.mjs");
  const { astToString } = await import("openapi-typescript/dist/lib/ts.mjs");
  const { resolveRef, scanDiscriminators } = await import("openapi-typescript/dist/lib/utils.mjs");
  type Context = Parameters<typeof transformSchema>[1];
  type Schema = Parameters<typeof transformSchema>[0];
  const schema = pruned as unknown as Schema;
  const options = { silent: true };
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
