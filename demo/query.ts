/** Reads query parameters as FastAPI does: all problems are gathered and answered together with 422. */
import { ApiError, type Issue } from "./failures.ts";
import { parseTime } from "./filters.ts";
import type { WireRecord } from "./wire.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Checks an id as the database does. @throws ApiError 400 in Postgres' words */
export function checkedId(text: string): string {
  if (!UUID.test(text)) {
    throw ApiError.badRequest(`invalid input syntax for type uuid: "${text}"`);
  }
  return text.toLowerCase();
}

export class Query {
  readonly #values: URLSearchParams;
  readonly #issues: Issue[] = [];

  constructor(values: URLSearchParams) {
    this.#values = values;
  }

  #refuse(name: string, type: string, msg: string, input: string | null, ctx?: WireRecord): void {
    const issue = { type, loc: ["query", name], msg, input };
    this.#issues.push(ctx === undefined ? issue : { ...issue, ctx });
  }

  /** The last value of a name, as FastAPI takes it. */
  text(name: string): string | undefined {
    return this.#values.getAll(name).at(-1);
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) {
      this.#refuse(name, "missing", "Field required", null);
    }
    return value ?? "";
  }

  /** All values of a repeated name. */
  list(name: string): string[] {
    return this.#values.getAll(name);
  }

  integer(name: string, byDefault: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) {
      return byDefault;
    }
    if (!/^\s*[+-]?\d+\s*$/.test(text)) {
      const msg = "Input should be a valid integer, unable to parse string as an integer";
      this.#refuse(name, "int_parsing", msg, text);
      return byDefault;
    }
    const value = Number(text);
    if (value < least) {
      const msg = `Input should be greater than or equal to ${least}`;
      this.#refuse(name, "greater_than_equal", msg, text, { ge: least });
    } else if (value > most) {
      const msg = `Input should be less than or equal to ${most}`;
      this.#refuse(name, "less_than_equal", msg, text, { le: most });
    }
    return value;
  }

  boolean(name: string): boolean {
    const text = this.text(name)?.toLowerCase();
    if (text !== undefined && !/^(1|0|t|f|true|false|y|n|yes|no|on|off)$/.test(text)) {
      const msg = "Input should be a valid boolean, unable to interpret input";
      this.#refuse(name, "bool_parsing", msg, text);
    }
    return /^(1|t|true|y|yes|on)$/.test(text ?? "");
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const text = this.text(name);
    if (text !== undefined && !choices.includes(text as Choice)) {
      const quoted = choices.map((choice) => `'${choice}'`);
      const expected = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
      this.#refuse(name, "literal_error", `Input should be ${expected}`, text, { expected });
    }
    return text as Choice | undefined;
  }

  /** An ISO time [ms]. */
  time(name: string): number | undefined {
    const text = this.text(name);
    const value = text === undefined ? undefined : parseTime(text);
    if (Number.isNaN(value)) {
      const msg = "Input should be a valid datetime or date";
      this.#refuse(name, "datetime_from_date_parsing", msg, text as string);
    }
    return value;
  }

  /** An id, or undefined where none is given. @throws ApiError 400 where it is malformed */
  id(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : checkedId(text);
  }

  /** @throws ApiError 422 with every problem so far */
  finish(): void {
    if (this.#issues.length > 0) {
      throw ApiError.invalid(this.#issues);
    }
  }
}
