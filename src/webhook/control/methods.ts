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
  description: 'Which deliveries, as a list of Webhook Request Log takes filters',
} as const;
const HOURS = { type: 'Int', default: 24, min: 1, max: LIMITS.statsHours } as const;
const PREVIEW = { type: 'Check', description: 'Only says how many there are' } as const;
const AFTER = { type: 'Data', description: '`last` of the request before, where there were `more`' } as const;
const DOCUMENT = {
  type: 'Data',
  description: 'Name of a document of its doctype; default: the one changed last',
} as const;

/** The methods for deliveries, by their names under `/api/method/`. */
export const deliveryMethods: Readonly<Record<string, Method>> = {
  'chancery.webhook.resend': defineMethod({
    description: 'Send a delivery again, the same bytes under the same id, or try a waiting one now',
    args: { name: DELIVERY },
    run: async (ctx, { name }) => ({ name: await resendOne(ctx, name) }),
  }),

  'chancery.webhook.resend_many': defineMethod({
    description: `Send the deliveries again that filters find, oldest first, ${LIMITS.deliveriesChosen} at a time`,
    args: { filters: FILTERS, preview: PREVIEW, after: AFTER },
    run: (ctx, { filters, ...portion }) => resendMany(ctx, filters, portion),
  }),

  'chancery.webhook.recover': defineMethod({
    description: 'Send everything of a webhook again that failed since a time and was not delivered by now',
    args: {
      webhook: WEBHOOK,
      since: { type: 'Datetime', required: true, description: 'When the first of them was made' },
      until: { type: 'Datetime', description: 'Default: now' },
      preview: PREVIEW,
      after: AFTER,
    },
    run: (ctx, { webhook, since, until, ...portion }) => recover(ctx, webhook, { since, until }, portion),
  }),

  'chancery.webhook.cancel': defineMethod({
    description: 'Have a delivery that waits or is held not sent any more',
    args: { name: DELIVERY },
    run: async (ctx, { name }) => {
      await cancelOne(ctx, name);
      return { name };
    },
  }),

  'chancery.webhook.cancel_many': defineMethod({
    description: `Cancel the waiting and held deliveries that filters find, ${LIMITS.deliveriesChosen} at a time`,
    args: { filters: FILTERS, preview: PREVIEW },
    run: (ctx, { filters, preview }) => cancelMany(ctx, filters, preview),
  }),

  'chancery.webhook.test': defineMethod({
    description: 'Send what a webhook sends for a document, once, marked as a test',
    args: { webhook: WEBHOOK, document: DOCUMENT },
    run: async (ctx, { webhook, document }) => ({ name: await sendTest(ctx, webhook, document) }),
  }),

  'chancery.webhook.preview': defineMethod({
    description:
      'Show the signed request that a webhook would make for a document, also with changes not saved yet',
    args: {
      webhook: { type: 'Data', description: 'Name of a Webhook; default: a new one, made of the changes' },
      changes: {
        type: 'JSON',
        description: 'Fields of Webhook as they would be saved; signed by an example secret',
      },
      document: DOCUMENT,
    },
    run: previewDelivery,
  }),

  'chancery.webhook.body': defineMethod({
    http: ['GET'],
    description: 'What a delivery sends, to the byte, in base64',
    args: { name: DELIVERY },
    run: (ctx, { name }) => deliveryBody(ctx, name),
  }),

  'chancery.webhook.pull': defineMethod({
    http: ['GET'],
    description: 'Deliveries of a webhook after a cursor: a second way to them',
    args: {
      webhook: WEBHOOK,
      after: { type: 'Data', description: '`after` of the former page; default: the oldest that is kept' },
      limit: { type: 'Int', default: 100, min: 1, max: LIMITS.pulledDeliveries },
    },
    run: (ctx, { webhook, after, limit }) => pullDeliveries(ctx, webhook, after, limit),
  }),

  'chancery.webhook.stats': defineMethod({
    http: ['GET'],
    description: 'Deliveries by hour: how many, what became of them, how long attempts took',
    args: {
      webhook: { type: 'Data', description: 'Name of a Webhook; default: all of them' },
      hours: HOURS,
      by: {
        type: 'Select',
        options: ['minute', 'hour', 'day'],
        default: 'hour',
        description: 'What is counted apart',
      },
      details: { type: 'Check', description: 'Also statuses of responses, and the most frequent errors' },
    },
    run: deliveryStats,
  }),

  'chancery.webhook.overview': defineMethod({
    http: ['GET'],
    description: 'All webhooks side by side: figures, the last error of each, and what is to be sent now',
    args: { hours: { ...HOURS, max: LIMITS.overviewHours } },
    run: (ctx, { hours }) => webhookOverview(ctx, hours),
  }),
};
