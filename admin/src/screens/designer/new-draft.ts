import { isListable, isLongText } from '../../meta/fieldtypes.ts';
import { type Draft, type DraftField, draftOf, isOn, newField, type Raw, textOf, typeOf } from './draft.ts';

const RIGHTS = ['read', 'write', 'create', 'delete', 'report', 'export', 'import', 'share', 'print', 'email'];

/** A new doctype: empty, for System Managers. */
export function newDraft(): Draft {
  const permission = { role: 'System Manager', ...Object.fromEntries(RIGHTS.map((right) => [right, 1])) };
  return draftOf(
    { name: '', module: 'Custom', track_changes: 1, allow_rename: 1, permissions: [permission] },
    false,
  );
}

/** Fields that lists show of a new doctype, unless its author chooses others. */
const COLUMNS = 4;

/** A new field; the first ones of a doctype without lists so far become columns of its list. */
export function fieldFor({ fields }: Draft, type: string, isNew: boolean): DraftField {
  const columns = fields.filter(({ values }) => isOn(values, 'in_list_view')).length;
  const isColumn = isNew && isListable(type) && !isLongText(type) && columns < COLUMNS;
  return newField(fields, type, isColumn ? { in_list_view: 1 } : {});
}

/** A new doctype with a title: its first line of text, unless its author chose one. */
export function withTitle(draft: Draft): Draft {
  const { properties, fields } = draft;
  if (textOf(properties, 'title_field') !== '' || isOn(properties, 'istable')) return draft;
  const first = fields.find((field) => typeOf(field) === 'Data');
  if (!first) return draft;
  const title: Raw = { title_field: textOf(first.values, 'fieldname') };
  return { ...draft, properties: { ...properties, ...title } };
}
