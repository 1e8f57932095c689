import type { ClientConfig } from 'pg';
import { LIMITS } from '../../kernel/limits.ts';
import { resultTypes } from './types.ts';

/** A parsed `postgres://` URL, split into the driver's part and ours. */
export interface PostgresSettings {
  readonly client: ClientConfig & { readonly pipeline: true };
  /** The schema of all tables; null keeps the user's search path. */
  readonly schema: string | null;
  /** Accepts a server that may lose acknowledged changes; for tests. */
  readonly unsafe: boolean;
  /** Host and database for messages, without the password. */
  readonly label: string;
}

/** Seconds. `connect_timeout` in the URL replaces it, as in libpq. */
const CONNECT_TIMEOUT = '5';

/** `transactionTimeout`: milliseconds. @throws Error with a message for the operator, without the password */
export function postgresSettings(
  text: string,
  transactionTimeout: number = LIMITS.transactionTimeout,
): PostgresSettings {
  const url = URL.parse(text);
  if (!url) throw new Error('the database URL cannot be read');
  const schema = url.searchParams.get('schema');
  const unsafe = url.searchParams.get('unsafe') === '1';
  const connectTimeout = url.searchParams.get('connect_timeout') ?? CONNECT_TIMEOUT;
  for (const name of ['schema', 'unsafe', 'connect_timeout']) url.searchParams.delete(name);
  if (schema !== null && !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) {
    throw new Error('the schema of the database URL must be 1 to 63 letters, digits or underscores');
  }
  if (!/^[1-9]\d{0,3}$/.test(connectTimeout)) {
    throw new Error('connect_timeout in the database URL must be 1 to 9999 seconds');
  }
  // Sent at connect: fixes the result format whatever the server's defaults, and limits the time of queries.
  const options = [
    ...[
      'datestyle=ISO,YMD',
      'timezone=UTC',
      'extra_float_digits=1',
      'standard_conforming_strings=on',
      'jit=off',
    ],
    ...(schema === null ? [] : [`search_path="${schema}"`]),
  ];
  return {
    client: {
      connectionString: url.href,
      application_name: 'chancery',
      pipeline: true,
      types: resultTypes,
      options: options.map((option) => `-c ${option}`).join(' '),
      connectionTimeoutMillis: Number(connectTimeout) * 1000,
      statement_timeout: transactionTimeout,
      lock_timeout: LIMITS.lockTimeout,
      idle_in_transaction_session_timeout: transactionTimeout + 5_000,
      // The server's own timeout comes first, unless the network drops everything.
      query_timeout: transactionTimeout + 10_000,
      keepAlive: true,
    },
    schema,
    unsafe,
    label: `${url.hostname}${url.port === '' ? '' : `:${url.port}`}${url.pathname}`,
  };
}
