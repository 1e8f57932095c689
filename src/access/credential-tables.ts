import type { Dialect, TableSpec } from '../db/dialect.ts';
import { EMPTY, Sql, type Statement, sql } from '../db/sql.ts';
import { datetime, integer, table, text } from '../db/table-spec.ts';

/** API keys, password hashes and sessions. Times of a session are milliseconds since the epoch. */
export const CREDENTIAL_TABLES: readonly TableSpec[] = [
  table(
    '_api_key',
    [
      text('api_key'),
      text('secret_digest'),
      text('user'),
      text('label'),
      datetime('creation'),
      integer('enabled', 1),
    ],
    [{ name: '_ix_api_key_user', columns: ['user'], unique: false }],
  ),
  table('_password', [text('user'), text('hash')]),
  table(
    '_session',
    [text('digest'), text('user'), text('csrf_token'), integer('created_at'), integer('last_used_at')],
    [{ name: '_ix_session_user', columns: ['user'], unique: false }],
  ),
];

/** Encrypted values of Password fields, keyed by field. */
export function secretTable(dialect: Dialect): Sql {
  const key = new Sql([{ text: dialect.columnType('text') }]);
  return sql`create table "_secret" (
      "doctype" ${key} not null, "name" ${key} not null, "fieldname" ${key} not null, "value" ${key} not null,
      primary key ("doctype", "name", "fieldname"))${dialect.name === 'sqlite' ? sql` strict` : EMPTY}`;
}

/**
 * `doctypes`, `methods` and `addresses` are JSON; null sets no limit. `…_at` and `old_until` are milliseconds
 * since the epoch.
 */
export function keyLimits(dialect: Dialect): readonly (Sql | Statement)[] {
  const columns = [
    datetime('modified'),
    integer('expires_at'),
    integer('read_only'),
    text('doctypes'),
    text('methods'),
    text('addresses'),
    integer('last_used_at'),
    text('old_digest'),
    integer('old_until'),
  ];
  return columns.flatMap((column) => dialect.changeSql({ change: 'add_column', table: '_api_key', column }));
}
