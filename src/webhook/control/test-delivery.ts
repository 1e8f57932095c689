import { audit } from '../../access/audit.ts';
import { sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { stageDeliveries } from '../queue/outbox.ts';
import { announceDeliveries } from '../queue/wake.ts';
import { holdWebhooks } from './choose.ts';
import { changeableWebhook, sampleOf } from './sample.ts';

const MINUTE = 60;

/**
 * Sends a test delivery of a webhook for a document. The log marks it as a test, and it is not retried.
 * Resolves to its name in the log, which shows the result.
 * @throws ServiceError RateLimitExceededError; ValidationError for a disabled webhook or when rendering fails
 */
export async function sendTest(ctx: Context, name: string, documentName: string | null): Promise<string> {
  const { spec, document, rendered } = await sampleOf(ctx, await changeableWebhook(ctx, name), documentName);
  const held = (await holdWebhooks(ctx, [name])).get(name);
  if (held?.['enabled'] !== 1) {
    throw new ServiceError('ValidationError', `Webhook ${name} is disabled: enable it to test it`);
  }
  if (rendered.failure !== null) throw new ServiceError('ValidationError', rendered.failure);
  await requireFew(ctx, name);
  const details = { deliveries: 1, test: true };
  await audit(ctx, { event: 'deliveries_resent', doctype: 'Webhook', name, details });
  const staged = await stageDeliveries(ctx, [
    {
      webhook: name,
      event: spec.event,
      doctypeName: spec.doctype,
      docName: document,
      method: spec.method,
      url: rendered.url,
      headers: spec.headersText,
      body: rendered.body,
      failure: null,
      isTest: true,
      unordered: true,
    },
  ]);
  ctx.afterCommit(() => announceDeliveries(ctx.site.database, { due: staged, changed: [] }));
  return staged[0]?.name ?? '';
}

// Counted in the log, so that the limit holds for all nodes together.
async function requireFew(ctx: Context, webhook: string): Promise<void> {
  const { clock, config } = ctx.site;
  const since = formatTimestamp(clock.micros() - MINUTE * 1_000_000, config.timeZone);
  const row = await ctx.db.get(
    sql`select count(*) as "count" from "_webhook_delivery"
        where "webhook" = ${webhook} and "creation" > ${since} and "is_test" = 1`,
  );
  if (Number(row?.['count']) < LIMITS.webhookTests) return;
  throw new ServiceError(
    'RateLimitExceededError',
    `A webhook can be tested at most ${LIMITS.webhookTests} times per minute`,
    { title: 'Too Many Requests', headers: { 'retry-after': String(MINUTE) } },
  );
}
