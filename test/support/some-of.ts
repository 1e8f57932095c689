/**
 * Cases of a long table: all with `CHANCERY_TEST_ALL=1`, otherwise one in `every`. The seed of the commit chooses, so
 * that the next commits try the others. Tables with different `turn`s get different cases.
 */
export function someOf<T>(cases: readonly T[], every: number, turn = 0): readonly T[] {
  if (process.env['CHANCERY_TEST_ALL']) return cases;
  const chosen = (Number(process.env['CHANCERY_TEST_SEED'] ?? 0) + turn) % every;
  return cases.filter((_, at) => at % every === chosen);
}
