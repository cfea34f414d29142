/** What an operation answers, guessed from parameters and schemas: result kinds to try, the best first. */
import { bodySchema } from "../drift/answers.ts";
import type { Operation } from "../drift/operations.ts";
import { pointerTo } from "../drift/place.ts";
import { type SchemaView, viewOf } from "../drift/view.ts";
import { acceptedTypes } from "../planning/answer.ts";
import type { Parameter } from "../planning/parameters.ts";

/** A result as the manifest writes it, and the parameters that it supplies itself. */
export interface ResultGuess {
  readonly result: Readonly<Record<string, unknown>>;
  readonly takes: readonly string[];
}

/** Names of the member that holds the rows, the likeliest first. */
const ROWS =
  "items data results features records rows entries values list content hits docs documents observations periods stations elements members value result collection".split(
    " ",
  );
const TOTAL =
  /^(total|total_?(count|results|items|elements|hits|records|rows)|num_?found|data_returned|number_?matched)$/i;
const ENVELOPE = /^(meta|metadata|pagination|paging|page|page_?info|_?links|response_metadata)$/i;
const NEXT_URL = /^(next|next_?(url|link|page|page_?url|href)|@odata\.nextLink)$/i;
const NEXT_CURSOR =
  /^(next_?(cursor|token|page_?token|marker)|end_?cursor|cursor|continuation_?token)$/i;
const MORE = /^has_?(more|next_?page)$/i;

const OFFSET = /^(page[_[-]?)?(offset|skip|start|start_?index|first_?result)\]?$/i;
const SIZE =
  /^(page[_[-]?|\$)?(limit|size|per_?page|page_?size|max_?results|max_?records|results_?per_?page|top|rows|count)\]?$/i;
const PAGE = /^(page|page_?(number|no|index)|page\[number\])$/i;
const CURSOR =
  /^(cursor|(next_?)?(page_?)?token|starting_after|after|marker|page\[(cursor|after)\]|page_cursor|continuation_?token)$/i;

interface Found {
  readonly at: string;
  readonly view: SchemaView;
}

const isCount = ({ types }: SchemaView) => types.has("integer") || types.has("number");

/** Whether a name can only be about pages. */
const isPaging = (name: string) =>
  /^page([_[-]?(number|no|index|offset|cursor|token|above|below|before|after)\]?)?$/i.test(name) ||
  /^(cursor|starting_after|ending_before)$/i.test(name);

const isList = (view: SchemaView) => view.types.size === 1 && view.types.has("array");

const members = (view: SchemaView, at = ""): Found[] =>
  [...view.properties].map(([key, place]) => ({ at: pointerTo(at, key), view: viewOf(place) }));

const lastOf = ({ at }: Found) => at.slice(at.lastIndexOf("/") + 1);

/** Members of the answer and of its envelopes. */
function tellers(view: SchemaView): Found[] {
  const own = members(view);
  const inner = own
    .filter((one) => ENVELOPE.test(lastOf(one)))
    .flatMap((one) => members(one.view, one.at));
  return [...own, ...inner];
}

/** Where the rows of an answer are; undefined where it is one record. */
function findRows(view: SchemaView): Found | undefined {
  if (isList(view)) {
    return { at: "", view };
  }
  const lists = members(view).filter((one) => isList(one.view));
  const named = lists
    .filter((one) => ROWS.includes(lastOf(one).toLowerCase()))
    .sort((a, b) => ROWS.indexOf(lastOf(a).toLowerCase()) - ROWS.indexOf(lastOf(b).toLowerCase()));
  const ofObjects = lists.filter(
    ({ view: list }) => list.items !== undefined && viewOf(list.items).types.has("object"),
  );
  // One list among a few members is what the answer is about; a record may have lists too.
  const only = view.properties.size <= 4 && ofObjects.length === 1 ? ofObjects[0] : undefined;
  if (named[0] !== undefined && view.properties.size <= 12) {
    return named[0];
  }
  if (only !== undefined) {
    return only;
  }
  const wrapped = members(view).filter((one) =>
    /^(data|_?embedded|result|response)$/i.test(lastOf(one)),
  );
  return wrapped
    .flatMap((one) => members(one.view, one.at))
    .find((one) => isList(one.view) && ROWS.includes(lastOf(one).toLowerCase()));
}

/** What an answer is; looked at more than once, and schemas may be large. */
interface Answer {
  readonly view: SchemaView;
  readonly rows: Found | undefined;
}

const known = new WeakMap<Operation, Answer>();

/** Undefined where the operation answers no JSON. */
function answerOf(operation: Operation): Answer | undefined {
  const kept = known.get(operation);
  const body = kept === undefined ? bodySchema(operation.operation) : undefined;
  if (kept !== undefined || body === undefined) {
    return kept;
  }
  const view = viewOf(body);
  const answer = { view, rows: findRows(view) };
  known.set(operation, answer);
  return answer;
}

function pagings(view: SchemaView, parameters: readonly Parameter[]) {
  const query = parameters.filter((parameter) => parameter.in === "query");
  const named = (pattern: RegExp, isNumber: boolean) =>
    query.find(({ name, schema }) => pattern.test(name) && isCount(schema) === isNumber)?.name;
  // A number skips rows or counts pages; `start` may be a date, and `after` a number of something else.
  const [offset, size, page] = [OFFSET, SIZE, PAGE].map((pattern) => named(pattern, true));
  const cursor = named(CURSOR, false);
  const others = query
    .filter(
      ({ name, required }) => !required && (isPaging(name) || name === offset || name === page),
    )
    .map(({ name }) => name);
  const at = (pattern: RegExp) => tellers(view).find((one) => pattern.test(lastOf(one)))?.at;
  const [nextUrl, nextCursor, more] = [NEXT_URL, NEXT_CURSOR, MORE].map(at);
  const sized = size === undefined ? {} : { size };
  const guesses: (Record<string, unknown> | undefined)[] = [
    offset !== undefined && size !== undefined ? { offset, limit: size } : undefined,
    page === undefined ? undefined : { scheme: "page", page, ...sized },
    cursor !== undefined && nextCursor !== undefined
      ? { scheme: "cursor", cursor, next: { in: "body", at: nextCursor }, ...sized }
      : undefined,
    cursor === "starting_after" && more !== undefined
      ? { scheme: "cursor", cursor, next: { in: "last-item", at: "/id", more }, ...sized }
      : undefined,
    nextUrl === undefined
      ? undefined
      : { scheme: "next-url", next: { in: "body", at: nextUrl }, ...sized },
    { scheme: "none" },
  ];
  return guesses
    .filter((guess) => guess !== undefined)
    .map((pagination) => ({
      pagination,
      // Where one scheme pages, the parameters of the others are nothing that a reader should touch.
      takes:
        pagination.scheme === "none"
          ? []
          : [
              ...others,
              ...[offset, size, page, cursor].flatMap((name) =>
                name !== undefined && Object.values(pagination).includes(name) ? [name] : [],
              ),
            ],
    }));
}

const TABLES = /csv|tab-separated|parquet|arrow|x-ndjson|jsonl/i;
const IMAGES = /^image\//i;
const TEXTS = /^text\//i;

/** Result kinds to try. */
export function guessResults(
  operation: Operation,
  parameters: readonly Parameter[],
): ResultGuess[] {
  const kind = (name: string): ResultGuess => ({ result: { kind: name }, takes: [] });
  const answer = answerOf(operation);
  if (answer === undefined) {
    const types = acceptedTypes(operation.operation);
    const table = { kind: "table", format: "auto", units: "none" };
    const has = (pattern: RegExp) => types.some((type) => pattern.test(type));
    return [
      ...(has(TABLES) ? [{ result: table, takes: [] }] : []),
      ...(has(/parquet/i) ? [{ result: { ...table, format: "parquet" }, takes: [] }] : []),
      ...(has(IMAGES) ? [kind("file")] : []),
      ...(has(TEXTS) ? [kind("text")] : []),
      kind("any"),
      kind("record"),
    ];
  }
  const { view, rows } = answer;
  if (rows === undefined) {
    return [kind("record"), kind("any")];
  }
  const total = tellers(view).find(
    (one) => TOTAL.test(lastOf(one)) && /^(integer|number)$/.test([...one.view.types].join()),
  )?.at;
  const isFeatures = rows.at === "/features" && view.properties.has("type");
  return [
    ...pagings(view, parameters).flatMap(({ pagination, takes }): ResultGuess[] => {
      const counted = total === undefined ? {} : { total };
      const page = { kind: "page", items: rows.at, ...counted, pagination };
      const paged = pagination.scheme === "none" ? {} : { pagination, ...counted };
      const table = { kind: "table", format: "geojson", units: "none", ...paged };
      return [...(isFeatures ? [{ result: table, takes }] : []), { result: page, takes }];
    }),
    kind("record"),
    kind("any"),
  ];
}

/** Whether an operation answers a list or a table. */
export function answersRows(operation: Operation): boolean {
  const answer = answerOf(operation);
  return answer === undefined
    ? acceptedTypes(operation.operation).some((type) => TABLES.test(type))
    : answer.rows !== undefined;
}
