/** XML as a tree of elements and its text: enough to write EML, reports and records, no parser. */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Text, or child elements. No children at all is written as an empty tag. */
  readonly content: string | readonly Element[];
}

/** What may stand in a list of children: absent parts are dropped, lists are flattened. */
export type Child = Element | undefined | readonly Child[];

/** Elements that stand on one line when all of their children hold text only, as EML editors write them. */
const ONE_LINE = new Set([
  "beginDate",
  "codeDefinition",
  "description",
  "endDate",
  "funding",
  "numericDomain",
  "samplingDescription",
  "textDomain",
  "unit",
]);

/** Makes an element; attributes come before content and may be left out. */
export function el(name: string, content: string | readonly Child[]): Element;
export function el(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  content: string | readonly Child[],
): Element;
export function el(
  name: string,
  first: Readonly<Record<string, string | undefined>> | string | readonly Child[],
  second?: string | readonly Child[],
): Element {
  const content = second ?? (first as string | readonly Child[]);
  const attributes = second === undefined ? {} : (first as Record<string, string | undefined>);
  return {
    name,
    attributes: Object.fromEntries(
      Object.entries(attributes).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    ),
    content: typeof content === "string" ? content : content.flatMap(flatten),
  };
}

/** An element of text, or nothing where the text is absent. */
export function maybe(name: string, text: string | undefined): Element | undefined {
  return text === undefined ? undefined : el(name, text);
}

/** Escapes text for the content of an element or for a double-quoted attribute. */
export function escapeXml(text: string, quoted = false): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return quoted ? escaped.replaceAll('"', "&quot;") : escaped;
}

/** Writes a document with its declaration; every level is indented by `indent` blanks. */
export function writeXml(root: Element, indent = 2): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(root, indent)}`;
}

/** Writes one element and what it holds, without a declaration, with a line break at the end. */
export function writeElement(root: Element, indent = 2): string {
  const lines: string[] = [];
  write(root, "", " ".repeat(indent), lines);
  return `${lines.join("\n")}\n`;
}

function flatten(child: Child): Element[] {
  if (child === undefined) {
    return [];
  }
  return isList(child) ? child.flatMap(flatten) : [child];
}

function isList(child: Element | readonly Child[]): child is readonly Child[] {
  return Array.isArray(child);
}

function write(element: Element, margin: string, step: string, lines: string[]): void {
  const { name, content } = element;
  const line = oneLine(element);
  if (line !== undefined) {
    lines.push(margin + line);
    return;
  }
  lines.push(`${margin}<${name}${attributesOf(element)}>`);
  for (const child of content as readonly Element[]) {
    write(child, margin + step, step, lines);
  }
  lines.push(`${margin}</${name}>`);
}

function oneLine(element: Element): string | undefined {
  const { name, content } = element;
  const start = `<${name}${attributesOf(element)}`;
  if (typeof content === "string") {
    return `${start}>${escapeXml(content)}</${name}>`;
  }
  if (content.length === 0) {
    return `${start}/>`;
  }
  if (ONE_LINE.has(name) && content.every((child) => typeof child.content === "string")) {
    return `${start}>${content.map(oneLine).join("")}</${name}>`;
  }
  return undefined;
}

function attributesOf(element: Element): string {
  return Object.entries(element.attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value, true)}"`)
    .join("");
}
