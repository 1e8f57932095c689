import {
  listFrom,
  listText,
  newApiKey,
  newSecret,
  replaceSecret,
  storeApiKey,
} from '../../access/api-key.ts';
import { audit } from '../../access/audit.ts';
import { requireUnlimited } from '../../access/key-scope.ts';
import { PASSWORD_MASK } from '../../access/secret.ts';
import { isSystemManager } from '../../access/user.ts';
import type { Row } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Document } from '../../doctype/doctype.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fields } from '../../kernel/value.ts';
import { type GivenLimits, parseLimits } from './key-limits.ts';

/** The parameters of a new key. */
export interface WantedKey extends GivenLimits {
  readonly user: string;
  readonly label: string;
}

/** A key with its secret, shown once. */
export interface ShownKey {
  readonly api_key: string;
  readonly api_secret: string;
}

/**
 * Makes a key. Users make their own keys; System Managers also make keys for others.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError
 */
export async function createKey(ctx: Context, wanted: WantedKey): Promise<ShownKey> {
  const { user, label } = wanted;
  await requireKeysOf(ctx, user);
  await requireRoom(ctx, user);
  const limits = parseLimits(ctx, wanted);
  const { key, secret } = newApiKey(ctx.site.random);
  await storeApiKey(ctx.db, { key, secret, user, label, creation: timestamp(ctx.site), limits });
  await audit(ctx, { event: 'key_created', doctype: 'API Key', name: key, details: { user, label } });
  return { api_key: key, api_secret: secret };
}

/**
 * Frappe's `generate_keys`: replaces the secret of the key that the User document names, and ends the former
 * secret at once. Makes a key for a user without one. The user's other keys stay. Forget cached verdicts
 * after the commit.
 * @throws ServiceError as `createKey`
 */
export async function generateKey(ctx: Context, user: string): Promise<ShownKey> {
  await requireKeysOf(ctx, user);
  const named = await ctx.db.get(
    sql`select "k"."api_key" from "User" as "u" join "_api_key" as "k"
        on "k"."api_key" = "u"."api_key" and "k"."user" = "u"."name" where "u"."name" = ${user}`,
  );
  if (named) {
    const key = String(named['api_key']);
    const secret = newSecret(ctx.site.random);
    await replaceSecret(ctx.db, key, secret, 0);
    await audit(ctx, { event: 'key_rotated', doctype: 'API Key', name: key });
    await ctx.db.run(sql`update "_api_key" set "enabled" = 1 where "api_key" = ${key}`);
    return { api_key: key, api_secret: secret };
  }
  const none = { expires_on: null, read_only: false, doctypes: null, methods: null, allowed_ips: null };
  const made = await createKey(ctx, { user, label: 'generate_keys', ...none });
  await ctx.db.run(
    sql`update "User" set "api_key" = ${made.api_key}, "api_secret" = ${PASSWORD_MASK},
        "_revision" = "_revision" + 1 where "name" = ${user}`,
  );
  return made;
}

async function requireKeysOf(ctx: Context, user: string): Promise<void> {
  requireUnlimited(ctx.user);
  if (user === ctx.user.name) return;
  if (!isSystemManager(ctx.user)) {
    throw new ServiceError('PermissionError', 'Only a System Manager may make API keys of others', {
      title: 'Not permitted',
    });
  }
  await readDocument(ctx, 'User', user);
  if (user === 'Guest') throw new ServiceError('ValidationError', 'Guest has no keys');
}

async function requireRoom(ctx: Context, user: string): Promise<void> {
  const row = await ctx.db.get(sql`select count(*) as "count" from "_api_key" where "user" = ${user}`);
  if (Number(row?.['count']) < LIMITS.apiKeys) return;
  throw new ServiceError('ValidationError', `${user} already has ${LIMITS.apiKeys} API keys, the maximum`);
}

/** Keys as documents. `condition` is on the columns of `_api_key`. */
export async function listKeys(ctx: Context, condition: Sql): Promise<Fields[]> {
  const rows = await ctx.db.all(
    sql`select "api_key", "user", "label", "creation", "modified", "enabled", "expires_at", "read_only", "doctypes",
          "methods", "addresses", "last_used_at", "old_digest", "old_until"
        from "_api_key" where ${condition} order by "creation", "api_key"`,
  );
  return rows.map((row) => fieldsOf(ctx, row));
}

function fieldsOf(ctx: Context, row: Row): Fields {
  const { creation, user } = row;
  const now = nowMillis(ctx.site.clock);
  const overlaps = row['old_digest'] !== null && Number(row['old_until']) > now;
  return {
    name: row['api_key'],
    owner: user,
    modified_by: user,
    creation,
    modified: row['modified'] ?? creation,
    user,
    label: row['label'],
    enabled: row['enabled'],
    expires_on: time(ctx, row['expires_at']),
    last_used: time(ctx, row['last_used_at']),
    old_secret_until: overlaps ? time(ctx, row['old_until']) : null,
    read_only: row['read_only'],
    doctypes: lines(row['doctypes']),
    methods: lines(row['methods']),
    allowed_ips: lines(row['addresses']),
  };
}

function time(ctx: Context, millis: unknown): string | null {
  return Number(millis) === 0 ? null : formatTimestamp(Number(millis) * 1000, ctx.site.config.timeZone);
}

function lines(stored: unknown): string | null {
  return listFrom(stored).join('\n') || null;
}

/** Stores the changeable parts of a key's document. Forget cached verdicts after the commit. */
export async function storeKey(ctx: Context, doc: Document): Promise<void> {
  const limits = parseLimits(ctx, limitsOf(doc));
  await ctx.db.run(
    sql`update "_api_key" set "label" = ${String(doc['label'] ?? '')}, "enabled" = ${doc['enabled'] === 1 ? 1 : 0},
        "modified" = ${doc.modified}, "expires_at" = ${limits.expiresAt},
        "read_only" = ${limits.readOnly ? 1 : 0}, "doctypes" = ${listText(limits.doctypes)},
        "methods" = ${listText(limits.methods)}, "addresses" = ${listText(limits.addresses)}
        where "api_key" = ${doc.name}`,
  );
}

/** The limits in a key's document. */
export function limitsOf(doc: Document): GivenLimits {
  const text = (fieldname: string) => (typeof doc[fieldname] === 'string' ? doc[fieldname] : null);
  return {
    expires_on: text('expires_on'),
    read_only: doc['read_only'] === 1,
    doctypes: text('doctypes'),
    methods: text('methods'),
    allowed_ips: text('allowed_ips'),
  };
}

/**
 * Deletes a key, and its name in the User document. Resolves to whether it existed. Forget cached verdicts
 * after the commit.
 */
export async function deleteKey(ctx: Context, key: string): Promise<boolean> {
  const deleted = await ctx.db.run(sql`delete from "_api_key" where "api_key" = ${key}`);
  await ctx.db.run(
    sql`update "User" set "api_key" = null, "api_secret" = null, "_revision" = "_revision" + 1
        where "api_key" = ${key}`,
  );
  if (deleted === 1) await audit(ctx, { event: 'key_revoked', doctype: 'API Key', name: key });
  return deleted === 1;
}
