import { sql } from '../../db/sql.ts';
import type { CommitListener, Context } from '../../document/contract.ts';
import type { DocEvent } from '../../document/doc-event.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { heldChoice, releaseHeld } from '../queue/held-deliveries.ts';
import {
  cancelDeliveries,
  type DeliveryDraft,
  holdDeliveries,
  moveDeliveries,
  redirectDeliveries,
  stageDeliveries,
  urlOrigin,
} from '../queue/outbox.ts';
import { resetEndpoint } from '../queue/reset-endpoint.ts';
import { announceDeliveries } from '../queue/wake.ts';
import { type Bodies, renderDelivery } from '../render/render-delivery.ts';
import type { WebhookSpec } from '../render/webhook-spec.ts';
import { withTrace } from '../send/trace.ts';
import { LoopGuard } from './loop-guard.ts';
import { Webhooks } from './webhooks.ts';

/**
 * Turns the events of a transaction into deliveries of the same transaction: both are committed, or neither.
 * If a payload cannot be rendered, the change still succeeds; the delivery is stored as exhausted, with the
 * reason.
 */
export function webhookListener(): CommitListener {
  const webhooks = new Webhooks();
  const guard = new LoopGuard();
  const listen: CommitListener = async (ctx) => {
    const changes = ctx.events.filter((event) => event.doctype.name === 'Webhook');
    if (changes.length > 0) {
      webhooks.forget();
      for (const event of changes) await followWebhook(ctx, event);
    }
    const drafts = ctx.origin?.isImport ? [] : await guard.apply(ctx, await draftsOf(ctx, webhooks, changes));
    const due = drafts.length > 0 ? await stageDeliveries(ctx, drafts) : [];
    if (due.length > 0 || changes.length > 0) {
      const changed = changes.map(({ doc }) => doc.name);
      ctx.afterCommit(() => announceDeliveries(ctx.site.database, { due, changed }));
    }
  };
  listen.foresee = (ctx, doctypeName) => webhooks.foresee(ctx.db, doctypeName);
  return listen;
}

async function draftsOf(
  ctx: Context,
  webhooks: Webhooks,
  changes: readonly DocEvent[],
): Promise<readonly DeliveryDraft[]> {
  const doctypeNames = new Set(ctx.events.map((event) => event.doctype.name));
  const known = await webhooks.of(ctx, doctypeNames, changes.length > 0);
  return matchEvents(ctx, (doctypeName) => known.get(doctypeName));
}

// Applies changes of a webhook to its waiting deliveries.
async function followWebhook(ctx: Context, { name, doc, before }: DocEvent): Promise<void> {
  if (name === 'on_trash') {
    await cancelDeliveries(ctx, doc.name);
    await ctx.db.run(sql`delete from "_webhook_endpoint" where "webhook" = ${doc.name}`);
  }
  if (!before) return;
  if (name === 'after_rename') await moveDeliveries(ctx, before.name, doc.name);
  if (name !== 'on_update') return;
  const [url, method] = [String(doc['request_url']), String(doc['request_method'])];
  // A dynamic address is rendered once per document, so waiting deliveries keep theirs.
  const moved = Number(doc['is_dynamic_url']) !== 1 && url !== before['request_url'];
  if (moved || method !== before['request_method']) {
    await redirectDeliveries(ctx, doc.name, { url: moved ? url : null, method });
  }
  if (moved || doc['enabled'] !== before['enabled']) {
    const isSameOrigin = urlOrigin(url) === urlOrigin(String(before['request_url']));
    await ctx.db.run(resetEndpoint(doc.name, isSameOrigin, nowMillis(ctx.site.clock)));
  }
  if (doc['enabled'] === before['enabled']) {
    // Deliveries held for the former address may be allowed at this one.
    if (moved && doc['enabled'] === 1) await releaseHeld(ctx, doc.name, 'Send');
    return;
  }
  if (doc['enabled'] === 1) await releaseHeld(ctx, doc.name, heldChoice(doc['held_deliveries']));
  else await holdDeliveries(ctx, doc.name);
}

// One delivery per webhook and document. It takes its last state in this transaction, and the state before
// the first event as the former one.
function matchEvents(
  ctx: Context,
  webhooksOf: (doctypeName: string) => readonly WebhookSpec[] | undefined,
): DeliveryDraft[] {
  const last = new Map<string, { readonly webhook: WebhookSpec; readonly event: DocEvent }>();
  for (const event of ctx.events) {
    for (const webhook of webhooksOf(event.doctype.name) ?? []) {
      if (webhook.event !== event.name || webhook.skippedUser === ctx.user.name) continue;
      const key = `${webhook.name}\u001f${event.doc.name}`;
      const first = last.get(key)?.event;
      last.set(key, { webhook, event: first ? sinceFirst(event, first) : event });
    }
  }
  const bodies = new Map<DocEvent, Bodies>();
  return [...last.values()].flatMap(({ webhook, event }) => {
    const shared = bodies.get(event) ?? new Map();
    bodies.set(event, shared);
    return draftDelivery(ctx, webhook, event, shared) ?? [];
  });
}

function sinceFirst(event: DocEvent, first: DocEvent): DocEvent {
  return { ...event, before: first.before, secrets: [...first.secrets, ...event.secrets] };
}

/** Null when the webhook does not fire. */
function draftDelivery(
  ctx: Context,
  webhook: WebhookSpec,
  event: DocEvent,
  bodies: Bodies,
): DeliveryDraft | null {
  const draft = {
    webhook: webhook.name,
    event: event.name,
    doctypeName: event.doctype.name,
    docName: event.doc.name,
    method: webhook.method,
    headers: withTrace(webhook.headersText, ctx.origin?.trace),
    unordered: webhook.order === 'any',
    supersedes: webhook.order === 'newest',
  };
  try {
    const format = { doctypes: ctx.doctypes, precision: ctx.site.settings.timestampPrecision };
    const rendered = renderDelivery(format, webhook, event, bodies);
    return rendered && { ...draft, ...rendered };
  } catch (error) {
    ctx.site.observe({ kind: 'unexpected', where: `payload of webhook ${webhook.name}`, error });
    return {
      ...draft,
      url: webhook.url,
      body: '',
      failure: 'render_error: the payload could not be rendered',
    };
  }
}
