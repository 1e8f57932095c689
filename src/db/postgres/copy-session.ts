import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import type { Row } from '../database.ts';
import { UnusableDatabase } from '../unusable.ts';
import { breakOff } from './client.ts';
import { Hosts } from './hosts.ts';
import { usableSettings } from './settings.ts';
import { requireSuitable } from './suitable.ts';

/** A connection of its own, in one transaction, for copying whole tables. Nothing on the server's side ends it. */
export interface CopySession {
  /** The schema that the URL names, or the first of the user's search path. */
  readonly schema: string;
  /** Host and database for messages, without the password. */
  readonly label: string;
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs `copy … to stdout`. The statement ends when everything was read. */
  copyOut(text: string): Promise<Readable>;
  /** Runs `copy … from stdin`; resolves to the number of rows. */
  copyIn(text: string, content: AsyncIterable<Buffer>): Promise<number>;
  /** Begins a transaction with these words after `begin`. */
  begin(how: string): Promise<void>;
  commit(): Promise<void>;
  /** Undoes the transaction, if there is one. */
  rollback(): Promise<void>;
  /** Without a commit, the transaction is undone. */
  close(): Promise<void>;
}

/** TCP asks a silent server whether it is there after this time; milliseconds. */
const SILENCE = 10_000;
/** What the operator, the role or the database may limit. A limit that a version does not have is left out. */
const LIMITS_OF_SERVER = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'transaction_timeout',
];
/** The format of values, whatever the server's defaults. */
const FORMATS = [
  "DateStyle = 'ISO, YMD'",
  "IntervalStyle = 'postgres'",
  "TimeZone = 'UTC'",
  "bytea_output = 'hex'",
  'extra_float_digits = 1',
  'standard_conforming_strings = on',
  // Without the right to see all rows, the copy fails; it never leaves rows out.
  'row_security = off',
  // A table without a key is read from its beginning.
  'synchronize_seqscans = off',
];

/**
 * Connects to the server that accepts changes. The settings are those of each transaction, so that the connection
 * may lead through a pooler.
 * @throws UnusableDatabase
 */
export async function openCopySession(url: string): Promise<CopySession> {
  const settings = usableSettings(url);
  const { default: driver } = await import('pg');
  const copies = (await import('pg-copy-streams')).default;
  const hosts = new Hosts(settings.urls, (config) => new driver.Client(config));
  let client: Client;
  try {
    await hosts.find();
    client = new driver.Client({
      ...settings.client,
      pipeline: false,
      keepAliveInitialDelayMillis: SILENCE,
      connectionString: hosts.url(hosts.current),
    });
    client.on('error', () => {});
    await client.connect();
    await requireSuitable(client);
  } catch (error) {
    const why = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error);
    throw new UnusableDatabase(`cannot use the PostgreSQL database ${settings.label}: ${why}`, {
      cause: error,
    });
  } finally {
    hosts.close();
  }
  const query: CopySession['query'] = async (text, values) =>
    (await client.query<Row>(text, values ? [...values] : undefined)).rows;
  const limits = await query('select name from pg_settings where name = any ($1)', [LIMITS_OF_SERVER]);
  const local = [...limits.map(({ name }) => `${name} = 0`), ...FORMATS].map((one) => `set local ${one}`);
  const [first] = await query('select current_schema()::text as schema');
  let isOpen = false;
  return {
    schema: settings.schema ?? String(first?.['schema'] ?? 'public'),
    label: settings.label,
    query,
    async copyOut(text) {
      return client.query(copies.to(text));
    },
    async copyIn(text, content) {
      const into = client.query(copies.from(text));
      await pipeline(content, into);
      return into.rowCount;
    },
    async begin(how) {
      isOpen = true;
      await client.query([`begin ${how}`, ...local].join('; '));
    },
    async commit() {
      await client.query('commit');
      isOpen = false;
    },
    async rollback() {
      if (isOpen) await client.query('rollback');
      isOpen = false;
    },
    async close() {
      // The server undoes what is open. A copy that nobody reads to its end would hold up a polite end.
      if (isOpen) breakOff(client, new Error('closed'));
      await client.end().catch(() => {});
    },
  };
}
