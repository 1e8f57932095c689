import { accessSync, constants } from 'node:fs';
import type { ClientConfig } from 'pg';
import { hostUrls } from '../../kernel/host-urls.ts';
import { UnusableDatabase } from '../unusable.ts';
import { resultTypes } from './types.ts';

/** A parsed `postgres://` URL, split into the driver's part and ours. */
export interface PostgresSettings {
  /** For all hosts. */
  readonly client: ClientConfig;
  /** For each host, with the parameters of the driver alone. */
  readonly urls: readonly string[];
  /** The schema of all tables; null: the first of the user's search path. */
  readonly schema: string | null;
  /** Statements may be prepared, if the server or the pooler keeps them. */
  readonly mayPrepare: boolean;
  /** Accepts a server that may lose acknowledged changes; for tests. */
  readonly unsafe: boolean;
  /** Hosts and database for messages, without the password. */
  readonly label: string;
}

/** Parameters of the URL that are not the driver's. */
const OWN = ['schema', 'unsafe', 'prepare', 'connect_timeout', 'target_session_attrs'];
/** Seconds. `connect_timeout` in the URL replaces it, as in libpq. */
const CONNECT_TIMEOUT = '5';

/** @throws UnusableDatabase with a message for the operator, without the password */
export function usableSettings(url: string): PostgresSettings {
  try {
    return postgresSettings(url);
  } catch (error) {
    throw new UnusableDatabase(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** @throws Error with a message for the operator, without the password */
export function postgresSettings(text: string): PostgresSettings {
  const urls = hostUrls(text);
  const [url] = urls ?? [];
  if (!urls || !url) throw new Error('the database URL cannot be read');
  const given = url.searchParams;
  const schema = given.get('schema');
  const connectTimeout = given.get('connect_timeout') ?? CONNECT_TIMEOUT;
  if (schema !== null && !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) {
    throw new Error('the schema of the database URL must be 1 to 63 letters, digits or underscores');
  }
  if (!/^[1-9]\d{0,3}$/.test(connectTimeout)) {
    throw new Error('connect_timeout in the database URL must be 1 to 9999 seconds');
  }
  oneOf(given, 'prepare', ['0']);
  // Both mean the server that accepts changes. The others would choose one that does not.
  oneOf(given, 'target_session_attrs', ['read-write', 'primary']);
  checkTls(given);
  return {
    client: {
      application_name: 'chancery',
      pipeline: true,
      types: resultTypes,
      connectionTimeoutMillis: Number(connectTimeout) * 1000,
      keepAlive: true,
    },
    urls: urls.map(driverUrl),
    schema,
    mayPrepare: given.get('prepare') === null,
    unsafe: given.get('unsafe') === '1',
    label: `${urls.map(({ host }) => host).join(',')}${url.pathname}`,
  };
}

function driverUrl(given: URL): string {
  const url = new URL(given);
  for (const name of OWN) url.searchParams.delete(name);
  const mode = url.searchParams.get('sslmode');
  // The driver verifies the server in all of these modes, and warns of a later version that does not.
  if (mode !== null && VERIFIED.includes(mode)) url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

const VERIFIED = ['require', 'verify-ca', 'verify-full'];

function checkTls(given: URLSearchParams): void {
  oneOf(given, 'sslmode', ['disable', 'no-verify', ...VERIFIED]);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = given.get(name);
    if (path === null) continue;
    try {
      accessSync(path, constants.R_OK);
    } catch {
      throw new Error(`the file ${path}, named by ${name} in the database URL, cannot be read`);
    }
  }
}

function oneOf(given: URLSearchParams, name: string, values: readonly string[]): void {
  const value = given.get(name);
  if (value === null || values.includes(value)) return;
  const allowed = values.length === 1 ? `${values[0]}, or left out` : values.join(', ');
  throw new Error(`${name} in the database URL must be ${allowed}`);
}
