/** Text analysis as the two Solr indexes do it: words in lower case, no stop words, no possessives, plurals reduced. */

const STOP_WORDS = new Set(
  "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with".split(
    " ",
  ),
);

/** The words of a text in order, as they are compared. */
export function analyse(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu) ?? [];
  return words
    .map((word) => singular(word.replace(/['’]s$/, "")))
    .filter((word) => !STOP_WORDS.has(word));
}

/** Minimal English stemming: plural endings only. */
function singular(word: string): string {
  if (word.length < 3 || !word.endsWith("s") || /[us]s$/.test(word)) {
    return word;
  }
  if (/[^ae]ies$/.test(word) && word.length > 3) {
    return `${word.slice(0, -3)}y`;
  }
  return /[iaoe]es$/.test(word) ? word : word.slice(0, -1);
}
