import type { IndexSpec } from '../db/dialect.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Definition } from './definition.ts';
import type { DocColumn, DocType } from './doctype.ts';

/** An index on several fields, in order. */
export type CompositeIndex = readonly string[];

/**
 * An index entry of PostgreSQL has at most 2,704 bytes, including its own header; a character may take four.
 */
const ENTRY_BYTES = 2_600;

/** The key field of every table. It ends each index, so that pages are read from the index in order. */
const KEY = 'name';

/** `indexes` of a definition: lists of fieldnames, or their JSON text. Any other value is a problem. */
export function parseIndexes(definition: Definition): readonly CompositeIndex[] {
  const lists = definition.lists('indexes');
  if (lists.length > LIMITS.indexesPerDoctype) {
    definition.refuse(`indexes has ${lists.length} indexes; the maximum is ${LIMITS.indexesPerDoctype}`);
    return [];
  }
  return Object.freeze(lists.map((list) => Object.freeze(list)));
}

/** Checks the indexes of a doctype after its columns are known. */
export function checkIndexes(doctype: DocType, definition: Definition): void {
  if (doctype.indexes.length > 0 && doctype.is_virtual) {
    definition.refuse('indexes: a virtual doctype has no table');
  }
  const seen = new Set<string>();
  for (const index of doctype.indexes) {
    const problem = problemOf(doctype, index) ?? (seen.has(index.join()) ? 'appears more than once' : null);
    seen.add(index.join());
    if (problem !== null) definition.refuse(`indexes: [${index.join(', ').slice(0, 200)}] ${problem}`);
  }
}

const LIKE = /^(\w+) like$/;

/** The field of an index for `like`, written as `["subject like"]`; null for any other index. */
export function likeField(index: CompositeIndex): string | null {
  const [term = ''] = index;
  return index.length === 1 ? (LIKE.exec(term)?.[1] ?? null) : null;
}

/** An index of a table as definitions write it. */
export function writtenIndex({ columns, like }: IndexSpec): CompositeIndex {
  return like ? columns.map((column) => `${column} like`) : columns;
}

/** True if the doctype declares an index for `like` on this field. */
export function hasLikeIndex(doctype: DocType, fieldname: string): boolean {
  return doctype.indexes.some((index) => likeField(index) === fieldname);
}

/** The reason why these fields cannot be an index, as the end of a sentence; null when they can. */
export function problemOf(doctype: DocType, index: CompositeIndex): string | null {
  if (index.length === 0 || index.length > LIMITS.indexFields) {
    return `must name 1 to ${LIMITS.indexFields} fields`;
  }
  if (new Set(index).size < index.length) return 'names a field twice';
  const like = likeField(index);
  if (like !== null) return likeProblem(doctype, like);
  let bytes = 0;
  for (const fieldname of withKey(index)) {
    const column = doctype.columnByName.get(fieldname);
    // None of the side columns (`_user_tags`, …) is short.
    if (!column || fieldname.startsWith('_'))
      return `names ${fieldname}, which is not a field of the doctype`;
    const most = longest(column);
    if (most === null) return `names ${fieldname}, whose values may be too long for an index`;
    bytes += most;
  }
  return bytes > ENTRY_BYTES
    ? 'names too many text fields: together they may be too long for an index'
    : null;
}

// `like` on long texts has another way, which no index serves.
function likeProblem(doctype: DocType, fieldname: string): string | null {
  const column = doctype.columnByName.get(fieldname);
  if (!column || fieldname.startsWith('_')) return `names ${fieldname}, which is not a field of the doctype`;
  const isShort = column.kind === 'text' && (!column.field || SHORT.has(column.field.fieldtype));
  return isShort ? null : `names ${fieldname} for like, which is no Data, Link, Dynamic Link or Select field`;
}

/** The index with the key field at its end. */
export function withKey(index: CompositeIndex): CompositeIndex {
  return index.includes(KEY) ? index : [...index, KEY];
}

const SHORT: ReadonlySet<string> = new Set(['Data', 'Link', 'Dynamic Link', 'Select']);

/** The greatest number of bytes of a value; null when that is too much for an index with other fields. */
export function longest({ kind, field }: DocColumn): number | null {
  if (kind !== 'text') return 8;
  const fieldtype = field?.fieldtype;
  const isData = !fieldtype || SHORT.has(fieldtype);
  const length = field?.length ?? 0;
  return isData && length <= 200 ? (length > 0 ? length : LIMITS.dataLength) * 4 : null;
}
