/** The Lucene query syntax that clients of the two indexes send: terms, phrases, ranges, fields, groups, AND/OR/NOT. */

export type Query =
  | { readonly kind: "all" }
  /** `text` with its wildcards still in place and escapes resolved; `pattern` where it has wildcards. */
  | {
      readonly kind: "term";
      readonly field: string;
      readonly text: string;
      readonly pattern?: RegExp;
    }
  | { readonly kind: "phrase"; readonly field: string; readonly text: string }
  | {
      readonly kind: "range";
      readonly field: string;
      readonly from: string;
      readonly to: string;
      readonly open: { readonly from: boolean; readonly to: boolean };
    }
  | {
      readonly kind: "group";
      readonly must: readonly Query[];
      readonly should: readonly Query[];
      readonly not: readonly Query[];
    };

export class QuerySyntaxError extends Error {}

interface Clause {
  occur: "must" | "should" | "not";
  readonly query: Query;
}

/** @throws QuerySyntaxError where Solr's own parser would refuse */
export function parseQuery(text: string, defaultField: string): Query {
  if (text.trimStart().startsWith("{!")) {
    throw new QuerySyntaxError("local parameters are not supported");
  }
  const parser = new Parser(text);
  const query = parser.group(defaultField, false);
  return query;
}

/** edismax never refuses: what does not parse is searched as plain words. */
export function parseLenient(text: string, defaultField: string): Query {
  try {
    return parseQuery(text, defaultField);
  } catch (error) {
    if (!(error instanceof QuerySyntaxError) || text.trimStart().startsWith("{!")) {
      throw error;
    }
    const words = text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
    return parseQuery(
      words === "" ? "*:*" : words.replace(/\b(AND|OR|NOT|TO)\b/g, " "),
      defaultField,
    );
  }
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Clauses up to the end of the text or, when nested, to the closing parenthesis. */
  group(field: string, nested: boolean): Query {
    const clauses: Clause[] = [];
    let joined: "AND" | "OR" | undefined;
    for (;;) {
      this.#skipBlanks();
      if (this.#end() || this.#peek() === ")") {
        break;
      }
      const word = this.#take(/(AND|OR|&&|\|\|)(?=[\s(]|$)/y);
      if (word !== undefined) {
        joined = word === "AND" || word === "&&" ? "AND" : "OR";
        continue;
      }
      const previous = clauses.at(-1);
      if (joined === "AND" && previous?.occur === "should") {
        previous.occur = "must";
      }
      clauses.push(this.#clause(field, joined === "AND"));
      joined = undefined;
    }
    if (joined !== undefined || this.#end() === nested) {
      throw new QuerySyntaxError(`Cannot parse '${this.#text}'`);
    }
    const of = (occur: Clause["occur"]) =>
      clauses.filter((clause) => clause.occur === occur).map((clause) => clause.query);
    return { kind: "group", must: of("must"), should: of("should"), not: of("not") };
  }

  #clause(field: string, joinedByAnd: boolean): Clause {
    const sign = this.#take(/NOT(?=[\s(])\s*|[+\-!]/y)?.trim();
    const query = this.#primary(field);
    this.#take(/[\^~][\d.]*/y);
    if (sign === "NOT" || sign === "-" || sign === "!") {
      return { occur: "not", query };
    }
    return { occur: sign === "+" || joinedByAnd ? "must" : "should", query };
  }

  #primary(field: string): Query {
    if (this.#take(/\*:\*/y) !== undefined) {
      return { kind: "all" };
    }
    const named = this.#take(/[A-Za-z_][\w.]*:/y);
    if (named !== undefined) {
      return this.#primary(named.slice(0, -1));
    }
    if (this.#take(/\(/y) !== undefined) {
      const query = this.group(field, true);
      this.#at += 1;
      return query;
    }
    const phrase = this.#take(/"(?:[^"\\]|\\.)*"/sy);
    if (phrase !== undefined) {
      return { kind: "phrase", field, text: withoutEscapes(phrase.slice(1, -1)) };
    }
    const range = this.#take(/[[{]\s*[^\s\]}]+\s+TO\s+[^\s\]}]+\s*[\]}]/y);
    if (range !== undefined) {
      return rangeOf(range, field);
    }
    const term = this.#take(/(?:[^\s()[\]{}"^~:\\/]|\\.)+/sy);
    if (term === undefined) {
      throw new QuerySyntaxError(`Cannot parse '${this.#text}'`);
    }
    return termOf(term, field);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skipBlanks(): void {
    this.#take(/\s+/y);
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #end(): boolean {
    return this.#at >= this.#text.length;
  }
}

function rangeOf(text: string, field: string): Query {
  const [from = "*", to = "*"] = text
    .slice(1, -1)
    .trim()
    .split(/\s+TO\s+/);
  return {
    kind: "range",
    field,
    from: withoutEscapes(from),
    to: withoutEscapes(to),
    open: { from: text.startsWith("{"), to: text.endsWith("}") },
  };
}

function termOf(text: string, field: string): Query {
  const plain = withoutEscapes(text);
  if (!/(?<!\\)[*?]/.test(text)) {
    return { kind: "term", field, text: plain };
  }
  const source = text.replace(/\\(.)|([*?])|([^\\])/gs, (_, escaped, wild, other) => {
    if (wild !== undefined) {
      return wild === "*" ? ".*" : ".";
    }
    return (escaped ?? other).replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  });
  return { kind: "term", field, text: plain, pattern: new RegExp(`^${source}$`, "s") };
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/gs, "$1");
}
