import { isSystemManager } from '../../access/user.ts';
import { object } from '../../operation/result.ts';
import { defineAddress, openAddress } from '../address/address.ts';
import { errors, header, jsonReply, queryParameter } from '../address/operation.ts';

/** The process is alive. */
export const HEALTH = openAddress(
  '/health',
  'health',
  'Check that the process is alive and delivers webhooks',
  {
    '200': jsonReply(
      'The process is alive',
      object({ status: { enum: ['ok', 'degraded'] }, problems: { type: 'array' } }),
    ),
  },
);

/** The server accepts work. */
export const READY = openAddress(
  '/ready',
  'ready',
  'Check that the database answers and the server is not stopping',
  {
    '200': jsonReply('The service is available', object({ status: { const: 'ready' } })),
  },
);

/** Metrics for Prometheus. The handler checks a token of its own beside the keys of users. */
export const METRICS = defineAddress('/metrics', 'client', 'read', {
  tag: 'Service',
  shownTo: isSystemManager,
  verbs: {
    GET: {
      id: 'metrics',
      summary: 'Metrics of the server, for Prometheus',
      description:
        'For System Managers, and for clients with the bearer token of the setting `metrics.token`.',
      replies: {
        '200': { description: 'In the text format of Prometheus', content: { 'text/plain': {} } },
        ...errors(401, 403),
      },
      security: null,
    },
  },
});

/** The stream of events. */
export const EVENTS = defineAddress('/api/events', 'user', 'stream', {
  tag: 'Documents',
  verbs: {
    GET: {
      id: 'events',
      summary: 'Stream changes of documents as they happen',
      description:
        'Server-sent events. `open` or `reset` begins a stream. `change` reports one change of a document that you may read. After `reset`, read all documents again.',
      parameters: [
        {
          ...queryParameter('doctype', 'A doctype. For several, repeat the parameter or send a JSON array.', {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
          }),
          required: true,
        },
        queryParameter('name', 'Only documents of these names, of a single doctype.', {
          type: 'array',
          items: { type: 'string' },
        }),
        queryParameter('views', 'With 1, `on_view` tells when somebody begins or ends to view a document.', {
          enum: ['0', '1'],
        }),
        queryParameter('last_event_id', 'The id of the last event received; the stream continues after it.'),
        header('Last-Event-ID', 'The same, as browsers send it when they reconnect.'),
      ],
      replies: {
        '200': {
          description: 'Events, until the connection ends',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        ...errors(401, 403, 417, 429, 503),
      },
    },
  },
});
