import { isSystemManager } from '../../access/user.ts';
import { defineAddress, openAddress } from '../address.ts';
import { envelope, errors, header, jsonReply, queryParameter } from '../openapi/operation.ts';

/** The process is alive. */
export const HEALTH = openAddress('/health', 'health', 'Whether the process is alive, and webhooks go out', {
  '200': jsonReply('It is', envelope({ status: { enum: ['ok', 'degraded'] }, problems: { type: 'array' } })),
});

/** The server accepts work. */
export const READY = openAddress('/ready', 'ready', 'Whether the database answers and the server goes on', {
  '200': jsonReply('It does', envelope({ status: { const: 'ready' } })),
});

/** Metrics for Prometheus. The handler checks a token of its own beside the keys of users. */
export const METRICS = defineAddress('/metrics', 'client', 'read', {
  tag: 'Service',
  shownTo: isSystemManager,
  verbs: {
    GET: {
      id: 'metrics',
      summary: 'Numbers about the server, for Prometheus',
      description: 'For System Managers, and for the bearer of the token `metrics.token`.',
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
      summary: 'Hear of changes of documents as they happen',
      description:
        'Server-sent events: `open` and `reset` begin a stream, `change` tells of one change of a document that you may read, `reset` asks to read everything anew.',
      parameters: [
        {
          ...queryParameter('doctype', 'Which documents; repeated for several, or one JSON array.', {
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
        queryParameter('last_event_id', 'Where to go on from: the id of the last event that was received.'),
        header('Last-Event-ID', 'The same, as browsers send it when they connect again.'),
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
