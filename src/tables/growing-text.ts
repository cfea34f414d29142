/** Texts of a column that grows while its table is read. */

export class GrowingText {
  bytes = new Uint8Array(1024);
  /** Text `row` lies at `offsets[row]` to `offsets[row + 1]`. */
  offsets = new Int32Array(256);
  rows = 0;
  /** Rows that have no field at all, ascending. */
  readonly absent: number[] = [];

  put(source: Uint8Array, start: number, end: number): void {
    const used = this.offsets[this.rows] as number;
    const after = used + end - start;
    if (after > this.bytes.length) {
      const grown = new Uint8Array(Math.max(after, this.bytes.length * 2));
      grown.set(this.bytes.subarray(0, used));
      this.bytes = grown;
    }
    if (end - start < 24) {
      for (let index = start; index < end; index += 1) {
        this.bytes[used + index - start] = source[index] as number;
      }
    } else {
      this.bytes.set(source.subarray(start, end), used);
    }
    this.#endRow(after);
  }

  putAbsent(): void {
    this.absent.push(this.rows);
    this.#endRow(this.offsets[this.rows] as number);
  }

  #endRow(used: number): void {
    this.rows += 1;
    if (this.rows >= this.offsets.length) {
      const grown = new Int32Array(this.offsets.length * 2);
      grown.set(this.offsets);
      this.offsets = grown;
    }
    this.offsets[this.rows] = used;
  }
}
