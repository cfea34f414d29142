/** Collects rows of figures, prints them as they come and writes them as a table. */
export interface Row {
  readonly what: string;
  /** Our figure and the one it is compared with, with units. */
  readonly ours: string;
  readonly against: string;
  readonly ratio: string;
  /** What was to be reached, and whether it was; empty where nothing was promised. */
  readonly reach: string;
  readonly reached: boolean | undefined;
}

export class Report {
  readonly rows: Row[] = [];

  add(row: Row): void {
    this.rows.push(row);
    const verdict = row.reached === undefined ? "" : row.reached ? "  reached" : "  NOT REACHED";
    process.stdout.write(
      `${row.what}\n    ${row.ours} against ${row.against}: ${row.ratio}  (${row.reach})${verdict}\n`,
    );
  }

  toMarkdown(): string {
    const lines = this.rows.map(
      ({ what, ours, against, ratio, reach, reached }) =>
        `| ${what} | ${ours} | ${against} | ${ratio} | ${reach} | ${reached === undefined ? "–" : reached ? "yes" : "**no**"} |`,
    );
    return [
      "| what | Vitrine | against | ratio | reach | reached |",
      "|---|---|---|---|---|---|",
      ...lines,
    ].join("\n");
  }
}

export const ms = (value: number): string =>
  `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
export const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
export const mib = (value: number): string => `${value.toFixed(0)} MiB`;
export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
