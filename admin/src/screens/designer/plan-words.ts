import { t, tn } from '../../base/i18n.ts';
import type { Step, TableChange, TablePlan } from './design-data.ts';

/** What a save does to a table, in words. */
export function tableWords({ changes, rows }: TablePlan): readonly string[] {
  return changes.map((change) => changeWords(change, rows));
}

function changeWords({ change, column, to, index }: TableChange, rows: number): string {
  if (change === 'create_table') return t('A new table is made');
  if (change === 'add_column' && typeof column === 'object')
    return t('New column {column}', { column: column.name });
  if (change === 'drop_column' && typeof column === 'string')
    return t('Column {column} is dropped', { column });
  if (change === 'alter_column' && to) {
    return tn(
      rows,
      'Column {column} changes: {count} row is rewritten',
      'Column {column} changes: {count} rows are rewritten',
      {
        column: to.name,
      },
    );
  }
  if (change === 'create_index' && typeof index === 'object') {
    const columns = index.columns.join(', ');
    return index.unique ? t('Unique index on {columns}', { columns }) : t('Index on {columns}', { columns });
  }
  return change === 'drop_index' ? t('An index is dropped') : t('The table changes');
}

/** The time that a save takes, in words. */
export function timeWords(seconds: number): string {
  if (seconds <= 1) return t('about a second');
  if (seconds < 90) return tn(seconds, 'about {count} second', 'about {count} seconds');
  const minutes = Math.ceil(seconds / 60);
  return tn(minutes, 'about {count} minute', 'about {count} minutes');
}

/** What is stored, in words: one line for each document. */
export function stepWords({ action, doctype, name, fields }: Step): string {
  const what = wordsOf(doctype, name, fields);
  if (action === 'create') return t('New {document}', { document: what });
  return action === 'delete'
    ? t('{document} is deleted', { document: what })
    : t('{document} changes', { document: what });
}

function wordsOf(doctype: string, name: string | null, fields: Step['fields']): string {
  if (name !== null) return `${doctype} ${name}`;
  const parts = [fields['field_name'], fields['property'], fields['fieldname'], fields['role']];
  return [doctype, ...parts.filter((part) => typeof part === 'string')].join(' ');
}
