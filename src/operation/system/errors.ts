import { hostname } from 'node:os';
import { OPTIONAL_TEXT } from '../arguments.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { object } from '../result.ts';
import { requireSystem, shownTime } from './present.ts';

/** The recent errors of this server. */
export const errorsOperation: Operation = defineOperation({
  name: 'chancery.system.errors',
  summary: 'List recent errors of this server, the newest first, or those of one request',
  effect: 'read',
  roles: ['System Manager'],
  args: { request_id: OPTIONAL_TEXT },
  result: object({ host: { type: 'string' }, errors: { type: 'array', items: { type: 'object' } } }),
  run: async (ctx, { request_id: requestId }, { site }) => {
    requireSystem(ctx, 'read');
    const errors = await site.status.errors(requestId?.trim() || undefined);
    return {
      host: hostname(),
      errors: errors.map(({ at, ...error }) => ({ time: shownTime(site, at), ...error })),
    };
  },
});
