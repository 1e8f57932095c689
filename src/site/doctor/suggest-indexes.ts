import { type CompositeIndex, problemOf, withKey } from '../../doctype/composite-indexes.ts';
import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { tableOf } from '../../doctype/schema-plan.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { QueryShape } from '../../kernel/observation.ts';
import type { SlowQuery } from '../slow-queries.ts';

/** An index that would speed up slow queries. */
export interface SuggestedIndex {
  readonly doctype: string;
  readonly fields: CompositeIndex;
  /** The doctype's property with the index added: JSON. */
  readonly indexes: readonly CompositeIndex[];
  /** The number of slow queries that it would speed up, and their total time in milliseconds. */
  readonly count: number;
  readonly totalMillis: number;
}

/** Suggests indexes for slow queries, the greatest saving first. */
export function suggestIndexes(slow: readonly SlowQuery[], registry: DoctypeRegistry): SuggestedIndex[] {
  const found = new Map<string, SuggestedIndex>();
  for (const { shape, count, totalMillis } of slow) {
    const doctype = registry.find(shape.doctype);
    const fields = doctype && indexFor(doctype, shape);
    if (!doctype || !fields) continue;
    const key = `${doctype.name} ${fields.join()}`;
    const same = found.get(key);
    found.set(key, {
      doctype: doctype.name,
      fields,
      indexes: [...doctype.indexes, fields],
      count: count + (same?.count ?? 0),
      totalMillis: totalMillis + (same?.totalMillis ?? 0),
    });
  }
  return [...found.values()].toSorted((one, other) => other.totalMillis - one.totalMillis);
}

/**
 * The index for a query: the fields compared for equality, then those of the order, or the one compared with
 * a range. Null when such an index exists, or none would help.
 */
export function indexFor(doctype: DocType, shape: QueryShape): CompositeIndex | null {
  if (doctype.is_virtual) return null;
  const equal = shape.equal.filter((fieldname) => problemOf(doctype, [fieldname]) === null);
  const [between] = shape.range.filter((fieldname) => !equal.includes(fieldname));
  const order = orderedBy(shape, equal);
  // An index in the order alone would read rows until enough fall into the range; the index of the range
  // field finds them at once.
  const inOrder = order.length > 0 && (equal.length > 0 || between === undefined || order[0] === between);
  const last = inOrder ? order : between === undefined ? [] : [between];
  const fields = [...equal, ...last].filter((fieldname) => fieldname !== 'name').slice(0, LIMITS.indexFields);
  if (fields.length === 0 || problemOf(doctype, fields) !== null) return null;
  return isCovered(doctype, fields, Math.min(equal.length, fields.length)) ? null : fields;
}

/**
 * The fields that an index returns in order. An index is read in one direction: the first term of the other
 * direction ends them.
 */
function orderedBy({ what, order }: QueryShape, equal: readonly string[]): string[] {
  if (what === 'count') return [];
  // A field with one value has no effect on the order.
  const terms = order.map(split).filter(([fieldname]) => !equal.includes(fieldname));
  const end = terms.findIndex(([, direction]) => direction !== terms[0]?.[1]);
  return terms.slice(0, end === -1 ? undefined : end).map(([fieldname]) => fieldname);
}

function split(term: string): readonly [fieldname: string, direction: string] {
  const [fieldname = '', direction = ''] = term.split(' ');
  return [fieldname, direction];
}

/** True when an existing index begins with the same fields; the first `free` of them may be in any order. */
function isCovered(doctype: DocType, fields: CompositeIndex, free: number): boolean {
  const first = new Set(fields.slice(0, free));
  return tableOf(doctype).indexes.some(({ columns, like }) => {
    const held = withKey(columns);
    return (
      !like &&
      held.length >= fields.length &&
      held.slice(0, free).every((fieldname) => first.has(fieldname)) &&
      fields.slice(free).every((fieldname, place) => held[free + place] === fieldname)
    );
  });
}
