/** YAML or JSON text as plain data, with the line and column of every member. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import type { Json } from "../src/contract.ts";

/** 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Text that was read, and where its parts stand. */
export interface Sourced {
  readonly data: Json;
  /** Place of a member: of its key where it has one, of the value for list entries. The nearest parent where it is absent. */
  locate(path: readonly (string | number)[]): Position;
  /** Keys that stand twice in one map. */
  duplicates(): readonly { readonly key: string; readonly position: Position }[];
}

/** The text is no YAML and no JSON. */
export class UnreadableText extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.name = "UnreadableText";
    this.position = position;
  }
}

const START: Position = { line: 1, column: 1 };

function positionAt(lines: LineCounter, offset: number | undefined): Position {
  if (offset === undefined) {
    return START;
  }
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function follow(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function offsetOf(
  document: Document,
  path: readonly (string | number)[],
  start: number,
): number | undefined {
  let offset: number | undefined = start;
  let node: unknown = document.contents;
  for (const step of path) {
    const container = follow(document, node);
    if (!isCollection(container)) {
      break;
    }
    const entry: unknown = isMap(container)
      ? container.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === `${step}`)
      : container.items[Number(step)];
    if (entry === undefined) {
      break;
    }
    const place = isPair(entry) ? entry.key : entry;
    offset = (place as Node | null)?.range?.[0] ?? offset;
    node = isPair(entry) ? entry.value : entry;
  }
  return offset;
}

function parse(text: string): { document: Document; lines: LineCounter } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    merge: true,
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new UnreadableText(error.message, positionAt(lines, error.pos[0]));
  }
  return { document, lines };
}

/** Whether a value contains itself: an anchor that holds its own alias. */
function isEndless(value: Json, above: Set<Json> = new Set()): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  if (above.has(value)) {
    return true;
  }
  above.add(value);
  const endless = Object.values(value).some((member) => isEndless(member, above));
  above.delete(value);
  return endless;
}

function plain(document: Document): Json {
  let data: Json;
  try {
    data = document.toJS({ maxAliasCount: 10_000 }) as Json;
  } catch (error) {
    throw new UnreadableText(error instanceof Error ? error.message : String(error), START);
  }
  if (isEndless(data)) {
    throw new UnreadableText("an anchor contains its own alias", START);
  }
  return data ?? null;
}

function duplicatesOf(document: Document, lines: LineCounter): ReturnType<Sourced["duplicates"]> {
  const found: { key: string; position: Position }[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name !== undefined && name !== "<<" && seen.has(name)) {
          const range = (key as Node).range;
          found.push({ key: name, position: positionAt(lines, range?.[0]) });
        }
        seen.add(name ?? "");
      }
    },
  });
  return found;
}

/**
 * Reads YAML 1.2 (merge keys allowed) or JSON.
 * @throws UnreadableText where the text breaks off or goes wrong
 */
export function readSourced(text: string): Sourced {
  const { document, lines } = parse(text);
  return {
    data: plain(document),
    locate: (path) => positionAt(lines, offsetOf(document, path, 0)),
    duplicates: () => duplicatesOf(document, lines),
  };
}

/**
 * Reads JSON fast; positions are worked out when the first is asked for.
 * @throws SyntaxError where the text is no JSON
 */
export function readJsonSourced(text: string): Sourced {
  const data = JSON.parse(text) as Json;
  let read: Sourced | undefined;
  const sourced = () => {
    read ??= readSourced(text);
    return read;
  };
  return {
    data,
    locate: (path) => sourced().locate(path),
    duplicates: () => sourced().duplicates(),
  };
}
