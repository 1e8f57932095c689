import type { Context } from '../../document/contract.ts';
import type { DocEvent, DocEventName } from '../../document/doc-event.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { FieldValue } from '../../kernel/value.ts';
import { carriesHistory } from './carriers.ts';
import { type ChangedField, type Difference, differences } from './diff.ts';
import type { HistoryRecord } from './records.ts';

/** Each save has exactly one of these events; `on_change` would count it twice. */
const SAVES: ReadonlySet<DocEventName> = new Set<DocEventName>([
  'on_update',
  'on_submit',
  'on_cancel',
  'on_update_after_submit',
]);

/** Longer texts are truncated in a version that would be too long. */
const CUT = 1_000;

/**
 * The Version rows of one event, under the document's final name. Empty unless a stored document of a doctype
 * with tracked changes was changed.
 */
export function versionsOf(
  ctx: Context,
  { name, doctype, before, doc }: DocEvent,
  docname: string,
): HistoryRecord[] {
  if (!doctype.track_changes || !before || !SAVES.has(name) || !carriesHistory(doctype)) return [];
  const found = differences(ctx.doctypes, doctype, before, doc);
  return [...found].map(([levels, difference]) => ({
    user: doc.modified_by,
    at: doc.modified,
    fields: { ref_doctype: doctype.name, docname, data: dataText(difference), permlevels: levels },
  }));
}

function dataText(difference: Difference): string {
  const whole = { ...difference, data_import: null, updater_reference: null };
  const text = JSON.stringify(whole);
  if (text.length <= LIMITS.versionLength) return text;
  // A version of thousands of changed rows stores only which rows changed.
  const nameOf = ([table, row]: Difference['added'][number]) => [
    table,
    { name: row['name'], idx: row['idx'] },
  ];
  return JSON.stringify({
    ...whole,
    added: difference.added.map(nameOf),
    removed: difference.removed.map(nameOf),
    changed: difference.changed.map(([field, was, is]): ChangedField => [field, cut(was), cut(is)]),
    row_changed: difference.row_changed.map(([table, index, name]) => [table, index, name, []]),
    truncated: true,
  });
}

function cut(value: FieldValue): FieldValue {
  return typeof value === 'string' && value.length > CUT ? `${value.slice(0, CUT).toWellFormed()}…` : value;
}
