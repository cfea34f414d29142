/** The pages that one reader gathers: from the cache, decompressed here, or on their way from the second thread. */
import { decompressApart } from "./codecs.ts";
import type { KeptPages } from "./kept-pages.ts";
import { openPage, type Page, type SealedPage } from "./page.ts";

export class PageSet {
  readonly #kept: KeptPages;
  /** By their first bytes; undefined while one is being decompressed. */
  readonly #pages = new Map<number, Page | undefined>();
  readonly #opening: Promise<void>[] = [];

  constructor(kept: KeptPages) {
    this.#kept = kept;
  }

  /** Whether a page is there or on its way; one that was kept with enough rows is taken. */
  has(start: number, rowsNeeded: number): boolean {
    if (!this.#pages.has(start)) {
      const page = this.#kept.page(start, rowsNeeded);
      if (page !== undefined) {
        this.#pages.set(start, page);
      }
    }
    return this.#pages.has(start);
  }

  /** Decompresses a page. @param isShared whether there is more in its buffer than this page */
  add(start: number, sealed: SealedPage, isShared: boolean): void {
    const apart = decompressApart(sealed, isShared);
    if (apart === undefined) {
      this.#place(start, openPage(sealed));
      return;
    }
    this.#pages.set(start, undefined);
    const opening = apart.then(({ input, output }) =>
      this.#place(start, sealed.open(output, input)),
    );
    // It is waited for later, or never where another page fails before.
    opening.catch(() => undefined);
    this.#opening.push(opening);
  }

  /** Waits for those on their way. */
  async opened(): Promise<void> {
    await Promise.all(this.#opening.splice(0));
  }

  /** First bytes and pages, in order. */
  inOrder(): (readonly [number, Page])[] {
    return [...this.#pages]
      .flatMap(([start, page]) => (page === undefined ? [] : [[start, page] as const]))
      .sort(([a], [b]) => a - b);
  }

  #place(start: number, page: Page): void {
    this.#pages.set(start, page);
    this.#kept.keepPage(start, page);
  }
}
