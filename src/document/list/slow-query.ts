import { LIMITS } from '../../kernel/limits.ts';
import type { QueryShape } from '../../kernel/observation.ts';
import type { Filter, FilterGroup, ListQuery } from '../../query/list-query.ts';
import type { Test } from '../../query/operators.ts';
import type { Context } from '../contract.ts';

/** Runs the statement of a list or count, and reports its shape (no values) when it is slow. */
export async function timed<T>(
  ctx: Context,
  query: ListQuery,
  what: QueryShape['what'],
  read: () => Promise<T>,
): Promise<T> {
  const { slowAfter } = ctx.site.settings;
  const began = performance.now();
  try {
    return await read();
  } finally {
    const millis = performance.now() - began;
    if (slowAfter > 0 && millis >= slowAfter) {
      ctx.site.observe({ kind: 'slow_query', millis: Math.round(millis), ...shapeOf(query, what) });
    }
  }
}

/** What the statement of a list or count looks for and orders by, without values. */
export function shapeOf(query: ListQuery, what: QueryShape['what']): QueryShape {
  const uses = usesOf([...query.filters, ...query.nested]);
  // An index helps one branch of an `or` only if all branches have one.
  for (const filter of query.orFilters) uses.push([filter, 'other']);
  const fields = (wanted: Use) => {
    const names = uses.flatMap(([{ path }, use]) =>
      use === wanted && path.via === 'own' ? [path.column.fieldname] : [],
    );
    return [...new Set(names)].toSorted().slice(0, LIMITS.slowQueryFields);
  };
  return {
    doctype: query.doctype.name,
    what,
    equal: fields('equal'),
    range: fields('range'),
    other: fields('other'),
    order: what === 'count' || query.groups !== null ? [] : orderOf(query),
  };
}

function orderOf({ order }: ListQuery): string[] {
  const terms: string[] = [];
  for (const term of order) {
    // Without an index on this term, the terms after it cannot use one either.
    if (term.by !== undefined) return terms;
    if (term.column.fieldname !== 'name') terms.push(`${term.column.fieldname} ${term.direction}`);
  }
  return terms.slice(0, LIMITS.slowQueryFields);
}

type Use = 'equal' | 'range' | 'other';

function usesOf(nodes: readonly (Filter | FilterGroup)[]): [Filter, Use][] {
  return nodes.flatMap((node): [Filter, Use][] => {
    if (!('nodes' in node)) return [[node, kindOf(node.test)]];
    const inner = usesOf(node.nodes);
    return node.join === 'and' ? inner : inner.map(([filter]) => [filter, 'other']);
  });
}

function kindOf(test: Test): Use {
  if (test.test === 'empty') return 'equal';
  if (test.test === 'compare') return 'range';
  if (test.test !== 'one of') return 'other';
  return test.intervals.every(({ low, high }) => low === high) ? 'equal' : 'range';
}
