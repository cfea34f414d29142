/** Statistics of a column, gathered part by part. */
import type { Data } from "apache-arrow";
import type { Cell, ColumnStats } from "../contract.ts";
import { bytesAt, isValid, needsText, type Raw, rawReader, toCell } from "./cells.ts";
import type { ColumnType } from "./column-type.ts";

const NUMBERS = new Set<ColumnType["kind"]>(["float", "integer", "decimal"]);

export class StatsCollector {
  readonly #type: ColumnType;
  #count = 0;
  #nulls = 0;
  #nan = 0;
  #min: Raw = null;
  #max: Raw = null;
  #minBytes: Uint8Array | undefined;
  #maxBytes: Uint8Array | undefined;
  /** Sum and what rounding lost of it (Neumaier). */
  #sum = 0;
  #lost = 0;

  constructor(type: ColumnType) {
    this.#type = type;
  }

  add(data: Data): void {
    switch (this.#type.kind) {
      case "text":
        this.#addText(data);
        break;
      case "binary":
      case "null":
        this.#addPresence(data);
        break;
      default:
        this.#addValues(data);
    }
  }

  #addPresence(data: Data): void {
    for (let row = 0; row < data.length; row += 1) {
      if (this.#type.kind !== "null" && isValid(data, row)) {
        this.#count += 1;
      } else {
        this.#nulls += 1;
      }
    }
  }

  #addText(data: Data): void {
    this.#addPresence(data);
    for (let row = 0; row < data.length; row += 1) {
      if (!isValid(data, row)) {
        continue;
      }
      const bytes = bytesAt(data, row);
      if (this.#minBytes === undefined || Buffer.compare(bytes, this.#minBytes) < 0) {
        this.#minBytes = bytes.slice();
      }
      if (this.#maxBytes === undefined || Buffer.compare(bytes, this.#maxBytes) > 0) {
        this.#maxBytes = bytes.slice();
      }
    }
  }

  #addValues(data: Data): void {
    const read = rawReader(this.#type, data);
    const summed = NUMBERS.has(this.#type.kind);
    let [min, max] = [this.#min, this.#max];
    for (let row = 0; row < data.length; row += 1) {
      const raw = read(row);
      if (raw === null) {
        this.#nulls += 1;
      } else if (Number.isNaN(raw)) {
        this.#nan += 1;
      } else {
        this.#count += 1;
        min = min === null || raw < min ? raw : min;
        max = max === null || raw > max ? raw : max;
        if (summed) {
          this.#addToSum(Number(raw));
        }
      }
    }
    [this.#min, this.#max] = [min, max];
  }

  #addToSum(value: number): void {
    const sum = this.#sum + value;
    this.#lost +=
      Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }

  #mean(): number | null {
    if (!NUMBERS.has(this.#type.kind) || this.#count === 0) {
      return null;
    }
    const mean = (this.#sum + this.#lost) / this.#count / 10 ** (this.#type.scale ?? 0);
    return Number.isFinite(mean) ? mean : null;
  }

  #cell(raw: Raw, bytes: Uint8Array | undefined): Cell {
    if (bytes !== undefined) {
      return Buffer.from(bytes).toString("utf8");
    }
    return toCell(this.#type, raw, needsText(this.#type, [raw])) ?? null;
  }

  finish(): ColumnStats {
    return {
      count: this.#count,
      nulls: this.#nulls,
      nan: this.#nan,
      min: this.#cell(this.#min, this.#minBytes),
      max: this.#cell(this.#max, this.#maxBytes),
      mean: this.#mean(),
    };
  }
}
