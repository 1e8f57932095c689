import type { Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import type { DocEvent } from '../../document/doc-event.ts';
import { rowsOf } from '../../document/document.ts';
import { listDocuments } from '../../document/list/list.ts';
import { hasRightOn } from '../../document/load/rights-on.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Rendered, renderDelivery } from '../render/render-delivery.ts';
import { parseSpec, type WebhookSpec } from '../render/webhook-spec.ts';

/** The request of a webhook for a document, whether or not the webhook would fire. */
export interface Sample {
  readonly spec: WebhookSpec;
  readonly document: string;
  /**
   * The document meets the condition. Watched fields are not considered, because a stored document has no
   * change.
   */
  readonly meetsCondition: boolean;
  readonly rendered: Rendered;
}

/**
 * Checks that the user may change the webhook.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function changeableWebhook(ctx: Context, name: string): Promise<Document> {
  const webhook = await readDocument(ctx, 'Webhook', name);
  if (await hasRightOn(ctx, ctx.doctypes.get('Webhook'), name, 'write')) return webhook;
  throw new ServiceError('PermissionError', `You may not change the webhook ${name}`);
}

/**
 * Renders the request of a webhook for a stored document: the one named, or the last changed one that the
 * user may read. Needs read permission on the document.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function sampleOf(
  ctx: Context,
  webhook: Document,
  documentName: string | null,
): Promise<Sample> {
  const spec = {
    ...parseSpec(webhook, rowsOf(webhook, 'webhook_headers'), rowsOf(webhook, 'webhook_data')),
    watched: [],
  };
  const document = documentName ?? (await latest(ctx, spec.doctype));
  const doc = await readDocument(ctx, spec.doctype, document);
  const event: DocEvent = {
    name: spec.event as DocEvent['name'],
    doctype: ctx.doctypes.get(spec.doctype),
    doc,
    before: spec.event === 'after_insert' ? null : doc,
    secrets: [],
    revision: 0,
  };
  const format = { doctypes: ctx.doctypes, precision: ctx.site.settings.timestampPrecision };
  const told = renderDelivery(format, spec, event);
  const forced = told ?? renderDelivery(format, { ...spec, condition: '' }, event);
  const rendered = forced ?? { url: spec.url, body: '', failure: 'render_error: nothing to send' };
  return { spec, document, meetsCondition: told !== null && told.failure === null, rendered };
}

async function latest(ctx: Context, doctypeName: string): Promise<string> {
  const order = { order_by: 'modified desc', limit_page_length: 1 };
  const [row] = await listDocuments(ctx, doctypeName, { fields: ['name'], ...order });
  if (row) return String(row['name']);
  throw new ServiceError('DoesNotExistError', `There is no ${doctypeName} to test the webhook with`);
}
