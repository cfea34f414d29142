/** Work on several items at once, results in order. */

/**
 * Runs `work` for up to `ahead` items beyond the one that is waited for.
 * When the consumer stops early, what is under way is left to end by itself and its errors are dropped.
 */
export async function* prefetch<In, Out>(
  items: readonly In[],
  ahead: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = [];
  let next = 0;
  const start = (): void => {
    const item = items[next];
    if (next < items.length) {
      const promise = work(item as In);
      // A later item may fail while an earlier one is waited for: its error is thrown when its turn comes.
      promise.catch(() => undefined);
      running.push(promise);
      next += 1;
    }
  };
  for (let count = 0; count <= ahead; count += 1) {
    start();
  }
  for (let promise = running.shift(); promise !== undefined; promise = running.shift()) {
    yield await promise;
    start();
  }
}
