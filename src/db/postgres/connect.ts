import type { Client } from 'pg';
import { LIMITS } from '../../kernel/limits.ts';
import type { Database, DatabaseOptions } from '../database.ts';
import { quote } from '../ddl.ts';
import { unavailable } from '../driver-errors.ts';
import { UnusableDatabase } from '../unusable.ts';
import { ownClient } from './client.ts';
import { createOnce } from './create-once.ts';
import { Hosts, requireWritable } from './hosts.ts';
import { PostgresIndexBuilds } from './index-builds.ts';
import { PostgresNotices } from './notices.ts';
import { openReplicas } from './open-replicas.ts';
import { createOutcomes } from './outcomes.ts';
import { Positions } from './positions.ts';
import { probe } from './probe.ts';
import { PostgresReader } from './reader.ts';
import { type Found, sessionOf } from './session.ts';
import { type PostgresSettings, usableSettings } from './settings.ts';
import { Silence } from './silence.ts';
import { requireSuitable } from './suitable.ts';
import { Transactions } from './transactions.ts';

/** All connections of a process, and the pipelined ones for reads. */
const CONNECTIONS = 15;
const READERS = 2;
/** A connection of the pool is closed after this time without work; milliseconds. */
const IDLE = 10_000;
/** What is not left for transactions: connections for reads, for long reads, and for notices. */
const OTHERS = READERS + LIMITS.scanThreads + 1;

/**
 * Connects and checks the server. While the connection is lost later, requests get 503; it recovers by
 * itself.
 * @throws UnusableDatabase
 */
export async function openPostgres(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { connections = CONNECTIONS } = options;
  const settings = usableSettings(url);
  const standbys = (options.replicas ?? []).map(usableReplica);
  const { default: driver } = await import('pg');
  // The statements of a transaction wait for no other request, those of many readers go out together.
  const hostsOf = ({ urls }: PostgresSettings) => new Hosts(urls, (config) => new driver.Client(config));
  const hosts = hostsOf(settings);
  const Checking = ownClient(driver.Client, process.nextTick, hosts, null);
  const found = await checkServer(() => new Checking(settings.client), hosts, settings, options);
  hosts.isTold = !found.isPooled;
  const session = sessionOf(settings, found, options);
  const silence = new Silence(() => hosts.reach(settings.client));
  const Own = ownClient(driver.Client, process.nextTick, hosts, silence);
  const Reading = ownClient(driver.Client, setImmediate, hosts, silence);
  const pool = new driver.Pool({
    ...session.client,
    Client: Own,
    // The pool also waits this long for a free connection, which is no network failure.
    connectionTimeoutMillis: options.transactionTimeout ?? LIMITS.transactionTimeout,
    max: connections - OTHERS,
    idleTimeoutMillis: IDLE,
  });
  pool.on('error', () => {});
  // The pool listens for errors only while a connection is idle, and an unhandled error event ends the
  // process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const { queryTimeout = LIMITS.queryTimeout, replicaStaleness = LIMITS.replicaStaleness } = options;
  const newReading = () => new Reading(session.reading);
  const reader = new PostgresReader(newReading, session, READERS, queryTimeout);
  const listening = options.listenUrl === undefined ? null : usableSettings(options.listenUrl);
  const Listening = listening ? ownClient(driver.Client, process.nextTick, hostsOf(listening), null) : Own;
  // Nothing can be heard through a pooler.
  const isDeaf = found.isPooled && !listening;
  const newListener = isDeaf ? null : () => new Listening(listening?.client ?? session.client);
  const notices = new PostgresNotices(newListener, reader, settings.schema);
  const positions = standbys.length > 0 ? new Positions(replicaStaleness) : null;
  const limits = { ...options, queryTimeout };
  const replicas = positions && openReplicas(driver.Client, standbys, session, reader, positions, limits);
  const transactions = new Transactions(pool, session, options, positions);
  const indexBuilds = new PostgresIndexBuilds(() => new Own(session.patient), found.schema);
  let closing: Promise<void> | null = null;
  return {
    dialect: session.dialect,
    reader,
    transaction: (work) => transactions.run(work),
    single: (query) => reader.all(query),
    notices,
    replicas,
    indexBuilds,
    async ping() {
      const row = await reader.get({ text: READ_ONLY, values: [] });
      if (row?.['value'] === 'on') throw unavailable('The database accepts no changes now');
    },
    close() {
      hosts.close();
      indexBuilds.abandon();
      closing ??= notices
        .close()
        .then(() => Promise.all([pool.end(), reader.close(), replicas?.close()]))
        .then(() => silence.close());
      return closing;
    },
  };
}

const READ_ONLY = "select current_setting('transaction_read_only') as value";

/** @throws UnusableDatabase */
function usableReplica(url: string): PostgresSettings {
  const settings = usableSettings(url);
  if (settings.urls.length === 1) return settings;
  throw new UnusableDatabase(
    `a read replica has a URL of its own, and ${settings.label} names several hosts`,
  );
}

const CHECKS = `select current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as synchronous,
  current_setting('max_connections')::int as most,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) as room,
  (select count(*)::int - 1 from pg_stat_activity where backend_type = 'client backend') as used`;

async function checkServer(
  newClient: () => Client,
  hosts: Hosts,
  settings: PostgresSettings,
  options: DatabaseOptions,
): Promise<Found> {
  let client: Client | null = null;
  try {
    await hosts.find();
    client = newClient();
    client.on('error', () => {});
    await client.connect();
    await requireWritable(client);
    await requireSuitable(client);
    const { rows } = await client.query(CHECKS);
    const is = rows[0];
    const { connections = CONNECTIONS, workers = 1 } = options;
    if (workers * connections > is.room) {
      throw new Error(
        `${workers === 1 ? 'This server uses' : `${workers} workers use`} up to ${workers * connections} connections, and max_connections ${is.most} leaves room for ${is.room}. Lower workers or databaseConnections, or raise max_connections of PostgreSQL`,
      );
    }
    if (workers * connections > is.room - is.used) {
      options.onWarning?.(
        `This server uses up to ${workers * connections} connections, and PostgreSQL has ${Math.max(0, is.room - is.used)} left (max_connections ${is.most}). Under load, requests may get 503. Raise max_connections, or lower databaseConnections of every server`,
      );
    }
    if (is.fsync === 'off' && !settings.unsafe) {
      throw new Error('the server runs with fsync=off and may lose acknowledged changes');
    }
    if (is.synchronous === 'off' && !settings.unsafe) {
      options.onWarning?.('synchronous_commit is off: a crash of the server may lose the latest changes');
    }
    if (settings.schema !== null) await createSchema(client, settings.schema);
    const found = await probe(client, settings, options);
    await createOutcomes(client, found.schema);
    return found;
  } catch (error) {
    const why = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error);
    throw new UnusableDatabase(
      `cannot use the PostgreSQL database ${settings.label}: ${why.replace(/^[a-z]*error: /i, '')}`,
      { cause: error },
    );
  } finally {
    await client?.end().catch(() => {});
  }
}

async function createSchema(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query('select 1 from pg_namespace where nspname = $1', [schema]);
  if (rows.length > 0) return;
  await createOnce(client, `create schema if not exists ${quote(schema)}`);
}
