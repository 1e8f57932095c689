import type { ChildRow } from '../doctype/doctype.ts';
import { isSameValue } from '../document/check/same.ts';
import type { DocEvent } from '../document/doc-event.ts';

/** What a comparison takes: an event, or what several of one transaction amount to. */
export type Changed = Pick<DocEvent, 'doctype' | 'doc' | 'before' | 'secrets'>;

/**
 * Whether a field has another value than before the change. A new document has changed in what it has set. Rows of a
 * table are compared by their fields and order: a table written anew with the same rows has not changed.
 */
export function hasChanged({ doctype, doc, before, secrets }: Changed, fieldname: string): boolean {
  if (secrets.includes(fieldname)) return true;
  const [now, then] = [doc[fieldname], before?.[fieldname]];
  if (Array.isArray(now) || Array.isArray(then)) {
    return !sameRows(Array.isArray(now) ? now : [], Array.isArray(then) ? then : []);
  }
  if (before === null) return !isSameValue(now, null) && now !== doctype.columnByName.get(fieldname)?.empty;
  return !isSameValue(now, then);
}

/** The fields of the doctype that changed, tables included; not who changed it and when. */
export function changedFields(changed: Changed): string[] {
  const { doctype } = changed;
  const names = ['name', 'owner', 'docstatus', ...doctype.fields.map(({ fieldname }) => fieldname)];
  return names.filter((fieldname) => hasChanged(changed, fieldname));
}

function sameRows(now: readonly ChildRow[], then: readonly ChildRow[]): boolean {
  if (now.length !== then.length) return false;
  return now.every((row, index) => {
    const other = then[index];
    return (
      other !== undefined &&
      Object.keys(row).every((key) => OWN.has(key) || isSameValue(row[key], other[key]))
    );
  });
}

/** What a row has for itself, and not for its content. */
const OWN: ReadonlySet<string> = new Set([
  'name',
  'owner',
  'creation',
  'modified',
  'modified_by',
  'docstatus',
  'idx',
  'parent',
  'parenttype',
  'parentfield',
  'doctype',
]);
