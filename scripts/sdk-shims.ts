/**
 * Takes the place of the SDK's Node shims in the bundle: the same, without the JSON Schema validator of 150 kB, which serves
 * elicitation and the SDK's own tool registration. Arguments are checked by our schemas; nothing is elicited.
 */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("this server validates no JSON Schema");
  }
}
