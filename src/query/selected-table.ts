import { readableFields } from '../access/field-level.ts';
import type { DocColumn, DocField, DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { notPermitted } from './field-path.ts';
import type { SelectedTerm } from './list-query.ts';
import { listedFields } from './listed-fields.ts';
import type { QueryScope } from './query-scope.ts';

/** The table field of that name that the user may read; null when there is none. */
export function tableNamed(doctype: DocType, name: string, scope: QueryScope): DocField | null {
  const readable = listedFields(scope, doctype);
  const fieldname = name.trim().replaceAll('`', '');
  const table = doctype.tables.find((field) => field.fieldname === fieldname);
  return table && (readable === 'all' || readable.has(fieldname)) ? table : null;
}

/**
 * A table with these fields of its rows, `*` meaning all.
 * @throws ServiceError DataError for a field that may not be selected
 */
export function selectedTable(
  doctype: DocType,
  table: DocField,
  fields: unknown,
  key: string,
  scope: QueryScope,
): SelectedTerm {
  const child = scope.registry.find(table.options);
  if (!child) throw notPermitted(table.fieldname);
  const readable = readableFields(scope.user, child, doctype);
  const all = child.columns.filter(({ fieldname }) => readable === 'all' || readable.has(fieldname));
  const names = typeof fields === 'string' ? [fields] : fields;
  if (!Array.isArray(names) || names.length === 0)
    throw notPermitted(JSON.stringify(fields) ?? table.fieldname);
  if (names.length > LIMITS.selectedFields) {
    throw new ServiceError('DataError', `At most ${LIMITS.selectedFields} fields can be selected`);
  }
  const columns = new Set<DocColumn>();
  for (const name of names) {
    if (name === '*') for (const column of all) columns.add(column);
    else {
      const column = all.find(({ fieldname }) => fieldname === name);
      if (!column) throw notPermitted(`${table.fieldname}.${String(name)}`);
      columns.add(column);
    }
  }
  return { value: 'rows', table, child, columns: [...columns], key };
}
