import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Random } from '../kernel/random.ts';
import { digestSecret } from './digest.ts';

export interface ApiKey {
  /** Public: 15 hexadecimal digits. */
  readonly key: string;
  /** 256 random bits in hexadecimal. Only the digest is stored, so the secret can be shown once. */
  readonly secret: string;
}

/** The limits of a key. An empty list sets no limit. */
export interface KeyLimits {
  /** Milliseconds since the epoch; 0 means never. */
  readonly expiresAt: number;
  readonly readOnly: boolean;
  readonly doctypes: readonly string[];
  readonly methods: readonly string[];
  /** IP addresses and CIDRs of clients. */
  readonly addresses: readonly string[];
}

export const UNLIMITED: KeyLimits = {
  expiresAt: 0,
  readOnly: false,
  doctypes: [],
  methods: [],
  addresses: [],
};

export interface StoredApiKey extends ApiKey {
  readonly user: string;
  readonly label: string;
  /** A timestamp in its stored form. */
  readonly creation: string;
  /** Default: none. */
  readonly limits?: KeyLimits;
}

/** Makes a new key and does not store it. */
export function newApiKey(random: Random): ApiKey {
  return { key: random.bytes(8).toString('hex').slice(0, 15), secret: newSecret(random) };
}

/** Makes a secret for a key. */
export function newSecret(random: Random): string {
  return random.bytes(32).toString('hex');
}

/**
 * Stores the key, enabled, and replaces a key with the same public part. Forget cached verdicts after the
 * commit.
 */
export async function storeApiKey(connection: Connection, apiKey: StoredApiKey): Promise<void> {
  const digest = digestSecret(apiKey.secret);
  const { expiresAt, readOnly, doctypes, methods, addresses } = apiKey.limits ?? UNLIMITED;
  await connection.run(sql`
    insert into "_api_key" ("api_key", "secret_digest", "user",
      "label", "creation", "modified", "enabled", "expires_at",
      "read_only", "doctypes", "methods", "addresses")
    values (${apiKey.key}, ${digest}, ${apiKey.user}, ${apiKey.label}, ${apiKey.creation}, ${apiKey.creation}, 1,
      ${expiresAt}, ${readOnly ? 1 : 0}, ${listText(doctypes)}, ${listText(methods)}, ${listText(addresses)})
    on conflict ("api_key") do update set
      "secret_digest" = excluded."secret_digest", "user" = excluded."user",
      "label" = excluded."label", "enabled" = 1, "old_digest" = null,
      "expires_at" = excluded."expires_at",
      "read_only" = excluded."read_only", "doctypes" = excluded."doctypes",
      "methods" = excluded."methods", "addresses" = excluded."addresses"`);
}

/**
 * Gives a key a new secret. The former secret stays valid until `oldUntil`, in milliseconds since the epoch;
 * an older one ends at once. Resolves to false when the key does not exist. Forget cached verdicts after the
 * commit.
 */
export async function replaceSecret(
  connection: Connection,
  key: string,
  secret: string,
  oldUntil: number,
): Promise<boolean> {
  const changed = await connection.run(sql`
    update "_api_key" set "old_digest" = "secret_digest",
      "old_until" = ${oldUntil}, "secret_digest" = ${digestSecret(secret)}
    where "api_key" = ${key}`);
  return changed === 1;
}

/** The stored form of a list; null for an empty one. */
export function listText(list: readonly string[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

/** Parses the stored form of a list. */
export function listFrom(stored: unknown): readonly string[] {
  const list: unknown = typeof stored === 'string' ? JSON.parse(stored) : [];
  return Array.isArray(list) ? list.map(String) : [];
}
