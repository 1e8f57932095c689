import { audit } from '../../access/audit.ts';
import type { Row } from '../../db/database.ts';
import { sharedMillis } from '../../db/shared-clock.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { DELIVERY_STATE, IS_SET_ASIDE, STATE } from '../queue/delivery-state.ts';
import { DELIVERED_SINCE } from '../queue/log-views.ts';
import { type DeliveryDraft, stageDeliveries } from '../queue/outbox.ts';
import { dueDelivery } from '../queue/promote-followers.ts';
import { announceDeliveries, type DueDelivery } from '../queue/wake.ts';
import { type Chosen, choose, holdWebhooks, listed, requireReadable } from './choose.ts';

/** The result of a resend. */
export interface Resent {
  /** The number of deliveries that match. */
  readonly matching: number;
  /**
   * Names of the deliveries that resend them. A delivery that was waiting for a retry is listed under its own
   * name.
   */
  readonly resent: readonly string[];
  /** Deliveries skipped: their webhook is disabled, or they have nothing to send. */
  readonly skipped: number;
  /** More deliveries match: call again, with `last` as `after`. */
  readonly more: boolean;
  /** The last delivery that this request covered; null without any. */
  readonly last: string | null;
}

/** Deliveries read at a time, with their bodies. */
const CHUNK = 25;

/** The final states. */
const DONE: ReadonlySet<number> = new Set([
  DELIVERY_STATE.delivered,
  DELIVERY_STATE.exhausted,
  DELIVERY_STATE.cancelled,
]);

/**
 * Resends one delivery at once: the same bytes and `webhook-id`, to the webhook's present address. A delivery
 * that waits for a retry is retried now instead. Resolves to the name of the delivery that is sent.
 * @throws ServiceError DoesNotExistError, PermissionError, ValidationError where it cannot be sent
 */
export async function resendOne(ctx: Context, name: string): Promise<string> {
  const { webhook, state } = await requireReadable(ctx, name);
  const webhooks = await holdWebhooks(ctx, [String(webhook)]);
  if (webhooks.get(String(webhook))?.['enabled'] !== 1) {
    throw new ServiceError(
      'ValidationError',
      `Webhook ${webhook} is disabled: enable it to resend deliveries`,
    );
  }
  const { resent } = await resend(ctx, [name], true);
  const [again] = resent;
  if (again !== undefined) return again;
  throw new ServiceError(
    'ValidationError',
    DONE.has(Number(state))
      ? `${name} has nothing to send: its payload could not be rendered`
      : `${name} is in flight, or waits for an earlier delivery about the same document`,
  );
}

/**
 * Deliveries that can be resent: no tests, not resent already (unless a restore has set the resend aside), not
 * failed and delivered by a resend since, and with something to send.
 */
const SENDABLE = sql`d."is_test" = 0 and (d."manual_of" is null or d.${IS_SET_ASIDE})
  and (d."state" = ${STATE.waiting} or (d."state" ${STATE.done}
  and (d."state" = ${STATE.delivered} or not ${DELIVERED_SINCE})
  and not exists (select 1 from "_webhook_delivery" m where m."manual_of" = d."name" and m."state" ${STATE.live})))
  and exists (select 1 from "_webhook_request" b where b."delivery" = d."id" and b."body" <> '')
  and exists (select 1 from "Webhook" w where w."name" = d."webhook" and w."enabled" = 1)`;

/** How many of the matching deliveries one request handles. */
export interface Portion {
  /** Counts only. */
  readonly preview: boolean;
  /** `last` of the previous request: a delivery that was resent and has ended again is not resent twice. */
  readonly after: string | null;
}

/** Resends the deliveries that match filters on the log, oldest first, up to a limit. */
export async function resendMany(
  ctx: Context,
  filters: unknown,
  { preview, after }: Portion,
): Promise<Resent> {
  return resendChosen(ctx, await choose(ctx, { filters, condition: SENDABLE, after }), preview);
}

/**
 * Resends the deliveries of a webhook that failed within a period and were not delivered since. Retries
 * waiting ones now. Times as stored.
 */
export async function recover(
  ctx: Context,
  webhook: string,
  { since, until }: { readonly since: string; readonly until: string | null },
  { preview, after }: Portion,
): Promise<Resent> {
  const failed: Sql = sql`${SENDABLE} and d."state" in (${STATE.waiting}, ${STATE.exhausted}) and d."attempt" > 0`;
  const filters = [
    ['webhook', '=', webhook],
    ['creation', '>=', since],
    ...(until === null ? [] : [['creation', '<', until]]),
  ];
  const chosen = await choose(ctx, { filters, condition: failed, after });
  await holdWebhooks(ctx, [webhook]);
  return resendChosen(ctx, chosen, preview);
}

async function resendChosen(ctx: Context, { names, matching }: Chosen, preview: boolean): Promise<Resent> {
  if (preview || names.length === 0)
    return { matching, resent: [], skipped: 0, more: matching > 0, last: null };
  const { resent, skipped } = await resend(ctx, names, false);
  return { matching, resent, skipped, more: matching > names.length, last: names.at(-1) ?? null };
}

async function resend(
  ctx: Context,
  names: readonly string[],
  unordered: boolean,
): Promise<Pick<Resent, 'resent' | 'skipped'>> {
  const counted = await ctx.db.all(
    sql`select "webhook", count(*) as "count" from "_webhook_delivery"
        where "name" in (${listed(names)}) group by "webhook"`,
  );
  const webhooks = await holdWebhooks(
    ctx,
    counted.map((row) => String(row['webhook'])),
  );
  // Write before anything else: with overlapping transactions, the feed of deliveries recognises this one by
  // its write.
  await audit(ctx, {
    event: 'deliveries_resent',
    doctype: 'Webhook',
    ...(webhooks.size === 1 && { name: [...webhooks.keys()][0] ?? '' }),
    details: { deliveries: names.length, webhooks: webhooks.size },
  });
  const due: DueDelivery[] = [];
  const resent: string[] = [];
  for (let start = 0; start < names.length; start += CHUNK) {
    const rows = await readRows(ctx, names.slice(start, start + CHUNK));
    const usable = rows.filter((row) => webhooks.get(String(row['webhook']))?.['enabled'] === 1);
    const waiting = usable.filter((row) => row['state'] === DELIVERY_STATE.waiting);
    if (waiting.length > 0) await tryNow(ctx, waiting);
    const over = usable.filter((row) => DONE.has(Number(row['state'])) && row['body'] !== '');
    const drafts = over.map((row) => draftOf(row, webhooks.get(String(row['webhook'])) ?? {}, unordered));
    const staged = await stageDeliveries(ctx, drafts);
    await decided(ctx, over);
    due.push(...waiting.map(dueDelivery), ...staged);
    resent.push(...waiting.map((row) => String(row['name'])), ...staged.map(({ name }) => name));
  }
  ctx.afterCommit(() => {
    announceDeliveries(ctx.site.database, { due, changed: [] });
  });
  return { resent, skipped: names.length - resent.length };
}

function readRows(ctx: Context, names: readonly string[]): Promise<Row[]> {
  return ctx.db.all(
    sql`select d."id", d."name", d."webhook", d."order_key", d."event", d."reference_doctype", d."reference_document",
        d."state", d."set_aside", d."seq", d."manual_of", d."is_test", d."chain_depth", b."method", b."url", b."headers", b."body"
        from "_webhook_delivery" d join "_webhook_request" b on b."delivery" = d."id"
        where d."name" in (${listed(names)}) order by d."id"`,
  );
}

async function tryNow(ctx: Context, rows: readonly Row[]): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_delivery" set "due_at" = ${sharedMillis(ctx.db, ctx.site.clock)},
        "next_retry" = ${timestamp(ctx.site)}
        where "id" in (${listed(rows.map((row) => Number(row['id'])))}) and "state" = ${STATE.waiting}`,
  );
}

/** Deliveries that a restore had set aside are replaced by those that resend them. */
async function decided(ctx: Context, rows: readonly Row[]): Promise<void> {
  const held = rows.filter((row) => row['set_aside'] === 1).map((row) => Number(row['id']));
  if (held.length === 0) return;
  await ctx.db.run(
    sql`update "_webhook_delivery" set "set_aside" = 0, "modified" = ${timestamp(ctx.site)}
        where "id" in (${listed(held)}) and ${IS_SET_ASIDE}`,
  );
}

/**
 * The same delivery again, to the webhook's present address. An address rendered from the document stays
 * unchanged.
 */
function draftOf(row: Row, webhook: Row, unordered: boolean): DeliveryDraft {
  const moved = webhook['is_dynamic_url'] !== 1;
  return {
    webhook: String(row['webhook']),
    event: String(row['event']),
    doctypeName: String(row['reference_doctype']),
    docName: String(row['reference_document']),
    method: String(webhook['request_method']),
    url: String(moved ? webhook['request_url'] : row['url']),
    headers: String(row['headers']),
    body: String(row['body']),
    failure: null,
    chainDepth: Number(row['chain_depth']),
    isTest: row['is_test'] === 1,
    manualOf: { name: String(row['manual_of'] ?? row['name']), seq: Number(row['seq'] ?? row['id']) },
    unordered,
  };
}
