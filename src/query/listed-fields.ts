import { type FieldSet, readableFields } from '../access/field-level.ts';
import type { DocType } from '../doctype/doctype.ts';
import type { QueryScope } from './list-query.ts';

/** What a list may use of its own doctype's fields: all readable ones, or what a picker shows, by the right it is made by. */
export function listedFields(
  scope: Pick<QueryScope, 'user' | 'right' | 'parent'>,
  doctype: DocType,
): FieldSet {
  const readable = readableFields(scope.user, doctype, doctype.istable ? scope.parent : undefined);
  return scope.right === 'select' ? selectableFields(doctype, readable) : readable;
}

// One object for the same question: parsed lists are remembered by it.
const known = new WeakMap<DocType, Map<FieldSet, FieldSet>>();

/**
 * Those of the readable fields that tell documents apart in a picker: name, title, search fields, and whether the document is
 * in use.
 */
function selectableFields(doctype: DocType, readable: FieldSet): FieldSet {
  let sets = known.get(doctype);
  if (!sets) {
    sets = new Map();
    known.set(doctype, sets);
  }
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
