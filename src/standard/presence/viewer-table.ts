import type { Dialect, IndexSpec } from '../../db/dialect.ts';
import type { Sql, Statement } from '../../db/sql.ts';
import { integer, table, text } from '../../db/table-spec.ts';

/**
 * Who views which document: `_viewer`. `id` combines document and user; `until` is milliseconds since the
 * epoch. A table, so that the viewers at all servers of a database see each other.
 */
export function viewerTable(dialect: Dialect): readonly (Sql | Statement)[] {
  const columns = [text('id'), text('doctype'), text('name'), text('user'), integer('until')];
  const indexes: readonly IndexSpec[] = [
    { name: '_ix_viewer_document', columns: ['name', 'doctype'], unique: false },
    { name: '_ix_viewer_user', columns: ['user'], unique: false },
    { name: '_ix_viewer_until', columns: ['until'], unique: false },
  ];
  return dialect.changeSql({ change: 'create_table', table: table('_viewer', columns, indexes) });
}
