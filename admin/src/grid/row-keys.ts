/**
 * Keys of the mounted rows: a row that stays keeps its key, and a row that comes takes the key of one that went,
 * whose elements then show it. Making elements, and computing their styles, is most of the cost of a jump. The
 * keys of the rows that went come in their order, so that a jump moves no element either.
 */
export function recycled(
  before: ReadonlyMap<number, number>,
  rows: readonly number[],
  focused: number | null,
): ReadonlyMap<number, number> {
  const stays = new Set(rows);
  // An element with the focus would keep it, but stand for another row.
  const free = [...before].filter(([row]) => !stays.has(row) && row !== focused).map(([, key]) => key);
  let last = Math.max(-1, ...before.values());
  const freeKey = () => {
    last += 1;
    return free.shift() ?? last;
  };
  return new Map(rows.map((row) => [row, before.get(row) ?? freeKey()]));
}
