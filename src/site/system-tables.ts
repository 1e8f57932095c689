import { auditTables } from '../access/audit-tables.ts';
import { CREDENTIAL_TABLES, keyLimits, secretTable } from '../access/credential-tables.ts';
import { oauthTables } from '../access/oauth-tables.ts';
import { sessionsOfKeys, signInTables } from '../access/sign-in-tables.ts';
import type { Dialect, IndexSpec } from '../db/dialect.ts';
import { jobTurnTable } from '../db/job-turns.ts';
import type { MigrationStep } from '../db/migrate.ts';
import type { Sql, Statement } from '../db/sql.ts';
import { integer, table, text } from '../db/table-spec.ts';
import { SERIES_TABLE } from '../document/naming/series.ts';
import { changeTables } from '../feed/change-tables.ts';
import { holdTable } from '../file/backup-hold.ts';
import {
  contentTables,
  quarantineColumns,
  quarantinedFiles,
  STORED_FILE_TABLE,
} from '../file/content-tables.ts';
import { partialTables } from '../file/partial-tables.ts';
import { loadCreation, loadNameIndex, loadTables } from '../load/load-tables.ts';
import { viewerTable } from '../standard/presence/viewer-table.ts';
import { webhookEngineTables, webhookFastReceivers } from '../webhook/queue/engine-tables.ts';
import {
  webhookLogDetails,
  webhookLogRecovered,
  webhookLogViews,
  webhookSetAside,
} from '../webhook/queue/log-views.ts';
import { webhookSharedBodies } from '../webhook/queue/shared-bodies.ts';
import { webhookTables } from '../webhook/queue/webhook-tables.ts';
import { nodeTable } from './nodes.ts';

/** The tables of all rooms, in the order of their introduction. New steps are only ever appended. */
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
  { name: 'bodies that deliveries share', statements: webhookSharedBodies },
  { name: 'recovered deliveries in the log', statements: webhookLogRecovered },
  { name: 'servers of a database', statements: nodeTable },
  { name: 'viewers of documents', statements: viewerTable },
  { name: 'turns of periodic jobs', statements: jobTurnTable },
  { name: 'webhooks with fast receivers', statements: webhookFastReceivers },
  { name: 'holds of backups', statements: holdTable },
  { name: 'deliveries that a restore sets aside', statements: webhookSetAside },
  { name: 'deleted files of the quarantine', statements: quarantinedFiles },
  { name: 'the ledger of loads', statements: loadTables },
  { name: 'the ledger of loads by document', statements: loadNameIndex },
  { name: 'documents of the ledger of loads that were made anew', statements: loadCreation },
];

function firstTables(dialect: Dialect): readonly (Sql | Statement)[] {
  const settings = table('_setting', [text('key'), text('value')]);
  const tables = [settings, SERIES_TABLE, ...CREDENTIAL_TABLES, STORED_FILE_TABLE];
  return [
    ...tables.flatMap((spec) => dialect.changeSql({ change: 'create_table', table: spec })),
    secretTable(dialect),
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

/** JSON: the user's rights at the time of the reply. */
function replyRights(dialect: Dialect): readonly (Sql | Statement)[] {
  return dialect.changeSql({ change: 'add_column', table: '_reply', column: text('rights') });
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
