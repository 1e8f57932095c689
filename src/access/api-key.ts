import { hash } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { ident, sql } from '../db/sql.ts';
import type { Random } from '../kernel/random.ts';

export interface ApiKey {
  /** Public: 15 hexadecimal digits. */
  readonly key: string;
  /** 256 random bits in hexadecimal; only its digest is kept, so it can be shown once. */
  readonly secret: string;
}

export interface StoredApiKey extends ApiKey {
  readonly user: string;
  readonly label: string;
  /** Stored form of a timestamp. */
  readonly creation: string;
}

/** A new key, not stored yet. */
export function newApiKey(random: Random): ApiKey {
  return { key: random.bytes(8).toString('hex').slice(0, 15), secret: random.bytes(32).toString('hex') };
}

/** SHA-256 in hexadecimal. Enough for a secret of 256 random bits, and fast enough for every request. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Stores the key, enabled; a key of the same public part is replaced. Forget cached verdicts after the commit. */
export async function storeApiKey(connection: Connection, apiKey: StoredApiKey): Promise<void> {
  const digest = digestSecret(apiKey.secret);
  await connection.run(sql`
    insert into ${ident('_api_key')} (${ident('api_key')}, ${ident('secret_digest')}, ${ident('user')},
      ${ident('label')}, ${ident('creation')}, ${ident('enabled')})
    values (${apiKey.key}, ${digest}, ${apiKey.user}, ${apiKey.label}, ${apiKey.creation}, 1)
    on conflict (${ident('api_key')}) do update set
      ${ident('secret_digest')} = excluded.${ident('secret_digest')}, ${ident('user')} = excluded.${ident('user')},
      ${ident('label')} = excluded.${ident('label')}, ${ident('enabled')} = 1`);
}
