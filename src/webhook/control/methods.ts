import type { Method } from '../../document/contract.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { deliveryBody } from './body.ts';
import { cancelMany, cancelOne } from './cancel.ts';
import { webhookOverview } from './overview.ts';
import { previewDelivery } from './preview.ts';
import { pullDeliveries } from './pull.ts';
import { recover, resendMany, resendOne } from './resend.ts';
import { deliveryStats } from './stats.ts';
import { sendTest } from './test-delivery.ts';

const DELIVERY = { type: 'Data', required: true, description: 'Name of a Webhook Request Log' } as const;
const WEBHOOK = { type: 'Data', required: true, description: 'Name of a Webhook' } as const;
const FILTERS = {
  type: 'JSON',
  required: true,
  description: 'Filters of a list of Webhook Request Log, which choose the deliveries',
} as const;
const HOURS = { type: 'Int', default: 24, min: 1, max: LIMITS.statsHours } as const;
const PREVIEW = { type: 'Check', description: 'Only count the deliveries' } as const;
const AFTER = { type: 'Data', description: '`last` of the previous reply, if it had `more`' } as const;
const DOCUMENT = {
  type: 'Data',
  description: 'Name of a document of its doctype; default: the document changed last',
} as const;

/** The methods for deliveries, by their names under `/api/method/`. */
export const deliveryMethods: Readonly<Record<string, Method>> = {
  'chancery.webhook.resend': defineMethod({
    description: 'Resend a delivery with the same bytes and id, or attempt a waiting one now',
    args: { name: DELIVERY },
    run: async (ctx, { name }) => ({ name: await resendOne(ctx, name) }),
  }),

  'chancery.webhook.resend_many': defineMethod({
    description: `Resend the deliveries that match filters, oldest first, ${LIMITS.deliveriesChosen} at a time`,
    args: { filters: FILTERS, preview: PREVIEW, after: AFTER },
    run: (ctx, { filters, ...portion }) => resendMany(ctx, filters, portion),
  }),

  'chancery.webhook.recover': defineMethod({
    description: 'Resend all deliveries of a webhook that failed since a time and are still undelivered',
    args: {
      webhook: WEBHOOK,
      since: { type: 'Datetime', required: true, description: 'Time from which deliveries are included' },
      until: { type: 'Datetime', description: 'Default: now' },
      preview: PREVIEW,
      after: AFTER,
    },
    run: (ctx, { webhook, since, until, ...portion }) => recover(ctx, webhook, { since, until }, portion),
  }),

  'chancery.webhook.cancel': defineMethod({
    description: 'Cancel a waiting or held delivery',
    args: { name: DELIVERY },
    run: async (ctx, { name }) => {
      await cancelOne(ctx, name);
      return { name };
    },
  }),

  'chancery.webhook.cancel_many': defineMethod({
    description: `Cancel the waiting and held deliveries that match filters, ${LIMITS.deliveriesChosen} at a time`,
    args: { filters: FILTERS, preview: PREVIEW },
    run: (ctx, { filters, preview }) => cancelMany(ctx, filters, preview),
  }),

  'chancery.webhook.test': defineMethod({
    description: 'Send the request of a webhook for a document once, marked as a test',
    args: { webhook: WEBHOOK, document: DOCUMENT },
    run: async (ctx, { webhook, document }) => ({ name: await sendTest(ctx, webhook, document) }),
  }),

  'chancery.webhook.preview': defineMethod({
    // Many receivers take the address itself for a key.
    confidential: true,
    description:
      'Show the signed request that a webhook would make for a document, optionally with unsaved changes',
    args: {
      webhook: {
        type: 'Data',
        description: 'Name of a Webhook; default: a new one with the values in `changes`',
      },
      changes: {
        type: 'JSON',
        description: 'Unsaved fields of the Webhook; the request is then signed with an example secret',
      },
      document: DOCUMENT,
    },
    run: previewDelivery,
  }),

  'chancery.webhook.body': defineMethod({
    http: ['GET'],
    description: 'Read the exact body of a delivery, in base64',
    args: { name: DELIVERY },
    run: (ctx, { name }) => deliveryBody(ctx, name),
  }),

  'chancery.webhook.pull': defineMethod({
    http: ['GET'],
    description: 'List the deliveries of a webhook after a cursor',
    args: {
      webhook: WEBHOOK,
      after: {
        type: 'Data',
        description: '`after` of the previous page; default: from the oldest stored delivery',
      },
      limit: { type: 'Int', default: 100, min: 1, max: LIMITS.pulledDeliveries },
    },
    run: (ctx, { webhook, after, limit }) => pullDeliveries(ctx, webhook, after, limit),
  }),

  'chancery.webhook.stats': defineMethod({
    http: ['GET'],
    description: 'Count deliveries by hour, with their outcomes and the duration of attempts',
    args: {
      webhook: { type: 'Data', description: 'Name of a Webhook; default: all of them' },
      hours: HOURS,
      by: {
        type: 'Select',
        options: ['minute', 'hour', 'day'],
        default: 'hour',
        description: 'The length of a period',
      },
      details: {
        type: 'Check',
        description: 'Include the statuses of responses, and the most frequent errors',
      },
    },
    run: deliveryStats,
  }),

  'chancery.webhook.overview': defineMethod({
    http: ['GET'],
    description: 'Summarize each webhook: figures, its last error, and its due deliveries',
    args: { hours: { ...HOURS, max: LIMITS.overviewHours } },
    run: (ctx, { hours }) => webhookOverview(ctx, hours),
  }),
};
