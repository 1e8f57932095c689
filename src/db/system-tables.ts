import { auditTables } from './audit-tables.ts';
import { changeTables } from './change-tables.ts';
import { contentTables, quarantineColumns } from './content-tables.ts';
import type { ColumnKind, ColumnSpec, Dialect, IndexSpec, TableSpec } from './dialect.ts';
import { oauthTables } from './oauth-tables.ts';
import { partialTables } from './partial-tables.ts';
import { sessionsOfKeys, signInTables } from './sign-in-tables.ts';
import { EMPTY, Sql, type Statement, sql } from './sql.ts';
import { webhookEngineTables } from './webhook-engine-tables.ts';
import { webhookLogDetails, webhookLogViews } from './webhook-log-views.ts';
import { webhookTables } from './webhook-tables.ts';

/** A step of the tables that are not doctypes. Steps are numbered by their place and never change once released. */
export interface MigrationStep {
  readonly name: string;
  statements(dialect: Dialect): readonly (Sql | Statement)[];
}

export const SYSTEM_STEPS: readonly MigrationStep[] = [
  { name: 'settings, series, credentials, stored files', statements: firstTables },
  { name: 'webhook deliveries', statements: webhookTables },
  { name: 'replies by idempotency key', statements: replyTable },
  { name: 'the change feed', statements: changeTables },
  { name: 'shapes of slow queries', statements: slowQueryTable },
  { name: 'limits of API keys', statements: keyLimits },
  { name: 'signing in', statements: signInTables },
  { name: 'OAuth grants and identities', statements: oauthTables },
  { name: 'the audit log', statements: auditTables },
  { name: 'stored content', statements: contentTables },
  { name: 'uploads in parts', statements: partialTables },
  { name: 'the delivery engine', statements: webhookEngineTables },
  { name: 'the log of deliveries', statements: webhookLogViews },
  { name: 'methods and times in the log of deliveries', statements: webhookLogDetails },
  { name: 'sessions of API keys', statements: sessionsOfKeys },
  { name: 'rights behind replies', statements: replyRights },
  { name: 'the quarantine of stored files', statements: quarantineColumns },
];

function firstTables(dialect: Dialect): readonly (Sql | Statement)[] {
  const tables = [
    table('_setting', [text('key'), text('value')]),
    table('_series', [text('key'), integer('current')]),
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
      // Milliseconds since the epoch.
      [text('digest'), text('user'), text('csrf_token'), integer('created_at'), integer('last_used_at')],
      [{ name: '_ix_session_user', columns: ['user'], unique: false }],
    ),
    table(
      '_stored_file',
      [
        text('file_url'),
        text('storage_key'),
        text('file_name'),
        text('image_type'),
        text('sha256'),
        integer('bytes'),
        integer('is_private'),
        // UTC, whatever the site's time zone: HTTP shows it.
        datetime('created_at'),
      ],
      [{ name: '_ix_stored_file_key', columns: ['storage_key'], unique: true }],
    ),
  ];
  const key = new Sql([{ text: dialect.columnType('text') }]);
  return [
    ...tables.flatMap((spec) => dialect.changeSql({ change: 'create_table', table: spec })),
    sql`create table "_secret" (
      "doctype" ${key} not null, "name" ${key} not null, "fieldname" ${key} not null, "value" ${key} not null,
      primary key ("doctype", "name", "fieldname"))${dialect.name === 'sqlite' ? sql` strict` : EMPTY}`,
  ];
}

/** `created_at` is milliseconds since the epoch; `body` is encrypted. */
function replyTable(dialect: Dialect): readonly (Sql | Statement)[] {
  const columns = [
    text('key'),
    text('digest'),
    integer('status'),
    text('etag'),
    text('body'),
    integer('created_at'),
  ];
  const age: IndexSpec = { name: '_ix_reply_created_at', columns: ['created_at'], unique: false };
  return dialect.changeSql({ change: 'create_table', table: table('_reply', columns, [age]) });
}

/** JSON: what the user could see when the reply was given. */
function replyRights(dialect: Dialect): readonly (Sql | Statement)[] {
  return dialect.changeSql({ change: 'add_column', table: '_reply', column: text('rights') });
}

/** `doctypes`, `methods`, `addresses`: JSON, null is no limit; `…_at` and `old_until` are milliseconds since the epoch. */
function keyLimits(dialect: Dialect): readonly (Sql | Statement)[] {
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

/** `shape` is JSON; `seen_at` is milliseconds since the epoch. */
function slowQueryTable(dialect: Dialect): readonly (Sql | Statement)[] {
  const columns = [
    text('shape'),
    integer('count'),
    integer('total_millis'),
    integer('max_millis'),
    integer('seen_at'),
  ];
  return dialect.changeSql({ change: 'create_table', table: table('_slow_query', columns) });
}

/** The first column is the key. */
function table(name: string, columns: readonly ColumnSpec[], indexes: readonly IndexSpec[] = []): TableSpec {
  return { name, primaryKey: columns[0]?.name ?? '', columns, indexes };
}

function column(name: string, kind: ColumnKind, notNullDefault: number | null = null): ColumnSpec {
  return { name, kind, notNullDefault };
}

const text = (name: string) => column(name, 'text');
const datetime = (name: string) => column(name, 'datetime');
const integer = (name: string, value = 0) => column(name, 'integer', value);
