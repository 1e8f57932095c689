import type { ClientConfig } from 'pg';
import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';
import type { DatabaseOptions } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import { postgresDialect } from './dialect.ts';
import type { PostgresSettings } from './settings.ts';

/** What the probe at start has found out about the server, and about a pooler before it. */
export interface Found {
  /** The schema of all tables. */
  readonly schema: string;
  /** A pooler gives each transaction another connection, so the settings of a session get lost. */
  readonly isPooled: boolean;
  /** The server, or the pooler, keeps prepared statements. */
  readonly prepares: boolean;
}

/** How statements reach the server, the same on all connections of a database. */
export interface Session extends Found {
  readonly dialect: Dialect;
  /** Texts whose prepared statements no longer fit their columns; only a pooler keeps them that long. */
  readonly stale: Recent<true>;
  /** For transactions. */
  readonly client: ClientConfig;
  /** For reads outside transactions. */
  readonly reading: ClientConfig;
  /** For work that takes hours, without timeouts. */
  readonly patient: ClientConfig;
  /** Begins a transaction; travels with its first statement. */
  readonly begin: string;
  /** Surrounds a read that is alone in its transaction; null where the session limits it. */
  readonly aroundRead: { readonly before: string; readonly after: string } | null;
}

const STALE = 500;
const NO_LIMITS = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };
const BEGIN = 'begin isolation level read committed';

/**
 * A direct connection gets its limits when it connects. Poolers refuse such parameters or lose them, so behind
 * a pooler every transaction sets its own, and every read is a transaction.
 */
export function sessionOf(settings: PostgresSettings, found: Found, options: DatabaseOptions): Session {
  const { transactionTimeout = LIMITS.transactionTimeout, queryTimeout = LIMITS.queryTimeout } = options;
  const limits = limitsOf(transactionTimeout);
  const readLimits = { ...limits, statement_timeout: queryTimeout };
  const { isPooled } = found;
  const clientOf = (some: Readonly<Record<string, string | number>>): ClientConfig => ({
    ...settings.client,
    ...(isPooled ? {} : { options: asOptions(some) }),
    // The server's own timeout comes first, unless the network drops everything.
    query_timeout: Number(some['statement_timeout']) + 10_000,
  });
  return {
    ...found,
    stale: new Recent(STALE),
    dialect: postgresDialect(found.schema),
    client: clientOf(limits),
    reading: clientOf(readLimits),
    patient: { ...settings.client, ...(isPooled ? {} : { options: asOptions(NO_LIMITS) }) },
    begin: isPooled ? beginWith(BEGIN, limits) : BEGIN,
    aroundRead: isPooled ? { before: beginWith('begin', readLimits), after: 'commit' } : null,
  };
}

/** The begin of a transaction of the probe: what sessions of a pooler must allow. */
export function probingBegin(): string {
  return beginWith(BEGIN, limitsOf(LIMITS.transactionTimeout));
}

function limitsOf(transactionTimeout: number) {
  return {
    statement_timeout: transactionTimeout,
    lock_timeout: LIMITS.lockTimeout,
    idle_in_transaction_session_timeout: transactionTimeout + 5_000,
    // The results of doubles, whatever the server's defaults.
    extra_float_digits: 1,
    jit: 'off',
  };
}

function asOptions(parameters: Readonly<Record<string, string | number>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

function beginWith(begin: string, parameters: Readonly<Record<string, string | number>>): string {
  const local = Object.entries(parameters).map(([name, value]) => `set local ${name} = ${value}`);
  return [begin, ...local].join('; ');
}
