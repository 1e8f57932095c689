import type { Connection, Row } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Context, Site } from '../document/context.ts';
import { unseal } from '../document/seal.ts';
import { deleteSecret, placeOf, readSecret, writeSecret } from '../document/secret.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Signing, signingKey } from './sign.ts';

/** The secret that a webhook shows once. */
const CURRENT = 'secret';
/** Those it had before, as long as they go on: JSON, newest first, encrypted and kept as the other is. */
const FORMER = 'secret:former';

/** A secret that was replaced. */
interface Former {
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Signs only beside others. */
  readonly isRetired: boolean;
}

/** Of one webhook, encrypted, by what they are. */
export type StoredSigning = ReadonlyMap<string, string>;

/** What is stored of the secrets of these webhooks, a list in SQL. */
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

/** The secrets of a webhook that count now; null when it has none. Throws when they cannot be read. */
export async function readSigning(
  site: Pick<Site, 'keys' | 'clock'>,
  connection: Connection,
  webhook: string,
): Promise<Signing | null> {
  const stored = await storedSignings(connection, sql`${webhook}`);
  return signingOf(site, webhook, stored.get(webhook));
}

/** The same of what is stored; undefined: nothing is. */
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

/** A secret that goes on, or could; without an end the one that counts now. */
export type Outgoing = Omit<Former, 'until'> & { readonly until: number | null };

/** To be read before the current secret is replaced: saving another one ends all of them. The newest comes first. */
export async function readOutgoing(ctx: Context, webhook: string): Promise<readonly Outgoing[]> {
  const current = await readSecret(ctx.site, ctx.db, 'Webhook', webhook, CURRENT);
  const former = await readFormer(ctx, webhook);
  return current === null ? former : [{ secret: current, until: null, isRetired: false }, ...former];
}

/**
 * Lets secrets go on beside the one that took their place: what was the current one until `until`, milliseconds since the epoch,
 * the others as long as they had been promised. Signatures that stand alone stay with the oldest until they are switched.
 * @throws ServiceError ValidationError for too many
 */
export async function keepOutgoing(
  ctx: Context,
  webhook: string,
  outgoing: readonly Outgoing[],
  until: number,
): Promise<void> {
  if (outgoing.length > LIMITS.webhookFormerSecrets) {
    const most = `No more than ${LIMITS.webhookFormerSecrets} former secrets go on at a time`;
    const way = 'end their overlap first, or replace the secret without one';
    throw new ServiceError('ValidationError', `${most}: ${way}`);
  }
  await writeFormer(
    ctx,
    webhook,
    outgoing.map((one) => ({ ...one, until: one.until ?? until })),
  );
}

/**
 * From now on the current secret signs alone, too. `drop`: those before it stop counting.
 * Resolves to until when the last of them goes on, milliseconds since the epoch; null when none does.
 */
export async function switchToCurrent(ctx: Context, webhook: string, drop: boolean): Promise<number | null> {
  const former = await readFormer(ctx, webhook);
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

/** Every secret but the current one stops counting. */
export async function dropFormer(ctx: Context, webhook: string): Promise<void> {
  await deleteSecret(ctx.db, 'Webhook', webhook, FORMER);
}

async function readFormer({ site, db }: Context, webhook: string): Promise<readonly Former[]> {
  return liveOf(await readSecret(site, db, 'Webhook', webhook, FORMER), nowMillis(site.clock));
}

async function writeFormer(ctx: Context, webhook: string, former: readonly Former[]): Promise<void> {
  await writeSecret(ctx.site, ctx.db, 'Webhook', webhook, FORMER, JSON.stringify(former));
}

/** What is stored, without what has run out. Only `writeFormer` writes it. */
function liveOf(text: string | null, now: number): readonly Former[] {
  const stored = text === null ? [] : (JSON.parse(text) as readonly Former[]);
  return stored.filter(({ until }) => until > now);
}
