/** The known name that is nearest to a mistyped one. */

/** Edit distance (insert, delete, replace), `(a.length + 1)` numbers of memory. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: a.length + 1 }, (_, index) => index);
  for (let j = 1; j <= b.length; j += 1) {
    const next = [j];
    for (let i = 1; i <= a.length; i += 1) {
      const replaced = (row[i - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[i] ?? 0) + 1, (next[i - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[a.length] ?? 0;
}

/** Longest name that is compared: both sides may come from outside, and the work grows with their product. */
const MAX_LENGTH = 100;

/**
 * The candidate nearest to `name`, ignoring case, or undefined where none is near: more than a third of its letters
 * would have to change, and neither contains the other.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  let best: { candidate: string; score: number } | undefined;
  for (const candidate of candidates) {
    const known = candidate.slice(0, MAX_LENGTH).toLowerCase();
    const contained =
      Math.min(wanted.length, known.length) >= 3 &&
      (known.includes(wanted) || wanted.includes(known));
    const score = contained ? 0.5 : distance(wanted, known);
    const near = contained || score <= Math.max(1, Math.floor(known.length / 3));
    if (near && known !== "" && (best === undefined || score < best.score)) {
      best = { candidate, score };
    }
  }
  return best?.candidate;
}
