import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { DatabaseOptions } from '../database.ts';
import { type Found, probingBegin } from './session.ts';
import type { PostgresSettings } from './settings.ts';

/**
 * Finds out whether a pooler stands before the server, and what it keeps of a session.
 * @throws Error with what the operator must change
 */
export async function probe(
  client: Client,
  settings: PostgresSettings,
  options: DatabaseOptions,
): Promise<Found> {
  const schema = settings.schema ?? (await firstSchema(client));
  if (!(await isPooled(client))) return { schema, isPooled: false, prepares: settings.mayPrepare };
  await checkTransaction(client);
  const prepares = settings.mayPrepare && (await poolerPrepares(client));
  if (settings.mayPrepare && !prepares) {
    options.onWarning?.(
      'the connection pooler keeps no prepared statements, so PostgreSQL parses every statement anew: set max_prepared_statements of PgBouncer 1.21 or later, or prepare=0 in the database URL to end this advice',
    );
  }
  if (options.listenUrl === undefined) {
    options.onWarning?.(
      'behind a connection pooler, the nodes hear of each other by polling, up to a second late: let databaseListenUrl lead to PostgreSQL without the pooler',
    );
  }
  return { schema, isPooled: true, prepares };
}

async function firstSchema(client: Client): Promise<string> {
  const { rows } = await client.query<{ schema: string | null }>('select current_schema()::text as schema');
  const schema = rows[0]?.schema ?? 'pg_catalog';
  if (schema !== 'pg_catalog') return schema;
  throw new Error(
    'the search_path of the user names no schema that exists. Name one in the database URL: ?schema=chancery',
  );
}

/** A pooler invents the process number that it tells its clients. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const told = (client as unknown as { processID: number | null }).processID;
  return rows[0]?.pid !== told;
}

const SESSION = `select pg_backend_pid() as pid, current_setting('statement_timeout') as statement_timeout,
  current_setting('lock_timeout') as lock_timeout,
  current_setting('idle_in_transaction_session_timeout') as idle_in_transaction_session_timeout,
  split_part(current_setting('DateStyle'), ',', 1) as "DateStyle", current_setting('TimeZone') as "TimeZone",
  current_setting('standard_conforming_strings') as standard_conforming_strings,
  current_setting('client_encoding') as client_encoding`;

/** What every transaction must find. */
const NEEDED: Readonly<Record<string, string>> = {
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
  client_encoding: 'UTF8',
};
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

async function checkTransaction(client: Client): Promise<void> {
  let rows: readonly Readonly<Record<string, unknown>>[][];
  try {
    const begun = client.query(probingBegin());
    const looks = [client.query(SESSION), client.query(SESSION)];
    const answers = await Promise.all([begun, ...looks]);
    rows = answers.slice(1).map((answer) => answer.rows);
  } catch (error) {
    throw new Error(
      `the connection pooler refuses transactions (${error instanceof Error ? error.message : error}). Set its pool_mode to transaction or session`,
    );
  } finally {
    await client.query('rollback').catch(() => {});
  }
  const [first, second] = rows.map(([row]) => row);
  if (!first || first['pid'] !== second?.['pid'])
    throw new Error(
      'the connection pooler changes the connection within a transaction. Set its pool_mode to transaction or session',
    );
  for (const name of TIMEOUTS)
    if (first[name] === '0')
      throw new Error(
        `SET LOCAL ${name} has no effect behind the connection pooler: statements would run without limit`,
      );
  for (const [name, value] of Object.entries(NEEDED))
    if (first[name] !== value)
      throw new Error(
        `${name} is ${first[name]} behind the connection pooler, not ${value}. Let the pooler pass on the parameters of its clients, or set it for the user: alter role … set ${name} = '${value}'`,
      );
}

/** A pooler that keeps prepared statements gives them names of its own in the server. */
async function poolerPrepares(client: Client): Promise<boolean> {
  const name = `chancery_${randomBytes(8).toString('hex')}`;
  const begun = client.query('begin');
  const prepared = client.query({ name, text: 'select 1 as probe', values: [] });
  const kept = client.query<{ name: string }>('select name from pg_prepared_statements where name = $1', [
    name,
  ]);
  try {
    const [, , { rows }] = await Promise.all([begun, prepared, kept]);
    if (rows.length > 0) await client.query(`deallocate "${name}"`);
    return rows.length === 0;
  } finally {
    await client.query('rollback').catch(() => {});
  }
}
