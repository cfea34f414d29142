/**
 * The seam between generated code and the runtime: types only.
 *
 * `generated/` holds frozen data of these shapes; `src/` executes it without knowing which upstream it serves.
 */
import type { ZodType } from "zod";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Where a parameter travels, as OpenAPI names it. */
export type ParameterPlace = "path" | "query" | "header" | "cookie";

/** One parameter of an operation: where its value comes from and how it is written on the wire. */
export interface ParameterBinding {
  /** Name on the wire. */
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style:
    | "simple"
    | "label"
    | "matrix"
    | "form"
    | "spaceDelimited"
    | "pipeDelimited"
    | "deepObject";
  readonly explode: boolean;
  readonly allowReserved?: boolean;
  readonly required: boolean;
  /** Argument of the tool that supplies the value; absent when it is fixed. */
  readonly argument?: string;
  /** Constant sent on every call; such a parameter is never an argument. */
  readonly fixed?: Json;
  /** Configuration variable whose value is used when the argument is absent, e.g. `IONWORKS_PROJECT_ID`. */
  readonly fallback?: string;
  /** Value that is sent when neither argument nor fallback gives one. */
  readonly default?: Json;
  /** What to do when neither argument nor fallback gives a required value: which tool shows one. */
  readonly fallbackHint?: string;
  /**
   * How text is written: a template with `{value}` (as given) or `{like}` (`%`, `_` and `\` escaped for SQL LIKE),
   * e.g. `ilike.%{like}%`. Absent: the value itself.
   */
  readonly wire?: string;
}

/** One request that may be sent. Nothing else can be. */
export interface OperationBinding {
  readonly operationId: string;
  readonly method: "GET" | "HEAD";
  /** Path template as in the document, e.g. `/cell_measurements/{measurement_id}/cycles`. */
  readonly path: string;
  readonly parameters: readonly ParameterBinding[];
  /** Media types the document promises for success, in its order; sent as `Accept`. */
  readonly accept: readonly string[];
}

/** Offset and limit on the wire, and how large one upstream page may be. */
export interface OffsetPagination {
  readonly scheme: "offset-limit";
  /** Wire names of the two query parameters, bound to the arguments `offset` and `limit`. */
  readonly offset: string;
  readonly limit: string;
  /** Most items of one upstream page (items), from the document. */
  readonly maximum: number;
}

/** Where an answer says what comes after it. Absent, null or empty there: nothing does. */
export type NextPlace =
  /** JSON pointer into the body. */
  | { readonly in: "body"; readonly at: string }
  /** Name of a response header. */
  | { readonly in: "header"; readonly name: string }
  /** JSON pointer into the last item, e.g. `/id`; `more` points at the boolean in the body that says whether more follows. */
  | { readonly in: "last-item"; readonly at: string; readonly more?: string };

/**
 * How an upstream pages. Whatever the scheme, the tool has `offset` and `limit` (items): the runtime finds the upstream
 * pages that hold them. It hands parameters over as arguments, so each must be bound to one: the page's size to `limit`, the
 * page's number to `page`, the cursor to `cursor`; none of these is an argument of the tool, but `limit`.
 */
export type Pagination =
  | OffsetPagination
  /** Numbered pages of one size. */
  | {
      readonly scheme: "page";
      /** Wire name of the page's number, bound to the argument `page`. */
      readonly page: string;
      /** Number of the first page; 1 unless the document says 0. */
      readonly first: 0 | 1;
      /** Wire name of the page's size, bound to the argument `limit`; absent where it cannot be chosen. */
      readonly size?: string;
      /** Most items of one page; where there is no `size`, how many every page but the last has. */
      readonly maximum: number;
    }
  /** Each answer names the cursor of the next one. */
  | {
      readonly scheme: "cursor";
      /** Wire name of the cursor, bound to the argument `cursor`. */
      readonly cursor: string;
      readonly next: NextPlace;
      readonly size?: string;
      readonly maximum: number;
    }
  /** Each answer holds the address of the next one, which must be the same operation's. */
  | {
      readonly scheme: "next-url";
      readonly next: NextPlace;
      readonly size?: string;
      readonly maximum: number;
    }
  /** `Link: <…>; rel="next"`, likewise. */
  | { readonly scheme: "link"; readonly size?: string; readonly maximum: number }
  /** One answer holds the whole list; `offset` and `limit` cut it. */
  | { readonly scheme: "none" };

export type JsonType = "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";

/** What the document promises of an object: an answer that departs from it is delivered with a note. */
export interface DeclaredMembers {
  /** Types by member; members that may be anything are left out. */
  readonly types: Readonly<Record<string, readonly JsonType[]>>;
  readonly required?: readonly string[];
}

/** How a text table is laid out. Everything is optional: what is not told is found out. */
export interface TextLayout {
  /** One character or several; absent: `,` or what the first lines show. */
  readonly delimiter?: string;
  /** Whether delimiters that follow each other count as one. */
  readonly collapse?: boolean;
  /** Absent: `"`; `""` where nothing is quoted. */
  readonly quote?: string;
  /** Character that takes the next one literally, e.g. `\\`; a doubled quote is a quote in any case. */
  readonly escape?: string;
  /** Lines before the first row, 1 unless told; the last of them names the columns. 0: see `names`. */
  readonly headerLines?: number;
  /** Lines after the last row. */
  readonly footerLines?: number;
  /** Column names in order; they replace the header's. */
  readonly names?: readonly string[];
  /** Charset, as WHATWG names it; absent: UTF-8, or what the first bytes say. */
  readonly encoding?: string;
  /** Texts that stand for a missing value; absent: the empty field and those that pandas knows (`NA`, `NaN`, `null`, …). */
  readonly missing?: readonly string[];
  /** More of them, by column. */
  readonly missingByColumn?: Readonly<Record<string, readonly string[]>>;
  /** Start of lines that are comments. */
  readonly comment?: string;
}

/** How the bytes of a table are to be read. */
export type TableFormat =
  /** A file, read by byte ranges. */
  | "parquet"
  /** An object of equally long lists. */
  | "json-columns"
  /** A list of objects. */
  | "json-rows"
  /** A list of features: `id`, the properties, `geometry` as JSON text. */
  | "geojson"
  /** One object a line. */
  | "json-lines"
  /** JSON:API: `id`, `type`, the attributes, `relationships` as JSON text. */
  | "json-api"
  | "csv"
  | "tsv"
  /** One element a row: its attributes (`@name`) and its children. */
  | "xml"
  /** File or stream. */
  | "arrow-ipc"
  /** By the answer's media type and, where that says little, its first bytes. */
  | "auto";

/** Units of a table's columns. */
export type UnitSource =
  /** `Voltage [V]` → `V`. */
  | { readonly from: "column-names" }
  /** A second operation's answer lists `{name, unit}` rows at a JSON pointer. Same arguments as the tool's own. */
  | {
      readonly from: "record";
      readonly operation: OperationBinding;
      /** JSON pointer to the array, e.g. `/columns`. */
      readonly at: string;
      /** Member of each entry that holds the column's name, and the one with its unit. */
      readonly name: string;
      readonly unit: string;
    }
  | { readonly from: "none" };

/**
 * Why a call failed, told from another record. When a call fails with one of `on`, the operation is asked and the first
 * rule that holds replaces message and hint.
 */
export interface Explanation {
  readonly on: readonly ErrorCode[];
  readonly operation: OperationBinding;
  readonly rules: readonly {
    /** JSON pointer into the record, and the values that make the rule hold. */
    readonly at: string;
    readonly in: readonly Json[];
    readonly code: ErrorCode;
    /** May quote the record as `{/json/pointer}` and arguments as `{argument}`. */
    readonly message: string;
    readonly hint: string;
  }[];
}

/** What a tool's answer is and where in the body it sits. */
export type ResultPlan =
  | {
      readonly kind: "record";
      readonly declared?: DeclaredMembers;
      /**
       * Arguments of the tool that read a part of the record: `path`, a JSON pointer, and `offset`, how many entries, members
       * or characters of that part to skip; the names are free, so that they need not clash with the operation's own
       * parameters. Absent: the tool has none, and a record is delivered whole up to the hard limit.
       */
      readonly partArguments?: { readonly path: string; readonly offset: string };
    }
  | {
      readonly kind: "page";
      /** JSON pointers; an `items` of `""` means that the body itself is the array. */
      readonly items: string;
      /** Pointer to the number of all matches; absent when the upstream does not tell. */
      readonly total?: string;
      /** Response header with that number, e.g. `X-Total-Count`. */
      readonly totalHeader?: string;
      readonly pagination: Pagination;
      /** Items when the caller gives no limit, and the most a caller can ask for. */
      readonly defaultLimit: number;
      readonly maximumLimit: number;
      /** Of each item. */
      readonly declared?: DeclaredMembers;
    }
  | {
      readonly kind: "table";
      readonly format: TableFormat;
      /**
       * Where the table is. `json-columns`: JSON pointer to the object of columns. `json-rows`, `geojson`, `json-api`: to the
       * list; absent: the body itself, `/features`, `/data`. `xml`: path of the row elements from the root, without prefixes,
       * e.g. `/resultset/document`; absent: the children of the root.
       */
      readonly at?: string;
      readonly units: UnitSource;
      /** `csv`, `tsv` and `auto`. */
      readonly text?: TextLayout;
      /** Whether `geojson` has a column `geometry`; absent: it has. */
      readonly geometry?: "json" | "drop";
      /** Where the rows come in pages (`json-rows`, `geojson`, `json-api`). `total_rows` is null where nobody tells it. */
      readonly pagination?: Pagination;
      readonly total?: string;
      readonly totalHeader?: string;
    }
  /**
   * What the answer is decides, whichever of the three: JSON, text, an image, other bytes, nothing. They differ in the
   * arguments that are offered: `text`: `offset`, `limit` (characters); `file`: none; `any`: `path`, `offset`, `limit`.
   */
  | { readonly kind: "text" | "file" | "any" };

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** One tool, fully resolved: everything the runtime needs to list it and to run it. */
export interface ToolDescriptor {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Ready-made JSON Schemas for `tools/list`. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** Strict schema that a call's arguments must pass. Built on first use. */
  readonly arguments: () => ZodType<Record<string, unknown>>;
  readonly operation: OperationBinding;
  readonly result: ResultPlan;
  readonly explain?: Explanation;
  /** Hints that replace the general ones, by code; written for the model, naming the next tool. */
  readonly hints?: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** How a credential is sent. The value comes from the variable and goes to the API's own origin only. */
export interface CredentialScheme {
  /** Name in the document's `securitySchemes`. */
  readonly name: string;
  readonly variable: string;
  readonly in: "header" | "query" | "cookie";
  readonly parameter: string;
  /** Text before the value, e.g. `Bearer `. */
  readonly prefix?: string;
  /**
   * Headers that bring a caller's own credential where the server is hosted, the first that came wins, e.g.
   * `X-Ionworks-Key`. `Authorization` brings it after `Bearer `; any other brings it as it is. Absent: none does.
   */
  readonly requestHeaders?: readonly string[];
}

/** A configuration variable that a server understands. */
export interface VariableDescription {
  readonly name: string;
  readonly description: string;
  readonly secret: boolean;
}

/** Where the values come from that a person is offered while typing. */
export interface CompletionSource {
  /** A tool that lists (`page`), or one that reads a table; its required arguments are completed first where they are not given. */
  readonly tool: string;
  /** JSON pointer into an item to the value. Absent: the tool reads a table, and the values are its columns' names. */
  readonly value?: string;
  /** JSON pointer into an item to a text that what was typed may match as well, e.g. `/name`. */
  readonly match?: string;
}

/** One argument of a prompt; text, as the protocol has it. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** What stands in the text when the argument is left out. */
  readonly default?: string;
  /** Key in `completions`; absent: nothing is offered. */
  readonly complete?: string;
}

/** A question that people pick, asked in the right words. */
export interface PromptDescriptor {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** With `{argument}` where one goes. */
  readonly text: string;
}

/** One server: upstream and tools. */
export interface ServerDescriptor {
  /** Section name in the manifest, e.g. `ionworks`. */
  readonly name: string;
  /** Program name that hosts show, e.g. `ionworks-mcp`. */
  readonly program: string;
  readonly title: string;
  /** Sent to the model at the start of a session. */
  readonly instructions: string;
  readonly upstream: {
    readonly baseUrl: string;
    /** Variable that overrides the base URL. */
    readonly baseUrlVariable: string;
    /** Tried in order: the first whose variable is set is sent. */
    readonly credentials: readonly CredentialScheme[];
    /** Headers sent with a variable's value when it is set. */
    readonly headers: readonly { readonly name: string; readonly variable: string }[];
    /** Hosts that redirects may lead to (`*.example.org` allowed); absent: any https host. */
    readonly redirectHosts?: readonly string[];
  };
  readonly variables: readonly VariableDescription[];
  readonly tools: readonly ToolDescriptor[];
  /** How to read its data, for model and people: Markdown. */
  readonly guide?: string;
  /** What the tools were generated from: file or URL as the manifest names it, and the hash of its parsed contents. */
  readonly document?: { readonly source: string; readonly hash: string };
  /** By name of what is completed: an argument of a table tool, or what a prompt's argument names. */
  readonly completions?: Readonly<Record<string, CompletionSource>>;
  readonly prompts?: readonly PromptDescriptor[];
}

/** The closed set of failure codes that a model sees. */
export type ErrorCode =
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "NOT_ALLOWED"
  | "CREDENTIAL_MISSING"
  | "CREDENTIAL_REFUSED"
  | "RATE_LIMITED"
  | "UPSTREAM_REFUSED"
  | "UPSTREAM_UNAVAILABLE"
  | "TIMED_OUT"
  | "CANCELLED"
  | "TOO_LARGE"
  | "UNREADABLE_ANSWER"
  | "JOB_FAILED"
  | "INTERNAL";

/** What a call cost: requests sent and body bytes received from upstream, for `_meta["vitrine/cost"]`. */
export interface Cost {
  requests: number;
  bytes: number;
}

/** One call's surroundings, handed down the spine. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly cost: Cost;
  /** Told about progress [bytes read of bytes needed] where the client asked for it. */
  readonly progress?: (done: number, total: number | undefined, message: string) => void;
}

/** One condition of `where`. All conditions of a request must hold. */
export interface Condition {
  readonly column: string;
  readonly op: "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "is_null";
  /** Number, text, boolean, or a list of them for `in`; numbers, booleans, ISO times may come as text. */
  readonly value?: unknown;
}

/** The part of a table that was asked for. */
export interface WindowRequest {
  /** Columns in the asked order; absent: all. */
  readonly columns?: readonly string[];
  /** Rows, ≥ 1 and ≤ 5000 (already clamped). */
  readonly limit: number;
  /** First row among the filtered rows, 0-based. */
  readonly offset: number;
  /** At most this many rows that keep the curve's shape, 2 to 5000. */
  readonly sample?: number;
  readonly where?: readonly Condition[];
  readonly stats?: boolean;
}

/** pandas' word for a column's type: `float64`, `int64`, `uint64`, `bool`, `string`, `datetime64[us, UTC]`, … */
export type Dtype = string;

export type Cell = number | string | boolean | null;

export interface ColumnStats {
  /** Values that are neither null nor NaN. */
  count: number;
  nulls: number;
  nan: number;
  /** null where there is no value. Integers beyond 2^53 as text, times as ISO text. */
  min: Cell;
  max: Cell;
  /** null for columns that are not numbers. */
  mean: number | null;
}

/** A window that was read: columns of JSON-ready values. */
export interface TableWindow {
  readonly columns: readonly {
    readonly name: string;
    readonly dtype: Dtype;
    /** `(rows,)`; NaN and ±inf are null here and counted in `nonFinite`. */
    readonly values: readonly Cell[];
    readonly nonFinite: number;
  }[];
  readonly totalRows: number;
  readonly totalColumns: number;
  /** Rows that match `where`; absent without `where`. */
  readonly matchedRows?: number;
  /** 0-based row numbers in the whole table, ascending, for `sample` and `where`. */
  readonly rowNumbers?: readonly number[];
  readonly stats?: Readonly<Record<string, ColumnStats>>;
  /** Sentences the reader wants in the note, e.g. about values that could not be represented. */
  readonly notes: readonly string[];
}
