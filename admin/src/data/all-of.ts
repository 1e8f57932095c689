import type { Filter } from './documents.ts';

/** Combines condition lists with "and". The lists are nested, because one of them may contain an "or". */
export function allOf(...lists: readonly (readonly Filter[])[]): readonly Filter[] {
  const filled = lists.filter((one) => one.length > 0);
  const [only = [], ...others] = filled;
  // The wire accepts nested lists.
  return others.length === 0 ? only : (filled as unknown as readonly Filter[]);
}
