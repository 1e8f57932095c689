import { formatNumber } from '../../../base/format.ts';
import { t, tn } from '../../../base/i18n.ts';
import type { Ask } from '../../../meta/currency.ts';
import { formatValue } from '../../../meta/field-values.ts';
import type { MetaBundle } from '../../../meta/meta.ts';
import { findField, labelOf } from '../../../meta/standard-fields.ts';
import type { VersionDiff } from './version-diff.ts';

/** Maximum fields named. */
const NAMED = 3;
/** Characters of a value that still stands in the sentence. */
const SHORT = 24;
/** Stands for the user in a sentence, so that the line can set the name apart. */
export const USER = '\u0000';

/** What a version did, as a sentence about its user: "{user} changed Status from Open to Closed". */
export function versionSentence(diff: VersionDiff, { meta }: MetaBundle, ask?: Ask): string {
  const user = USER;
  const { fields, rows } = diff;
  const status = fields.find(({ fieldname }) => fieldname === 'docstatus');
  if (Number(status?.after) === 1) return t('{user} submitted this document', { user });
  if (Number(status?.after) === 2) return t('{user} cancelled this document', { user });
  const [only] = fields;
  if (only && fields.length === 1 && rows.length === 0) {
    const field = findField(meta, only.fieldname);
    const before = field ? formatValue(field, only.before, ask) : '';
    const after = field ? formatValue(field, only.after, ask) : '';
    const label = field ? labelOf(field) : only.fieldname;
    if (isShort(before) && isShort(after))
      return t('{user} changed {field} from {before} to {after}', { user, field: label, before, after });
    if (before === '' && isShort(after))
      return t('{user} set {field} to {after}', { user, field: label, after });
  }
  const isAdded = rows.length > 0 && rows.every(({ kind }) => kind === 'added');
  const table = meta.fieldByName.get(rows[0]?.table ?? '');
  if (isAdded && fields.length === 0 && table && rows.every((row) => row.table === table.fieldname))
    return tn(rows.length, '{user} added {count} row to {table}', '{user} added {count} rows to {table}', {
      user,
      table: labelOf(table),
    });
  return t('{user} changed {fields}', { user, fields: namesOf(diff, { meta }) });
}

function isShort(text: string): boolean {
  return text !== '' && text.length <= SHORT && !text.includes('\n');
}

function namesOf({ fields, rows }: VersionDiff, { meta }: Pick<MetaBundle, 'meta'>): string {
  const changed = new Set([...fields.map(({ fieldname }) => fieldname), ...rows.map(({ table }) => table)]);
  const labels = [...changed].map((name) => {
    const field = findField(meta, name);
    return field ? labelOf(field) : name;
  });
  const more = labels.length - NAMED;
  return `${labels.slice(0, NAMED).join(', ')}${more > 0 ? ` +${formatNumber(more)}` : ''}`;
}
