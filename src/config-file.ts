/** A configuration file: one flat JSON object of names and values. */
import { nearest } from "./nearest.ts";

/**
 * Values of a configuration file by name, as text.
 * @param known names that may stand in it
 * @param problems receives a sentence for each thing that is wrong
 */
export function readConfigFile(
  path: string,
  text: string,
  known: readonly string[],
  problems: string[],
): Map<string, string> {
  const values = new Map<string, string>();
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    problems.push(`${path}: it is not JSON`);
    return values;
  }
  if (content === null || typeof content !== "object" || Array.isArray(content)) {
    problems.push(`${path}: it must hold one JSON object`);
    return values;
  }
  for (const [name, value] of Object.entries(content)) {
    if (!known.includes(name)) {
      const near = nearest(name, known);
      const remedy = near === undefined ? "" : `; did you mean "${near}"?`;
      problems.push(`${path}: unknown name "${name}"${remedy}`);
    } else if (typeof value !== "string" && typeof value !== "number") {
      problems.push(`${path}: "${name}" must be text or a number`);
    } else {
      values.set(name, String(value).trim());
    }
  }
  return values;
}
