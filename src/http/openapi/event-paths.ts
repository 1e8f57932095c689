import { type DescribeRoute, errors } from './operation.ts';

/** The stream of events. */
export const eventPaths: DescribeRoute = (scope) => {
  if (scope.user.isGuest) return {};
  const get = {
    operationId: 'events',
    summary: 'Hear of changes of documents as they happen',
    description:
      'Server-sent events: `open` and `reset` begin a stream, `change` tells of one change of a document that you may read, `reset` asks to read everything anew.',
    tags: ['Documents'],
    parameters: [
      {
        name: 'doctype',
        in: 'query',
        required: true,
        description: 'Which documents; repeated for several, or one JSON array.',
        schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
      },
      {
        name: 'name',
        in: 'query',
        description: 'Only documents of these names, of a single doctype.',
        schema: { type: 'array', items: { type: 'string' } },
      },
      {
        name: 'last_event_id',
        in: 'query',
        description: 'Where to go on from: the id of the last event that was received.',
        schema: { type: 'string' },
      },
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'The same, as browsers send it when they connect again.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      '200': {
        description: 'Events, until the connection ends',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...errors(401, 403, 417, 429, 503),
    },
  };
  return { '/api/events': { get } };
};
