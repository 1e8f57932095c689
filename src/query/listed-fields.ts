import { type FieldSet, readableFields } from '../access/field-level.ts';
import type { DocType } from '../doctype/doctype.ts';
import { memo } from '../kernel/memo.ts';
import type { QueryScope } from './query-scope.ts';

/**
 * The fields of the listed doctype that a list may use: all readable ones, or those of a picker, by the right
 * of the list.
 */
export function listedFields(
  scope: Pick<QueryScope, 'user' | 'right' | 'parent'>,
  doctype: DocType,
): FieldSet {
  const readable = readableFields(scope.user, doctype, doctype.istable ? scope.parent : undefined);
  return scope.right === 'select' ? selectableFields(doctype, readable) : readable;
}

// The same object for the same question, because it is a cache key of parsed lists.
const selectableSets = memo((_: DocType) => new Map<FieldSet, FieldSet>());

/**
 * The readable fields that identify documents in a picker: name, title, search fields, and whether the
 * document is disabled.
 */
function selectableFields(doctype: DocType, readable: FieldSet): FieldSet {
  const sets = selectableSets(doctype);
  let selectable = sets.get(readable);
  if (!selectable) {
    const shown = new Set(['name', doctype.title_field, ...doctype.search_fields.split(',')].map(trimmed));
    for (const flag of ['enabled', 'disabled']) {
      if (doctype.fieldByName.get(flag)?.fieldtype === 'Check') shown.add(flag);
    }
    selectable = readable === 'all' ? shown : shown.intersection(readable);
    sets.set(readable, selectable);
  }
  return selectable;
}

function trimmed(text: string): string {
  return text.trim();
}
