/** A search over a list of documents: query, filters, order, page. */
import {
  comparable,
  type FieldKind,
  type Schema,
  type SolrDocument,
  scoreOf,
  valuesOf,
} from "./match-query.ts";
import { parseLenient, parseQuery, QuerySyntaxError } from "./parse-query.ts";

export interface SearchRequest {
  readonly query: string;
  /** Plain words are forgiven (`edismax`). */
  readonly lenient: boolean;
  readonly filters: readonly string[];
  /** Field and direction, most important first. Without any: best score first. */
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  readonly start: number;
  readonly rows: number;
}

export interface Hit {
  readonly document: SolrDocument;
  readonly score: number;
}

export interface SearchResult {
  readonly numFound: number;
  readonly maxScore: number;
  readonly hits: readonly Hit[];
}

/**
 * The page asked for. Documents without a sort field's value come first ascending and last descending.
 * @throws QuerySyntaxError
 */
export function search(
  documents: readonly SolrDocument[],
  schema: Schema,
  defaultField: string,
  request: SearchRequest,
): SearchResult {
  const query = (request.lenient ? parseLenient : parseQuery)(request.query, defaultField);
  const filters = request.filters.map((filter) => parseQuery(filter, defaultField));
  const hits = documents
    .filter((document) => filters.every((filter) => scoreOf(filter, document, schema) > 0))
    .map((document) => ({ document, score: scoreOf(query, document, schema) }))
    .filter((hit) => hit.score > 0);
  const keys = request.sort.length > 0 ? request.sort : [{ field: "score", descending: true }];
  hits.sort((a, b) => {
    for (const { field, descending } of keys) {
      const order = compareBy(a, b, field, schema);
      if (order !== 0) {
        return descending ? -order : order;
      }
    }
    return 0;
  });
  return {
    numFound: hits.length,
    maxScore: hits.reduce((best, hit) => Math.max(best, hit.score), 0),
    hits: hits.slice(request.start, request.start + request.rows),
  };
}

function compareBy(a: Hit, b: Hit, field: string, schema: Schema): number {
  if (field === "score") {
    return a.score - b.score;
  }
  const kind = schema[field]?.kind;
  if (kind === undefined || kind === "box") {
    throw new QuerySyntaxError(`can not sort on undefined or unsortable field: ${field}`);
  }
  const [left, right] = [sortKey(a, field, kind), sortKey(b, field, kind)];
  if (left === undefined || right === undefined) {
    return Number(left !== undefined) - Number(right !== undefined);
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

function sortKey(hit: Hit, field: string, kind: FieldKind): string | number | undefined {
  const values = valuesOf(hit.document, field);
  if (values.length > 1) {
    throw new QuerySyntaxError(`can not sort on multivalued field: ${field}`);
  }
  return values[0] === undefined ? undefined : comparable(String(values[0]), kind);
}
