import type { Filter } from './documents.ts';

/**
 * The conditions of several lists, which all hold: lists in a list, since there may be an "or" between those
 * of one.
 */
export function allOf(...lists: readonly (readonly Filter[])[]): readonly Filter[] {
  const filled = lists.filter((one) => one.length > 0);
  const [only = [], ...others] = filled;
  // Nested lists are the wire's.
  return others.length === 0 ? only : (filled as unknown as readonly Filter[]);
}
