/**
 * The known name that `name` is probably a typo of: equal except for case, `-` and `_`, or one typo away (two
 * in names of eight characters or more). A typo is an extra, missing, wrong or swapped character. Undefined
 * when `name` is known itself, or when no known name is that close.
 */
export function nearMiss(name: string, known: Iterable<string>): string | undefined {
  const candidates = [...known];
  if (candidates.includes(name)) return undefined;
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = 3;
  for (const candidate of candidates) {
    const meant = plain(candidate);
    // The longer name counts: a typo may have left out characters.
    const most = Math.max(wanted.length, meant.length) < 8 ? 1 : 2;
    const slips = slipsBetween(wanted, meant, least);
    if (slips < least && slips <= most) [nearest, least] = [candidate, slips];
  }
  return nearest;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** The optimal string alignment distance; `most` when it is `most` or more. */
function slipsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) >= most) return most;
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, above] = [above, row];
  }
  return Math.min(above[other.length] ?? most, most);
}
