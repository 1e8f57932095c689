import type { ChildRow } from '../../doctype/doctype.ts';
import { isSameValue } from '../../document/check/same.ts';
import type { DocEvent } from '../../document/doc-event.ts';

/** The input of a comparison: an event, or several events of one transaction merged. */
export type Changed = Pick<DocEvent, 'doctype' | 'doc' | 'before' | 'secrets'>;

/**
 * True when the value of a field differs from the one before the change. In a new document every set field
 * has changed. Rows of a table are compared by their fields and order: a table rewritten with the same rows
 * has not changed.
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

/** The fields of the doctype that changed, tables included; not `modified` and its like. */
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

/** Fields that identify a row and are not part of its content. */
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
