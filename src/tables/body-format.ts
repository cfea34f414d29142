/** How a table that comes as one body is read. */
import type { TableFormat, TextLayout } from "../contract.ts";

export interface BodyFormat {
  readonly format: TableFormat;
  /** Where in the body the rows are, see `ResultPlan`. */
  readonly at?: string | undefined;
  readonly text?: TextLayout | undefined;
  readonly geometry?: "json" | "drop" | undefined;
  /** Whether the body is a JSON list of several answers, each with rows at `at`. */
  readonly isPages?: boolean | undefined;
}

/** A body and what its answer says it is: lower case, "" where it says nothing. */
export interface TableBody {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}
