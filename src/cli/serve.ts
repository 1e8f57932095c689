import { workerNumber } from '../config/worker-number.ts';
import { planWorkers } from '../site/workers.ts';
import type { Command } from './command.ts';
import { followSupervisor } from './worker.ts';

export const serveCommand: Command = {
  help: 'serve HTTP and deliver webhooks; the first start creates the site',
  scope: 'server',
  async run({ config, sources, print }) {
    const plan = planWorkers(config);
    const worker = workerNumber();
    if (worker === null && plan.count > 1) {
      // Loads no site, so that the supervisor stays small.
      return (await import('./supervise.ts')).supervise(config, plan.count);
    }
    const leave = followSupervisor();
    try {
      return await (await import('./run-server.ts')).runServer({ config, sources, plan, worker, print });
    } finally {
      leave();
    }
  },
};
