/** Parts of openapi-typescript that its package exports without types of their own. */
declare module "openapi-typescript/dist/transform/index.mjs" {
  // biome-ignore lint/style/noDefaultExport: it is how the module exports it
  export { transformSchema as default } from "openapi-typescript";
}
declare module "openapi-typescript/dist/lib/ts.mjs" {
  export { astToString } from "openapi-typescript";
}
declare module "openapi-typescript/dist/lib/utils.mjs" {
  export { resolveRef, scanDiscriminators } from "openapi-typescript";
}
