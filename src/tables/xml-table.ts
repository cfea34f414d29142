/**
 * Elements of an XML document as rows.
 *
 * Columns are a row's attributes (`@name`), its children (their text) and, where it has text of its own, `text`; a child that
 * occurs twice in a row, or has parts of its own, becomes JSON text. Names go without prefix. Types are those that the texts
 * have. Costs one pass, no tree. Refuses what is not well-formed, and document types with everything they could define.
 */
import { type SaxesAttributePlain, SaxesParser } from "saxes";
import type { Json, JsonObject } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { GrowingText } from "./growing-text.ts";
import { inferColumn } from "./infer-column.ts";
import { MemoryTable } from "./memory-table.ts";
import { toUtf8 } from "./text-bytes.ts";

/** Deepest nesting that is followed. */
const MAX_DEPTH = 200;

const unreadable = (message: string, cause?: unknown): ToolError =>
  new ToolError("UNREADABLE_ANSWER", message, {
    hint: "Try again later; if it stays so, the service answers wrongly",
    ...(cause === undefined ? {} : { cause }),
  });

/** An element inside a row, as it is read. */
interface Element {
  readonly name: string;
  readonly members: Map<string, Json>;
  text: string;
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function add(members: Map<string, Json>, name: string, value: Json): void {
  const before = members.get(name);
  if (before === undefined) {
    members.set(name, value);
  } else if (Array.isArray(before)) {
    before.push(value);
  } else {
    members.set(name, [before, value]);
  }
}

/** Text where there is nothing else, an object of members otherwise. */
function contentOf({ members, text }: Element): Json {
  if (members.size === 0) {
    return text;
  }
  const own: JsonObject = Object.fromEntries(members);
  return text.trim() === "" ? own : { ...own, text };
}

class RowCollector {
  readonly #columns = new Map<string, GrowingText>();
  #rows = 0;

  add(row: Element): void {
    const members = new Map(row.members);
    if (row.text.trim() !== "") {
      members.set("text", row.text);
    }
    for (const [name, value] of members) {
      const column = this.#columns.get(name) ?? this.#start(name);
      const text = Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
      column.put(text, 0, text.length);
    }
    this.#rows += 1;
    for (const column of this.#columns.values()) {
      if (column.rows < this.#rows) {
        column.putAbsent();
      }
    }
  }

  #start(name: string): GrowingText {
    const column = new GrowingText();
    for (let row = 0; row < this.#rows; row += 1) {
      column.putAbsent();
    }
    this.#columns.set(name, column);
    return column;
  }

  finish(version: string, notes: readonly string[]): MemoryTable {
    const columns = [...this.#columns].map(([name, text]) => inferColumn(name, text, [""]));
    return new MemoryTable(version, columns, notes);
  }
}

/**
 * Reads the elements at a path as rows.
 * @param path from the root, without prefixes, e.g. `/resultset/document`; undefined: the children of the root
 * @throws ToolError UNREADABLE_ANSWER
 */
export function xmlTable(version: string, raw: Uint8Array, path: string | undefined): MemoryTable {
  // The declaration names the charset where the bytes do not show it.
  const start = Buffer.from(raw.subarray(0, 200)).toString("latin1");
  const named = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1];
  const { bytes, notes } = toUtf8(raw, named);
  const wanted = path?.split("/").slice(1);
  const above: string[] = [];
  const open: Element[] = [];
  const rows = new RowCollector();
  const isRow = (): boolean =>
    wanted === undefined
      ? above.length === 2
      : above.length === wanted.length && wanted.every((name, index) => name === above[index]);

  const parser = new SaxesParser();
  parser.on("doctype", () => {
    throw unreadable("The answer is XML with a document type, which is not read");
  });
  parser.on("error", (error) => {
    throw unreadable(
      `The answer is not whole, well-formed XML: ${error.message.slice(0, 200)}`,
      error,
    );
  });
  parser.on("opentag", ({ name, attributes }) => {
    above.push(localName(name));
    if (above.length > MAX_DEPTH) {
      throw unreadable(`The answer is XML nested more than ${MAX_DEPTH} deep`);
    }
    if (open.length > 0 || isRow()) {
      const members = new Map<string, Json>();
      for (const [attribute, value] of Object.entries(
        attributes as Record<string, string | SaxesAttributePlain>,
      )) {
        if (attribute !== "xmlns" && !attribute.startsWith("xmlns:")) {
          members.set(`@${localName(attribute)}`, typeof value === "string" ? value : value.value);
        }
      }
      open.push({ name: localName(name), members, text: "" });
    }
  });
  const onText = (text: string): void => {
    const element = open.at(-1);
    if (element !== undefined) {
      element.text += text;
    }
  };
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("closetag", () => {
    above.pop();
    const element = open.pop();
    const parent = open.at(-1);
    if (element !== undefined && parent === undefined) {
      rows.add(element);
    } else if (element !== undefined && parent !== undefined) {
      add(parent.members, element.name, contentOf(element));
    }
  });
  parser.write(new TextDecoder().decode(bytes)).close();
  return rows.finish(version, notes);
}
