import { hostname } from 'node:os';
import { audit } from '../../access/audit.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { JOBS } from '../../kernel/jobs.ts';
import { TEXT } from '../arguments.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { object } from '../result.ts';
import { requireSystem, shownTime } from './present.ts';

/** The periodic jobs of this server. */
export const jobOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.system.jobs',
    summary: 'List the periodic jobs of each process of this server, with their last and next runs',
    effect: 'read',
    roles: ['System Manager'],
    result: object({ host: { type: 'string' }, jobs: { type: 'array', items: { type: 'object' } } }),
    run: async (ctx, _args, { site }) => {
      requireSystem(ctx, 'read');
      const workers = await site.status.workers();
      const jobs = workers.flatMap(({ worker, jobs: theirs }) =>
        theirs.map(({ began, next, isRunning, ...state }) => ({
          worker,
          ...state,
          is_running: isRunning ? 1 : 0,
          last: shownTime(site, began),
          next: shownTime(site, next),
        })),
      );
      return { host: hostname(), jobs };
    },
  }),

  defineOperation({
    name: 'chancery.system.run_job',
    summary: 'Run a periodic job now',
    effect: 'write',
    http: ['POST'],
    roles: ['System Manager'],
    args: { job: { ...TEXT, schema: { type: 'string', enum: Object.keys(JOBS) } } },
    result: object({ job: { type: 'string' } }),
    run: async (ctx, { job }, { site }) => {
      requireSystem(ctx, 'write');
      if (!site.jobs.has(job)) {
        throw new ServiceError('DoesNotExistError', `This process does not run the job ${job}`);
      }
      await audit(ctx, { event: 'job_started', details: { job } });
      ctx.afterCommit(() => site.jobs.ask(job));
      return { job };
    },
  }),
];
