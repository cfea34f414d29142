/** Conditions of `where`: checked against the columns, and tested on Arrow data or on statistics. */
import type { Data } from "apache-arrow";
import type { Condition } from "../contract.ts";
import { ToolError } from "../errors.ts";
import { bytesAt, decimalAt, isValid } from "./cells.ts";
import { columnAt } from "./choose-columns.ts";
import type { ColumnType } from "./column-type.ts";
import { exampleOf, listOf, type Operand, operandOf } from "./operand.ts";
import type { TableColumn } from "./table.ts";

export interface Filter {
  /** Place of the column in the table. */
  readonly column: number;
  readonly type: ColumnType;
  readonly op: Condition["op"];
  /** One value, several for `in`, none for `is_null`. */
  readonly operands: readonly Operand[];
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 100);
}

function refuse(condition: Condition, type: ColumnType): ToolError {
  const { column, op, value } = condition;
  const example = op === "in" ? [exampleOf(type)] : exampleOf(type);
  const large =
    typeof value === "number" && Math.abs(value) >= 2 ** 53
      ? ": integers beyond 2^53 come as text"
      : "";
  return new ToolError(
    "INVALID_ARGUMENT",
    `where: ${show(value)} cannot be compared with the column "${column}" of type ${type.dtype}${large}`,
    { hint: `For example ${JSON.stringify({ column, op, value: example })}` },
  );
}

/** Checks one condition. */
function toFilter(condition: Condition, columns: readonly TableColumn[]): Filter {
  const column = columnAt(columns, condition.column, "where: ");
  const { type } = columns[column] as TableColumn;
  const { op, value } = condition;
  if (op === "is_null") {
    if (value !== undefined && value !== null && value !== true) {
      throw new ToolError("INVALID_ARGUMENT", `where: is_null takes no value, not ${show(value)}`, {
        hint: `For example ${JSON.stringify({ column: condition.column, op })}`,
      });
    }
    return { column, type, op, operands: [] };
  }
  const values = op === "in" ? listOf(value) : [value];
  const operands = values?.map((entry) => operandOf(type, entry));
  if (operands === undefined || operands.includes(undefined)) {
    throw refuse(condition, type);
  }
  return { column, type, op, operands: operands as Operand[] };
}

export function toFilters(
  where: readonly Condition[] | undefined,
  columns: readonly TableColumn[],
): Filter[] {
  return (where ?? []).map((condition) => toFilter(condition, columns));
}

type Value = number | bigint | Uint8Array;

/** Below 0, 0 or above 0 as the value is below, at or above the operand; NaN where they cannot be compared. */
function compare(value: Value, operand: Operand): number {
  if (operand.form === "bytes") {
    return Buffer.compare(value as Uint8Array, operand.value);
  }
  if (operand.form === "threshold") {
    const { floor, exact } = operand.value;
    if (!exact) {
      return (value as bigint) <= floor ? -1 : 1;
    }
    return (value as bigint) < floor ? -1 : (value as bigint) > floor ? 1 : 0;
  }
  const number = value as number;
  if (number < operand.value) {
    return -1;
  }
  return number > operand.value ? 1 : number === operand.value ? 0 : Number.NaN;
}

/** Whether some value from `min` to `max` can match. */
export function rangeMayHold({ op, operands }: Filter, min: Value, max: Value): boolean {
  const [operand] = operands;
  const around = (one: Operand) => compare(min, one) <= 0 && compare(max, one) >= 0;
  switch (op) {
    case "=":
    case "in":
      return operands.some(around);
    case "<":
      return operand !== undefined && compare(min, operand) < 0;
    case "<=":
      return operand !== undefined && compare(min, operand) <= 0;
    case ">":
      return operand !== undefined && compare(max, operand) > 0;
    case ">=":
      return operand !== undefined && compare(max, operand) >= 0;
    case "!=":
    case "is_null":
      return true;
  }
}

/** Test of a sign by operation. */
function signTest(op: Condition["op"]): (sign: number) => boolean {
  switch (op) {
    case "=":
    case "in":
      return (sign) => sign === 0;
    case "!=":
      return (sign) => sign < 0 || sign > 0;
    case "<":
      return (sign) => sign < 0;
    case "<=":
      return (sign) => sign <= 0;
    case ">":
      return (sign) => sign > 0;
    case ">=":
      return (sign) => sign >= 0;
    case "is_null":
      return () => false;
  }
}

/** The operand in the form in which the column's values lie in memory, so that the loop compares like with like. */
function nativeOperand(operand: Operand, bigints: boolean): Operand {
  if (operand.form !== "threshold" || bigints) {
    return operand;
  }
  const { floor, exact } = operand.value;
  const number = Number(floor);
  return exact
    ? { form: "number", value: number }
    : // Between two integers: half a step above the lower one compares as the exact value does.
      { form: "number", value: number + 0.5 };
}

function valueReader(type: ColumnType, data: Data): ((row: number) => Value) | undefined {
  switch (type.kind) {
    case "null":
      return undefined;
    case "text":
    case "binary":
      return (row) => bytesAt(data, row);
    case "bool": {
      const bits = data.values as Uint8Array;
      return (row) => ((bits[row >> 3] as number) >> (row & 7)) & 1;
    }
    default: {
      const values = data.values as Float64Array;
      return (row) => values[row] as number;
    }
  }
}

/** Test of one row of a column's data. Comparisons with null or NaN never hold; `is_null` finds both. */
export function rowTest(filter: Filter, data: Data): (row: number) => boolean {
  const { type, op, operands } = filter;
  if (op === "is_null") {
    const values = data.values as Float64Array;
    return type.kind === "float"
      ? (row) => !isValid(data, row) || Number.isNaN(values[row])
      : (row) => type.kind === "null" || !isValid(data, row);
  }
  const read = type.kind === "decimal" ? decimalReader(data) : valueReader(type, data);
  if (read === undefined) {
    return () => false;
  }
  const bigints =
    type.kind === "decimal" ||
    data.values instanceof BigInt64Array ||
    data.values instanceof BigUint64Array;
  const natives = operands.map((operand) => nativeOperand(operand, bigints));
  const holds = signTest(op);
  const [only] = natives;
  const test =
    natives.length === 1 && only !== undefined
      ? (row: number) => holds(compare(read(row), only))
      : (row: number) => natives.some((operand) => holds(compare(read(row), operand)));
  return data.nullCount === 0 ? test : (row) => isValid(data, row) && test(row);
}

function decimalReader(data: Data): (row: number) => bigint {
  return (row) => decimalAt(data, row);
}
