import { unseal } from '../../access/seal.ts';
import { deleteSecret, loadSecret, placeOf, writeSecret } from '../../access/secret.ts';
import type { Connection, Row } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Context, Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Signing, signingKey } from '../send/sign.ts';

/** The current secret, which a webhook shows once. */
const CURRENT = 'secret';
/** The former secrets that have not expired: JSON, newest first, encrypted like the current one. */
const FORMER = 'secret:former';

/** A secret that was replaced. */
interface Former {
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Signs only beside other secrets. */
  readonly isRetired: boolean;
}

/** The stored secrets of one webhook, encrypted, by kind. */
export type StoredSigning = ReadonlyMap<string, string>;

/** The stored secrets of these webhooks, which are given as a list in SQL. */
export async function storedSignings(
  connection: Connection,
  webhooks: Sql,
): Promise<ReadonlyMap<string, StoredSigning>> {
  const rows = await connection.all(
    sql`select "name", "fieldname", "value" from "_secret" where "doctype" = 'Webhook' and "name" in (${webhooks})
        and "fieldname" in (${CURRENT}, ${FORMER})`,
  );
  const byWebhook = Map.groupBy(rows, (row) => String(row['name']));
  const values = (some: readonly Row[]) =>
    new Map(some.map((row) => [String(row['fieldname']), String(row['value'])]));
  return new Map([...byWebhook].map(([webhook, some]) => [webhook, values(some)]));
}

/** The valid secrets of a webhook; null when it has none. Throws when they cannot be read. */
export async function loadSigning(
  site: Pick<Site, 'keys' | 'clock'>,
  connection: Connection,
  webhook: string,
): Promise<Signing | null> {
  const stored = await storedSignings(connection, sql`${webhook}`);
  return signingOf(site, webhook, stored.get(webhook));
}

/** The valid secrets among the stored ones; undefined when nothing is stored. */
export function signingOf(
  site: Pick<Site, 'keys' | 'clock'>,
  webhook: string,
  stored: StoredSigning | undefined,
): Signing | null {
  const read = (field: string) => {
    const value = stored?.get(field);
    return value === undefined ? null : unseal(site, value, placeOf('Webhook', webhook, field));
  };
  const current = read(CURRENT);
  if (current === null) return null;
  const newest = signingKey(current);
  const former = liveOf(read(FORMER), nowMillis(site.clock)).map((one) => ({
    ...one,
    key: signingKey(one.secret),
  }));
  const oldest = former.findLast(({ isRetired }) => !isRetired)?.key;
  const all = [newest, ...former.map(({ key }) => key)];
  return { alone: oldest ?? newest, next: oldest ? newest : null, all };
}

/** A secret that stays valid, or could. The one without an end is the current one. */
export type Outgoing = Omit<Former, 'until'> & { readonly until: number | null };

/**
 * The secrets that may stay valid, newest first. Read them before you replace the current secret: saving a
 * new one ends all of them.
 */
export async function loadOutgoing(ctx: Context, webhook: string): Promise<readonly Outgoing[]> {
  const current = await loadSecret(ctx.site, ctx.db, 'Webhook', webhook, CURRENT);
  const former = await loadFormer(ctx, webhook);
  return current === null ? former : [{ secret: current, until: null, isRetired: false }, ...former];
}

/**
 * Keeps former secrets valid beside the new one: the last current one until `until` (milliseconds since the
 * epoch), the others until their own end. The oldest makes signatures that stand alone until
 * `switchToCurrent`.
 * @throws ServiceError ValidationError for too many
 */
export async function keepOutgoing(
  ctx: Context,
  webhook: string,
  outgoing: readonly Outgoing[],
  until: number,
): Promise<void> {
  if (outgoing.length > LIMITS.webhookFormerSecrets) {
    const most = `At most ${LIMITS.webhookFormerSecrets} former secrets can be valid at a time`;
    const way = 'end their overlap first, or replace the secret without an overlap';
    throw new ServiceError('ValidationError', `${most}: ${way}`);
  }
  await writeFormer(
    ctx,
    webhook,
    outgoing.map((one) => ({ ...one, until: one.until ?? until })),
  );
}

/**
 * From now on the current secret also makes signatures that stand alone. `drop`: the former secrets expire
 * now. Resolves to the time at which the last of them expires, in milliseconds since the epoch; null without
 * any.
 */
export async function switchToCurrent(ctx: Context, webhook: string, drop: boolean): Promise<number | null> {
  const former = await loadFormer(ctx, webhook);
  if (drop || former.length === 0) {
    await dropFormer(ctx, webhook);
    return null;
  }
  await writeFormer(
    ctx,
    webhook,
    former.map((one) => ({ ...one, isRetired: true })),
  );
  return Math.max(...former.map(({ until }) => until));
}

/** Expires every secret but the current one. */
export async function dropFormer(ctx: Context, webhook: string): Promise<void> {
  await deleteSecret(ctx.db, 'Webhook', webhook, FORMER);
}

async function loadFormer({ site, db }: Context, webhook: string): Promise<readonly Former[]> {
  return liveOf(await loadSecret(site, db, 'Webhook', webhook, FORMER), nowMillis(site.clock));
}

async function writeFormer(ctx: Context, webhook: string, former: readonly Former[]): Promise<void> {
  await writeSecret(ctx.site, ctx.db, 'Webhook', webhook, FORMER, JSON.stringify(former));
}

/** The stored secrets without the expired ones. Only `writeFormer` writes them. */
function liveOf(text: string | null, now: number): readonly Former[] {
  const stored = text === null ? [] : (JSON.parse(text) as readonly Former[]);
  return stored.filter(({ until }) => until > now);
}
