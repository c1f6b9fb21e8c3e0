/**
 * The remark `; did you mean "scheduler"?` when a known word is within two typing errors of the one found,
 * one for words of up to four characters; empty otherwise.
 */
export function didYouMean(found: string, known: Iterable<string>): string {
  let best: string | undefined;
  let bestDistance = found.length <= 4 ? 2 : 3;
  for (const word of known) {
    if (word === found) return '';
    const distance = editDistance(found.toLowerCase().replaceAll('-', '_'), word);
    if (distance < bestDistance) [best, bestDistance] = [word, distance];
  }
  return best === undefined ? '' : `; did you mean "${best}"?`;
}

/** Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements, swapped neighbours. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (previous[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (previous[j - 1] ?? 0) + same,
          swapped ? (beforePrevious[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}
